import { Redactor } from "../client/redactor.ts";
import { monotonicNowMs } from "../client/exchange.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { isLong, needsOf, realTimeOf } from "./check.ts";
import type { ActingCheck, Check } from "./check.ts";
import type { CheckBudget } from "./check-budget.ts";
import { endCheck } from "./discovery/learned-dialect.ts";
import { isAbout } from "./dialects/lacking.ts";
import { resultsUnderCauses, withControl } from "./discovery/results.ts";
import type { EndpointLease, HeldMs } from "./endpoint/endpoint-lease.ts";
import type { TestEndpoint } from "./endpoint/test-endpoint.ts";
import { evidenceOf } from "./evidence/evidence.ts";
import type { EvidenceMaker } from "./evidence/evidence.ts";
import { Expectations } from "./expect.ts";
import { judgeRequirement, notRunResult, notRunWithDeviation } from "./judge.ts";
import type { RequirementResult, CheckEnding } from "./judge.ts";
import { learnOnRealClock } from "./discovery/learn-on-real-clock.ts";
import { observe } from "./observe.ts";
import { learnMissed, noteStates } from "./discovery/states-never-shown.ts";
import { nothingMovesId } from "./job-progress.ts";
import { reasonOfStop } from "./outcome.ts";
import { isFinal, recordShownBy } from "./record.ts";
import { whyNotTried } from "./obstacles.ts";
import { seededRandom } from "./random.ts";
import { Recorder } from "./evidence/recorder.ts";
import type { CheckRun } from "./runner.ts";
import type { EndpointConnection } from "./endpoint-connection.ts";
import type { Session } from "./session.ts";
import type { CheckContext } from "./check-context.ts";
import { catchEarlyEnd } from "./verdict.ts";

export interface CheckRunOptions {
  /** The longest it may take on a real clock, in milliseconds. */
  readonly timeBudgetMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether no other check runs meanwhile: an outage of the target is then caused by this one. */
  readonly isAlone?: boolean;
  /** Called when the check starts; never for a check that is not tried. */
  readonly onStarted?: (() => void) | undefined;
}

/** What a check of the contract found. */
export interface ContractCheckRun extends CheckRun {
  /** For how long it held its endpoint; absent where it was not tried. */
  readonly heldMs?: HeldMs;
}

/** Runs one check to its end and judges it. Never rejects. */
export async function runCheck(
  check: Check,
  session: Session,
  options: CheckRunOptions,
): Promise<ContractCheckRun> {
  const { timeBudgetMs, isAlone = false } = options;
  const reasons = check.covers.map((id) => whyNotTried(check, id, { session, timeBudgetMs }));
  const leftOut = (at: number, id: RequirementId): RequirementResult | undefined => {
    const why = reasons[at];
    return why && notRunWithDeviation(check, id, why, session.dialect);
  };
  if (!reasons.includes(undefined)) {
    const results = check.covers.flatMap((id, at) => leftOut(at, id) ?? []);
    return { results, isWorthRepeating: false };
  }
  const ending =
    check.observe === undefined
      ? await perform(check, session, options)
      : await observe(check, session);
  if (ending === undefined) {
    const results = check.covers.map((id) => notRunResult(check, id, reasonOfStop(options.signal)));
    return { results, isWorthRepeating: false };
  }
  recordUnanswered(check, ending, session);
  const seen = ending.recorder.exchanges.at(-1);
  if (ending.missed !== undefined && seen !== undefined && session.target.discovers !== false) {
    learnMissed(session.discovery, check.name, { missed: ending.missed, seen });
  }
  const whyCut = options.signal?.aborted === true ? reasonOfStop(options.signal) : session.whyOver;
  const results = check.covers.map(
    (id, at) => leftOut(at, id) ?? withoutHalf(judged(check, id, ending, session), check, whyCut),
  );
  const told = {
    results: resultsUnderCauses(results, session.discovery, {
      needs: needsOf(check),
      isLast: isAlone,
    }),
    heldMs: ending.heldMs,
    isWorthRepeating: isWorthRepeating(check, ending, session),
  };
  for (const { answer } of ending.recorder.exchanges) answer?.shorten();
  return told;
}

/** A run that was cut short observed less than would show that all was well. */
function withoutHalf(
  result: RequirementResult,
  check: Check,
  whyCut: string | undefined,
): RequirementResult {
  if (check.observe === undefined || whyCut === undefined || result.verdict === "fail") {
    return result;
  }
  const [requirement = check.covers[0]] = result.covers;
  return notRunResult(check, requirement, whyCut);
}

