import { ControlError, Redactor } from "../client/index.ts";
import type { RequirementId } from "../openapi/index.ts";
import { needsOf, realTimeOf } from "./check.ts";
import type { Check } from "./check.ts";
import type { TestEndpoint } from "./endpoint/test-endpoint.ts";
import { evidenceOf } from "./evidence/evidence.ts";
import { Expectations } from "./expect.ts";
import { judge, notRun, skipped } from "./judge.ts";
import type { CheckResult, Ending } from "./judge.ts";
import { Lacking, Stopped, Undecided } from "./outcome.ts";
import { seededRandom } from "./random.ts";
import { Recorder } from "./evidence/recorder.ts";
import type { Session } from "./session.ts";
import type { Tools } from "./check-context.ts";

/** Why a check is not tried on this target, or `undefined` when it is. */
export function obstacleOf(
  check: Check,
  session: Session,
  timeBudgetMs: number,
): string | undefined {
  const missing = needsOf(check).filter((need) => !session.offers(need));
  if (missing.length > 0) return `the target does not offer ${missing.join(", ")}`;

  const realTimeMs = realTimeOf(check);
  if (session.virtual || realTimeMs <= timeBudgetMs) return undefined;
  return `takes ${inWords(realTimeMs)} on a real clock; the time budget is ${inWords(timeBudgetMs)}`;
}

/** The same for one of the requirements that it covers, by what the dialect says, too. */
export function whyNotTried(
  check: Check,
  requirement: RequirementId,
  { session, timeBudgetMs }: { readonly session: Session; readonly timeBudgetMs: number },
): string | undefined {
  const { terms } = session;
  const lacking = terms.lackingFor(check.name) ?? terms.lacking(requirement);
  if (lacking !== undefined) return `${lacking} (dialect ${terms.name})`;
  return obstacleOf(check, session, timeBudgetMs);
}

/** How one check is run. */
export interface CheckRunOptions {
  /** The longest it may take on a real clock, in milliseconds. */
  readonly timeBudgetMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when its turn has come; never for a check that is not tried. */
  readonly onStarted?: (() => void) | undefined;
}

/** Why a check that was stopped is not decided. */
export const stoppedReason = "the run was stopped before it was decided";

/** Runs one check to its end and judges it: one result for each requirement it covers. Never rejects. */
export async function runCheck(
  check: Check,
  session: Session,
  { timeBudgetMs, signal, onStarted }: CheckRunOptions,
): Promise<readonly CheckResult[]> {
  const reasons = check.covers.map((id) => whyNotTried(check, id, { session, timeBudgetMs }));
  const leftOut = (at: number, id: RequirementId): CheckResult | undefined => {
    const reason = reasons[at];
    return reason === undefined ? undefined : skipped(check, id, { reason, terms: session.terms });
  };
  if (!reasons.includes(undefined)) return check.covers.flatMap((id, at) => leftOut(at, id) ?? []);

  const ending = await perform(check, session, { signal, onStarted });
  if (ending === undefined) return check.covers.map((id) => notRun(check, id, stoppedReason));
  return check.covers.map((id, at) => leftOut(at, id) ?? judged(check, id, ending, session));
}

/** What a target has said may still be of a kind that nobody has thought of. */
function judged(check: Check, id: RequirementId, ending: Ending, session: Session): CheckResult {
  try {
    return judge(check, id, ending, session);
  } catch (error) {
    const harnessError = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const reason = `the harness broke: ${String(error)}`;
    return { ...notRun(check, id, reason), verdict: "inconclusive", harnessError };
  }
}

/** The ending of a check, or `undefined` where it was stopped before its turn came. */
async function perform(
  check: Check,
  session: Session,
  { signal, onStarted }: Pick<CheckRunOptions, "signal" | "onStarted">,
): Promise<Ending | undefined> {
  const leash = session.leash(realTimeOf(check), signal);
  const guest = session.guest(check, realTimeOf(check), leash.signal);
  let startedAtMs = performance.now();
  const recorder = new Recorder(new Redactor(session.redactor), session.terms);
  const endpoints: TestEndpoint[] = [];
  const open = async (options = check.endpoint ?? {}): Promise<TestEndpoint> => {
    const endpoint = await session.endpoint(options, {
      redactor: recorder.redactor,
      onExchange: (exchange) => {
        recorder.did({ kind: "exchange", exchange });
        session.history.observe(exchange, (seen) =>
          evidenceOf(seen, recorder.redactor, session.startedAtMs),
        );
      },
      onControl: (call) => {
        recorder.did({ kind: "control", call });
      },
      onEndpoint: (endpointId) => {
        recorder.did({ kind: "endpoint", endpointId });
      },
      guest,
      insists: check.insists === true,
      leash,
    });
    endpoints.push(endpoint);
    recorder.endpoints.set(endpoint.id, endpoint.time.log);
    return endpoint;
  };

  let hasStarted = false;
  const stopped = await endOf(async () => {
    await guest.enter();
    hasStarted = true;
    startedAtMs = performance.now();
    onStarted?.();
    const endpoint = await open();
    await check.run(toolsFor(check, { session, endpoint, recorder, open }));
  });
  const deeds = [...recorder.deeds];
  // A target that refuses whatever it is asked would pass every check of a refusal.
  if (!session.hasAccepted) await endpoints[0]?.api.health();
  const released = await endOf(async () => {
    await Promise.all(endpoints.map(async (endpoint) => endpoint.release()));
  });
  guest.leave();
  const { reason } = leash;
  leash.end();
  if (!hasStarted && signal?.aborted === true) return undefined;
  const durationMs = performance.now() - startedAtMs;
  const pulled = reason === undefined ? {} : { undecided: reason };
  return {
    recorder,
    deeds,
    durationMs,
    delayMs: guest.delayMs,
    ...released,
    ...stopped,
    ...pulled,
  };
}

/** Runs a task and sorts what it throws into "cannot know" and "the harness broke". */
async function endOf(
  task: () => Promise<void>,
): Promise<Pick<Ending, "undecided" | "lacking" | "broke">> {
  try {
    await task();
    return {};
  } catch (error) {
    if (error instanceof Stopped) return {};
    if (error instanceof Lacking) return { lacking: error.message };
    if (error instanceof Undecided || error instanceof ControlError) {
      return { undecided: error.message };
    }
    if (error instanceof Error && error.name === "AbortError") {
      return { undecided: stoppedReason };
    }
    return { broke: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

interface Workshop {
  readonly session: Session;
  readonly endpoint: TestEndpoint;
  readonly recorder: Recorder;
  readonly open: (options?: Check["endpoint"]) => Promise<TestEndpoint>;
}

function toolsFor(check: Check, { session, endpoint, recorder, open }: Workshop): Tools {
  return {
    api: endpoint.api,
    time: endpoint.time,
    workers: endpoint.workers,
    endpoint,
    expect: new Expectations(check.covers[0], recorder.findings),
    offers: (capability) => session.offers(capability),
    lacks: (operation) => session.terms.obstacle(operation) !== undefined,
    anotherEndpoint: async (options) => open(options ?? {}),
    receiver: async () =>
      (await session.receiver()).hooks((hook) => {
        recorder.hooks.push(hook);
      }),
    history: session.history,
    recorder,
    leaksIn: (text) => recorder.redactor.leaksIn(text),
    random: seededRandom(session.seed, check.name),
  };
}

function inWords(ms: number): string {
  return ms % 60_000 === 0 ? `${String(ms / 60_000)} min` : `${String(ms / 1000)} s`;
}
