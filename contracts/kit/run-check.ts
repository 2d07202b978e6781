import { ControlError, Redactor } from "../../client/index.ts";
import type { Exchange } from "../../client/index.ts";
import type { RequirementId } from "../../openapi/index.ts";
import { needsOf, realTimeOf } from "./check.ts";
import type { Check } from "./check.ts";
import type { TestEndpoint } from "./endpoint.ts";
import { evidenceOf } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { Expectations } from "./expect.ts";
import type { Findings, Mismatch, Reading } from "./expect.ts";
import { Stopped, Undecided } from "./outcome.ts";
import type { Verdict } from "./outcome.ts";
import { seededRandom } from "./random.ts";
import type { Session } from "./session.ts";
import type { Tools } from "./tools.ts";

/** What one check says of one requirement. A check that covers two gives two results. */
export interface CheckResult {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly reason?: string;
  readonly readings: readonly Reading[];
  readonly mismatches: readonly Mismatch[];
  readonly evidence: readonly Evidence[];
  /** The harness itself broke: the run as a whole cannot be trusted. */
  readonly harnessError?: string;
}

/** How a check's function ended, before anything is judged. */
interface Ending {
  readonly findings: Findings;
  readonly exchanges: readonly Exchange[];
  readonly redactor: Redactor;
  readonly durationMs: number;
  /** Why it ended early without a verdict. */
  readonly undecided?: string;
  readonly broke?: string;
}

/** More would only repeat themselves; the last ones are those that matter. */
const evidenceMax = 60;

/** Why a check is not tried on this target, or `undefined` when it is. */
export function obstacleOf(
  check: Check,
  session: Session,
  timeBudgetMs: number,
): string | undefined {
  const missing = needsOf(check).filter((need) => !session.offers(need));
  if (missing.length > 0) return `the target does not offer ${missing.join(", ")}`;

  const onRealClock = !(session.isolated && session.offers("clock"));
  const realTimeMs = realTimeOf(check);
  if (!onRealClock || realTimeMs <= timeBudgetMs) return undefined;
  return `takes ${inSeconds(realTimeMs)} on a real clock; the time budget is ${inSeconds(timeBudgetMs)}`;
}

/** Runs one check to its end and judges it: one result for each requirement it covers. Never rejects. */
export async function runCheck(
  check: Check,
  session: Session,
  { timeBudgetMs, signal }: { timeBudgetMs: number; signal?: AbortSignal },
): Promise<CheckResult[]> {
  const obstacle = obstacleOf(check, session, timeBudgetMs);
  if (obstacle !== undefined) return check.covers.map((id) => notRun(check, id, obstacle));

  const turns = session.isolated ? session.places.run.bind(session.places) : inTurn(session);
  const ending = await turns(async () => perform(check, session, signal));
  return check.covers.map((id) => judge(check, id, ending, session));
}

/** A result for a check that was not tried. */
export function notRun(check: Check, requirement: RequirementId, reason: string): CheckResult {
  const { name, title } = check;
  const nothing = { durationMs: 0, readings: [], mismatches: [], evidence: [] };
  return { name, title, covers: [requirement], verdict: "not-run", reason, ...nothing };
}

function inTurn(session: Session) {
  return async <T>(task: () => Promise<T>): Promise<T> => {
    await session.turn.take();
    try {
      return await task();
    } finally {
      session.turn.release();
    }
  };
}

async function perform(check: Check, session: Session, signal?: AbortSignal): Promise<Ending> {
  const startedAtMs = performance.now();
  const findings: Findings = { comparisons: new Map(), mismatches: [], readings: [] };
  const exchanges: Exchange[] = [];
  const endpoints: TestEndpoint[] = [];
  const redactor = new Redactor(session.redactor);
  const onExchange = (exchange: Exchange): void => {
    exchanges.push(exchange);
  };
  const { exclusive } = check;
  const open = async (options = check.endpoint ?? {}): Promise<TestEndpoint> => {
    const endpoint = await session.endpoint(options, { redactor, onExchange, exclusive, signal });
    endpoints.push(endpoint);
    return endpoint;
  };

  const stopped = await endOf(async () => {
    const endpoint = await open();
    await check.run(toolsFor(check, { session, endpoint, findings, redactor, open }));
  });
  const released = await endOf(async () => {
    await Promise.all(endpoints.map(async (endpoint) => endpoint.release()));
  });
  const durationMs = performance.now() - startedAtMs;
  return { findings, exchanges, redactor, durationMs, ...released, ...stopped };
}

