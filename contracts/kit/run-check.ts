import { ControlError, Redactor } from "../../client/index.ts";
import type { Exchange } from "../../client/index.ts";
import { needsOf, realTimeOf } from "./check.ts";
import type { Check } from "./check.ts";
import type { TestEndpoint } from "./endpoint.ts";
import { evidenceOf } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { Expectations } from "./expect.ts";
import type { Findings } from "./expect.ts";
import { Stopped, Undecided } from "./outcome.ts";
import { judge, notRun } from "./judge.ts";
import type { CheckResult, Ending } from "./judge.ts";
import { seededRandom } from "./random.ts";
import type { Session } from "./session.ts";
import type { Tools } from "./tools.ts";

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
  const testimony: Evidence[] = [];
  const witness = (exchange: Exchange): Evidence =>
    evidenceOf(exchange, redactor, session.startedAtMs);
  const onExchange = (exchange: Exchange): void => {
    exchanges.push(exchange);
    session.history.observe(exchange, witness);
  };
  const { exclusive } = check;
  const open = async (options = check.endpoint ?? {}): Promise<TestEndpoint> => {
    const endpoint = await session.endpoint(options, { redactor, onExchange, exclusive, signal });
    endpoints.push(endpoint);
    return endpoint;
  };

  const testify = testimony.push.bind(testimony);
  const stopped = await endOf(async () => {
    const endpoint = await open();
    await check.run(toolsFor(check, { session, endpoint, findings, redactor, testify, open }));
  });
  const released = await endOf(async () => {
    await Promise.all(endpoints.map(async (endpoint) => endpoint.release()));
  });
  const durationMs = performance.now() - startedAtMs;
  return { findings, exchanges, testimony, redactor, durationMs, ...released, ...stopped };
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
  readonly testify: (evidence: Evidence) => void;
  readonly open: (options?: Check["endpoint"]) => Promise<TestEndpoint>;
}

function toolsFor(
  check: Check,
  { session, endpoint, findings, redactor, testify, open }: Workshop,
): Tools {
  return {
    api: endpoint.api,
    time: endpoint.time,
    workers: endpoint.workers,
    endpoint,
    expect: new Expectations(check.covers[0], findings),
    offers: (capability) => session.offers(capability),
    anotherEndpoint: async (options) => open(options ?? {}),
    receiver: async () => session.receiver(),
    history: session.history,
    testify,
    leaksIn: (text) => redactor.leaksIn(text),
    random: seededRandom(session.seed, check.name),
  };
}

function inSeconds(ms: number): string {
  return ms % 60_000 === 0 ? `${String(ms / 60_000)} min` : `${String(ms / 1000)} s`;
}