/** Whether another attempt may decide the check. What the target never answers stays undecided. */
function isWorthRepeating(
  { observe: judging }: Check,
  { stalledWithOthers, unanswered, broke }: CheckEnding,
  { whyOver, progress }: Session,
): boolean {
  if (judging !== undefined || whyOver !== undefined || progress.isStuck) return false;
  return stalledWithOthers || (unanswered === undefined && broke === undefined);
}

/**
 * Records a difference where a request of the check got no answer, if the check is about that operation, or if the
 * operation answers other requests, so that this request must be the cause. Otherwise it is not known what the check
 * would have seen.
 */
function recordUnanswered({ covers }: Check, ending: CheckEnding, session: Session): void {
  const { unanswered, recorder } = ending;
  if (unanswered === undefined) return;
  const own = covers.find((id) => isAbout(id, unanswered.operation));
  const requirement = own ?? (session.hasAnswered(unanswered.operation) ? covers[0] : undefined);
  if (requirement === undefined) return;
  new Expectations(requirement, recorder.findings).unanswered(unanswered);
}

/** Judges one requirement. An answer of a kind that nobody thought of becomes an error of the harness. */
function judged(
  check: Check,
  id: RequirementId,
  ending: CheckEnding,
  session: Session,
): RequirementResult {
  try {
    const result = underStandstill(judgeRequirement(check, id, ending, session), session);
    return withControl(result, ending.recorder.exchanges, session.discovery);
  } catch (error) {
    const harnessError = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const reason = `the harness broke: ${String(error)}`;
    return { ...notRunResult(check, id, reason), verdict: "inconclusive", harnessError };
  }
}

/** What could not be decided while no job began or ended any more is told under that cause. */
function underStandstill(result: RequirementResult, { progress }: Session): RequirementResult {
  const isHeldUp =
    progress.isStuck && result.verdict === "inconclusive" && result.cause === undefined;
  return isHeldUp ? { ...result, cause: nothingMovesId } : result;
}

/** The ending of a check, or `undefined` where it was stopped before its turn came. */
async function perform(
  check: ActingCheck,
  session: Session,
  { signal, isAlone = false, onStarted }: CheckRunOptions,
): Promise<CheckEnding | undefined> {
  const checkMs = realTimeOf(check);
  const budget = session.budgetFor(checkMs, signal);
  const work = { isLong: isLong(check, session.slowJob), checkMs };
  const lease = session.leaseFor(check, work, budget.signal);
  const recorder = new Recorder(new Redactor(session.redactor), session.dialect);
  lease.hooks = recorder.hooks;
  const endpoints: TestEndpoint[] = [];
  const connection = connectionOf(check, session, { recorder, lease, budget });
  const open = async (options = check.endpoint ?? {}): Promise<TestEndpoint> => {
    const endpoint = await session.endpoint(options, connection);
    endpoints.push(endpoint);
    recorder.endpoints.set(endpoint.id, endpoint.time.log);
    return endpoint;
  };

  const outagesBefore = session.outages.length;
  let startedAtMs: number | undefined;
  const ended = await catchEarlyEnd(async () => {
    await lease.acquire();
    startedAtMs = performance.now();
    onStarted?.();
    const endpoint = await open();
    await check.run(contextFor(check, { session, endpoint, recorder, open }));
  });
  const recordedSteps = [...recorder.recordedSteps];
  const { isStuck } = lease;
  // Asks whether the target accepts anything: one that refuses everything would pass every check of a refusal.
  if (!session.hasAccepted) await endpoints[0]?.api.with({ onLacking: undefined }).health();
  const released = await catchEarlyEnd(async () => {
    await Promise.all(endpoints.map(async (endpoint) => endpoint.release()));
  });
  if (!session.virtual) await endLeftJobs(lease, budget, endpoints);
  // Read before the end, which takes its jobs out of the count.
  const besideOthers = besideOthersOf(lease, isAlone);
  lease.end();
  const { reason } = budget;
  budget.end();
  if (startedAtMs === undefined && signal?.aborted === true) return undefined;
  const outage = session.outages[outagesBefore];
  return {
    recorder,
    recordedSteps,
    durationMs: startedAtMs === undefined ? 0 : performance.now() - startedAtMs,
    // A virtual clock stands still while the harness is late.
    delayMs: session.virtual ? 0 : lease.delayMs,
    pacedMs: lease.pacedMs,
    refusals: lease.refusals,
    ...besideOthers,
    heldMs: lease.heldMs,
    isStuck,
    stalledWithOthers: lease.stalledWithOthers,
    isAlone,
    ...(outage !== undefined && { outage }),
    ...released,
    ...ended,
    ...(reason !== undefined && { undecided: reason }),
  };
}