/** Runs a task and sorts what it throws into "cannot know" and "the harness broke". */
async function endOf(task: () => Promise<void>): Promise<Pick<Ending, "undecided" | "broke">> {
  try {
    await task();
    return {};
  } catch (error) {
    if (error instanceof Stopped) return {};
    if (error instanceof Undecided || error instanceof ControlError) {
      return { undecided: error.message };
    }
    if (error instanceof Error && error.name === "AbortError") {
      return { undecided: "the run was stopped before it was decided" };
    }
    return { broke: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

interface Workshop {
  readonly session: Session;
  readonly endpoint: TestEndpoint;
  readonly findings: Findings;
  readonly redactor: Redactor;
  readonly open: (options?: Check["endpoint"]) => Promise<TestEndpoint>;
}

function toolsFor(check: Check, { session, endpoint, findings, redactor, open }: Workshop): Tools {
  return {
    api: endpoint.api,
    time: endpoint.time,
    workers: endpoint.workers,
    endpoint,
    expect: new Expectations(check.covers[0], findings),
    offers: (capability) => session.offers(capability),
    anotherEndpoint: async (options) => open(options ?? {}),
    receiver: async () => session.receiver(),
    leaksIn: (text) => redactor.leaksIn(text),
    random: seededRandom(session.seed, check.name),
  };
}

/** The verdict of an ending on one requirement. */
function judge(
  check: Check,
  requirement: RequirementId,
  ending: Ending,
  session: Session,
): CheckResult {
  const { findings, durationMs, redactor } = ending;
  const redact = (text: string): string => redactor.redact(text);
  const mismatches = findings.mismatches
    .filter((mismatch) => mismatch.requirement === requirement)
    .map(({ at, expected, got }) => ({
      requirement,
      at,
      expected: redact(expected),
      got: redact(got),
    }));
  const { verdict, reason, harnessError } = verdictOf(requirement, mismatches, ending);
  const told = verdict === "pass" ? [] : ending.exchanges.slice(-evidenceMax);
  return {
    name: check.name,
    title: check.title,
    covers: [requirement],
    verdict,
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(reason === undefined ? {} : { reason: redact(reason) }),
    readings: findings.readings.filter((reading) => reading.requirement === requirement),
    mismatches,
    evidence: told.map((exchange) => evidenceOf(exchange, redactor, session.startedAtMs)),
    ...(harnessError === undefined ? {} : { harnessError: redact(harnessError) }),
  };
}

type Judgement = Pick<CheckResult, "verdict" | "reason" | "harnessError">;

function verdictOf(
  requirement: RequirementId,
  mismatches: readonly Mismatch[],
  { findings, undecided, broke }: Ending,
): Judgement {
  if (broke !== undefined) {
    return { verdict: "inconclusive", reason: `the harness broke: ${broke}`, harnessError: broke };
  }
  if (mismatches.length > 0)
    return { verdict: "fail", reason: mismatches.map(describe).join("; ") };
  if (undecided !== undefined) return { verdict: "inconclusive", reason: undecided };
  if ((findings.comparisons.get(requirement) ?? 0) > 0) return { verdict: "pass" };

  const [first] = findings.mismatches;
  if (first !== undefined) {
    return { verdict: "inconclusive", reason: `not reached: ${first.requirement} failed before` };
  }
  const harnessError = `the check compared nothing of ${requirement}`;
  return { verdict: "inconclusive", reason: harnessError, harnessError };
}

function describe({ at, expected, got }: Mismatch): string {
  return `${at}: expected ${expected}, got ${got}`;
}

function inSeconds(ms: number): string {
  return ms % 60_000 === 0 ? `${String(ms / 60_000)} min` : `${String(ms / 1000)} s`;
}
