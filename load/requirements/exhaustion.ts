import { Inconclusive } from "../../harness/outcome.ts";
import type { OperationName, Tier } from "../../openapi/index.ts";
import type { Fit, Identification } from "../limiters/fit.ts";
import { requestsOfStep } from "../limiters/burst-plan.ts";
import { traceSteps } from "../limiters/trace.ts";
import { identifiedBy, identifyTrace } from "./identified.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { probeIsolation } from "./probe-isolation.ts";
import type { Isolation } from "./probe-isolation.ts";
import { isOffered, oncePer } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { tiers, windowMs } from "../../openapi/index.ts";
import type { Tally } from "./tally.ts";
import { LimitTrace } from "./trace.ts";

/** What one exhausted operation showed; requirements of several kinds are judged by it. */
export interface Exhaustion {
  /** All its requests. */
  readonly trace: LimitTrace;
  /** The first burst over the limit, in as many parts as it took until one was refused. */
  readonly burst: readonly Tally[];
  /** How long that took, on the endpoint's clock. */
  readonly burstMs: number;
  readonly identification: Identification;
  /** One request of every other operation while this one was exhausted. */
  readonly others: ReadonlyMap<OperationName, Tally>;
  /** Whether it refused a request before and after each of those. */
  readonly isRefusingAmongOthers: boolean;
  /** One of the same operation on another endpoint meanwhile; absent where there is none. */
  readonly elsewhere: Tally | undefined;
  /** Requests after two windows of silence: over the limit, or two where nothing limits. */
  readonly afterSilence: readonly Tally[];
}

const recorded = oncePer(record);

/** Operations on a real clock begin so far apart that their bursts are 0.4 s from each other or more. */
const staggerMs = 1_500;

/** What the checks of a run will look at, for those that can be recorded side by side. */
const wanted = new WeakMap<LoadSession, ReadonlySet<OperationName>>();

/** Tells which operations the checks of this run will ask about. */
export function expectTraces(session: LoadSession, traced: readonly Tier[]): void {
  wanted.set(session, new Set(traced.map(({ operation }) => operation)));
}

/**
 * Exhausts an operation and identifies its limiter, once for all checks that look at it. On a real
 * clock, where each has an endpoint of its own, all that the run will ask about are recorded at once.
 */
export async function exhaustLimit(session: LoadSession, tier: Tier): Promise<Exhaustion> {
  const isSideBySide = session.makesEndpoints && !session.offers("clock");
  if (isSideBySide) await startAll(session, undefined);
  return recorded(session, tier);
}

const identified = new WeakMap<LoadSession, Map<OperationName, Fit>>();

/** The limiter of an operation, where a check has looked at it before. */
export function identifiedOf(session: LoadSession, { operation }: Tier): Fit | undefined {
  return identified.get(session)?.get(operation);
}

const startAll = oncePer((session: LoadSession, _once: undefined): Promise<void> => {
  const operations = wanted.get(session) ?? new Set();
  const asked = tiers
    .filter((tier) => operations.has(tier.operation) && isOffered(session, tier))
    .toSorted((one, other) => one.limit - other.limit);
  asked.forEach((tier, at) => {
    // Whoever asks for it sees what went wrong; until then nobody does.
    const start = (): void => void recorded(session, tier).catch(() => undefined);
    setTimeout(start, at * staggerMs);
  });
  return new Promise((resolve) => setTimeout(resolve, asked.length * staggerMs));
});

async function record(session: LoadSession, tier: Tier): Promise<Exhaustion> {
  const { limit } = tier;
  const endpoint = await prepareEndpoint(session, tier);
  const trace = new LimitTrace(endpoint, tier);
  let first: FirstBurst | undefined;
  let last: readonly Tally[] = [];
  for (const step of traceSteps(limit, windowMs)) {
    const parts = await trace.step(step);
    last = parts;
    if (step.growsBy === undefined || first !== undefined) continue;
    const burstMs = trace.lengthOf(parts);
    first = { burst: parts, burstMs, ...(await probeIsolation(session, endpoint, trace)) };
    // Nothing limits it, or it is closed altogether: what follows would show nothing.
    const isClosed = trace.tallies.every(({ accepted }) => accepted === 0);
    if (isClosed || parts.every(({ shots, accepted }) => accepted === shots.length)) break;
  }
  if (first === undefined) throw new Error("a trace has a burst");
  const afterSilence = trace.isComplete ? last : await twoAfterSilence(trace, endpoint);
  demandJobs(trace);
  const identification = await identifiedBy(trace, () => identifyTrace(trace));
  const ofStand = identified.get(session) ?? new Map<OperationName, Fit>();
  identified.set(session, ofStand.set(tier.operation, identification.best));
  const others = await first.others;
  return { trace, ...first, others, identification, afterSilence };
}

/** What a cancel of a job that is no longer there may answer: it says nothing of a limit. */
const answersOfEndedJobs = new Set([400, 404, 409, 410]);

function demandJobs({ tier, shots }: LimitTrace): void {
  if (tier.operation !== "cancel") return;
  const gone = shots.find(({ answer }) => answersOfEndedJobs.has(answer?.status ?? 0));
  if (gone === undefined) return;
  throw new Inconclusive(
    `the jobs to cancel had ended before their turn: one was answered ${String(gone.answer?.status)}`,
  );
}

type FirstBurst = Pick<Exhaustion, "burst" | "burstMs"> & Isolation;

/** An endpoint whose limit is free, with what the requests of a trace need. */
export async function prepareEndpoint(session: LoadSession, tier: Tier): Promise<LoadEndpoint> {
  const { operation } = tier;
  const endpoint = await session.endpoint(roomy);
  if (operation === "status" || operation === "stream") await endpoint.readyJob();
  if (operation === "cancel") {
    await endpoint.rest("run");
    await endpoint.stock(requestsOfTrace(tier));
  }
  // Once run is exhausted nobody can make the jobs that the other operations read and cancel.
  if (operation === "run") {
    await endpoint.stock(1);
    await endpoint.readyJob();
  }
  await endpoint.rest(operation);
  return endpoint;
}

async function twoAfterSilence(
  trace: LimitTrace,
  endpoint: LoadEndpoint,
): Promise<readonly Tally[]> {
  const { operation } = trace.tier;
  await endpoint.rest(operation);
  return [await endpoint.send(operation, 2, 1)];
}

/** How many requests a trace has, those of growing bursts, of a look around and of a burst that has to be sent again included. */
export function requestsOfTrace({ limit }: Tier): number {
  const steps = traceSteps(limit, windowMs);
  const sent = steps.reduce((sum, step) => sum + requestsOfStep(step), 0);
  const last = steps.at(-1);
  const once = last === undefined ? 0 : requestsOfStep(last);
  return sent + once + tiers.length + 3;
}

/** How long the trace of an operation takes on a real clock, with the silence before it. */
export function traceMs({ limit }: Pick<Tier, "limit"> = lowestTier): number {
  const lastMs = Math.max(...traceSteps(limit, windowMs).map(({ atMs }) => atMs));
  return lastMs + 2 * windowMs;
}

/** The one whose trace is the longest. */
const lowestTier = { limit: 2 } as const;

/** Enough workers that a runsync job finds one free beside all that wait to be cancelled. */
export const roomy = { workers: 1_000 } as const;