/** So many jobs of a check that ended early are asked for; more than that are left to end by themselves. */
const leftJobsMax = 200;

/** Ends the jobs that a check left behind because it ended early: others would wait for them, and they cost money. */
async function endLeftJobs(
  lease: EndpointLease,
  { signal }: CheckBudget,
  [endpoint]: readonly TestEndpoint[],
): Promise<void> {
  const api = endpoint?.api.with({ onLacking: undefined });
  if (api === undefined || signal.aborted) return;
  await Promise.all(
    lease.unfinished.slice(0, leftJobsMax).map(async (id) => {
      const read = recordShownBy(await api.status(id));
      if (read === undefined || !isFinal(read)) await api.cancel(id);
    }),
  );
}

/** What jobs of other checks may have changed. Those that were left behind are in the way of one that runs alone, too. */
function besideOthersOf(
  { crowdedMs, isBesideAbandoned, isExclusive }: EndpointLease,
  isAlone: boolean,
): Pick<CheckEnding, "crowdedMs" | "isBesideAbandoned"> {
  return {
    crowdedMs: isAlone && !isBesideAbandoned ? 0 : crowdedMs,
    // Beside a check that shares the endpoint jobs of others end anyway.
    isBesideAbandoned: isBesideAbandoned && isExclusive,
  };
}

interface Participants {
  readonly recorder: Recorder;
  readonly lease: EndpointLease;
  readonly budget: CheckBudget;
}

/** Connects the endpoints of a check with its recorder, lease and budget, and with the history of the run. */
function connectionOf(
  check: Check,
  session: Session,
  { recorder, lease, budget }: Participants,
): EndpointConnection {
  // A check that insists judges by itself how soon something is answered.
  const isTimed = !session.virtual && realTimeOf(check) > 0 && check.insists !== true;
  const learnsWaits = !session.virtual && session.target.discovers !== false;
  const makeEvidence = createEvidenceMaker(recorder.redactor, session.startedAtMs);
  return {
    redactor: recorder.redactor,
    onExchange: (exchange) => {
      recorder.record({ kind: "exchange", exchange });
      if (isTimed) recorder.noteIfLate(exchange);
      noteStates(session.discovery, exchange);
      if (learnsWaits) {
        const whyVain = learnOnRealClock(session.discovery, exchange, session.dialect);
        if (whyVain !== undefined) budget.abort(whyVain);
      }
      session.history.observe(exchange, makeEvidence);
    },
    onControl: (call) => {
      recorder.record({ kind: "control", call, atMs: monotonicNowMs() });
    },
    onEndpoint: (endpointId) => {
      recorder.record({ kind: "endpoint", endpointId, atMs: monotonicNowMs() });
    },
    check: check.name,
    checkMs: realTimeOf(check),
    lease,
    insists: check.insists === true,
    budget,
  };
}

/** The history keeps the function until the run ends, so it must not refer to the recorder, which holds all answers. */
function createEvidenceMaker(redactor: Redactor, startedAtMs: number): EvidenceMaker {
  return (exchange) => evidenceOf(exchange, redactor, { startedAtMs });
}

interface ContextParts {
  readonly session: Session;
  readonly endpoint: TestEndpoint;
  readonly recorder: Recorder;
  readonly open: (options?: Check["endpoint"]) => Promise<TestEndpoint>;
}

function contextFor(
  check: Check,
  { session, endpoint, recorder, open }: ContextParts,
): CheckContext {
  return {
    api: endpoint.api,
    time: endpoint.time,
    workers: endpoint.workers,
    jobs: endpoint.jobs,
    endpoint,
    payloads: session.payloads(),
    expect: new Expectations(check.covers[0], recorder.findings),
    offers: (capability) => session.offers(capability),
    lacks: (operation) => session.dialect.obstacle(operation) !== undefined,
    isHeldTo: (id) => session.dialect.lacking(id) === undefined,
    demand: (what) => {
      const obstacle = session.dialect.obstacle(what);
      if (obstacle !== undefined) endCheck(session.dialect)(what, obstacle);
    },
    anotherEndpoint: async (options) => open(options ?? {}),
    receiver: async () =>
      (await session.webhooks.receiver()).hooks((hook) => {
        recorder.hooks.push(hook);
      }),
    history: session.history,
    recorder,
    random: seededRandom(session.seed, check.name),
  };
}
