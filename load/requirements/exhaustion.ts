import { Inconclusive } from "../../harness/outcome.ts";
import type { OperationName, Tier } from "../../openapi/operations.ts";
import type { Identification } from "../limiters/identify.ts";
import { requestsOfStep } from "../limiters/burst-plan.ts";
import { traceLengthMs, traceSteps } from "../limiters/trace.ts";
import type { TraceStep } from "../limiters/trace.ts";
import { identifyWithExtraBurst, identifyTrace } from "./identify-trace.ts";
import { identifiedEarly, noteIdentified } from "./identified-early.ts";
import { countNewJobs, countsJobs } from "./job-count.ts";
import type { CreatedJobs } from "./job-count.ts";
import { recordSideBySide, staggerMs } from "./side-by-side.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { tryOtherForms } from "./other-forms.ts";
import type { TriedForm } from "./other-forms.ts";
import { probeIsolation } from "./probe-isolation.ts";
import type { Isolation } from "./probe-isolation.ts";
import { isOffered, manyWorkers, memoizedPerSession } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { isOfEndedJob, tiers, windowMs } from "../../openapi/operations.ts";
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
  /** How many jobs the burst made, where the operation makes jobs and all checks share the endpoint. */
  readonly created: CreatedJobs | undefined;
  readonly identification: Identification;
  /** One request of every other operation while this one was exhausted. */
  readonly others: ReadonlyMap<OperationName, Tally>;
  /** Whether it refused a request before and after each of those. */
  readonly isRefusingAmongOthers: boolean;
  /** One request of the same operation on another endpoint meanwhile; undefined where there is no other. */
  readonly elsewhere: Tally | undefined;
  /** Requests after two windows of silence: a burst, or two if the first burst told all; none if identified early. */
  readonly afterSilence: readonly Tally[];
  /** Requests in other forms once the limit was used up; none where time goes on meanwhile. */
  readonly otherForms: readonly TriedForm[];
}

const recorded = memoizedPerSession(record);

/** The operations that the checks of a run will ask about: those that can be are recorded side by side. */
const wanted = new WeakMap<LoadSession, ReadonlySet<OperationName>>();

/** Tells which operations the checks of this run will ask about. */
export function expectTraces(session: LoadSession, traced: readonly Tier[]): void {
  wanted.set(session, new Set(traced.map(({ operation }) => operation)));
}

/**
 * Exhausts an operation and identifies its limiter, once for all checks that look at it. On a real clock, where each
 * operation has an endpoint of its own, all operations that the run will ask about are recorded at once.
 */
export async function exhaustLimit(session: LoadSession, tier: Tier): Promise<Exhaustion> {
  if (!session.makesEndpoints) {
    const together = await sideBySide(session, undefined);
    return together.get(tier.operation) ?? recorded(session, tier);
  }
  if (!session.offers("clock")) await startAll(session, undefined);
  return recorded(session, tier);
}

/** Records the operations that can share one endpoint; empty where they turn out to share a limit. */
const sideBySide = memoizedPerSession((session: LoadSession, _once: undefined) =>
  recordSideBySide(session, wantedOf(session), record),
);

/** Whether the checks of this run will ask about an operation. */
export function isTraced(session: LoadSession, { operation }: Tier): boolean {
  return wanted.get(session)?.has(operation) ?? false;
}

/** The operations that the checks of this run will ask about. */
function wantedOf(session: LoadSession): readonly Tier[] {
  const operations = wanted.get(session) ?? new Set();
  return tiers.filter((tier) => operations.has(tier.operation) && isOffered(session, tier));
}

const startAll = memoizedPerSession((session: LoadSession, _once: undefined): Promise<void> => {
  const asked = wantedOf(session).toSorted((one, other) => one.limit - other.limit);
  asked.forEach((tier, at) => {
    // Whoever asks for this record later gets the error.
    const start = (): void => void recorded(session, tier).catch(() => undefined);
    setTimeout(start, at * staggerMs);
  });
  return new Promise((resolve) => setTimeout(resolve, asked.length * staggerMs));
});

async function record(session: LoadSession, tier: Tier): Promise<Exhaustion> {
  const endpoint = await prepareEndpoint(session, tier);
  const trace = new LimitTrace(endpoint, tier);
  const { first, last, early } = await sendSteps(session, endpoint, trace);
  const afterSilence = await burstAfter(trace, endpoint, { last, early });
  requireUnfinishedJobs(trace);
  const identification = early ?? (await identifyWithExtraBurst(trace, () => identifyTrace(trace)));
  trace.end();
  const isStill = trace.isVirtual && trace.isComplete;
  const otherForms = isStill ? await tryOtherForms(endpoint, tier.operation) : [];
  noteIdentified(session, endpoint, { tier, identification });
  const others = await first.others;
  return { trace, ...first, others, identification, afterSilence, otherForms };
}

interface SentSteps {
  readonly first: FirstBurst;
  readonly last: readonly Tally[];
  readonly early: Identification | undefined;
}

/** Sends the steps of a trace, except those that would show nothing more. */
async function sendSteps(
  session: LoadSession,
  endpoint: LoadEndpoint,
  trace: LimitTrace,
): Promise<SentSteps> {
  let first: FirstBurst | undefined;
  let last: readonly Tally[] = [];
  const steps = traceSteps(trace.tier.limit, windowMs);
  for (const step of steps) {
    if (first === undefined && step.growsBy !== undefined) {
      first = await sendFirstBurst(session, endpoint, { trace, step });
      last = first.burst;
      if (showsNothingMore(trace, first.burst)) break;
      continue;
    }
    const early = first && identifiedEarly(session, trace, step);
    if (first !== undefined && early !== undefined) return { first, last, early };
    // Earlier steps may have been late, and the last burst needs its full silence all the same.
    if (step === steps.at(-1)) await endpoint.waitUntilRested(trace.tier.operation);
    last = await trace.step(step);
  }
  if (first === undefined) throw new Error("a trace has a burst");
  return { first, last, early: undefined };
}

/** Whether nothing limits the operation, or it refuses everything. */
function showsNothingMore({ tallies }: LimitTrace, burst: readonly Tally[]): boolean {
  const isClosed = tallies.every(({ accepted }) => accepted === 0);
  return isClosed || burst.every(({ exchanges, accepted }) => accepted === exchanges.length);
}

async function sendFirstBurst(
  session: LoadSession,
  endpoint: LoadEndpoint,
  { trace, step }: { readonly trace: LimitTrace; readonly step: TraceStep },
): Promise<FirstBurst> {
  const countedJobs = countsJobs(endpoint, trace.tier) ? await countNewJobs(endpoint) : undefined;
  const burst = await trace.step(step);
  const burstMs = trace.lengthOf(burst);
  const created = await countedJobs?.();
  return { burst, burstMs, created, ...(await probeIsolation(session, endpoint, trace)) };
}

/** The answers after the silence; none where the limiter was identified early. */
async function burstAfter(
  trace: LimitTrace,
  endpoint: LoadEndpoint,
  { last, early }: { readonly last: readonly Tally[]; readonly early: Identification | undefined },
): Promise<readonly Tally[]> {
  if (early !== undefined) return [];
  if (trace.isComplete) return last;
  const { operation } = trace.tier;
  await endpoint.waitUntilRested(operation);
  return [await endpoint.send(operation, 2, 1)];
}

/** @throws Inconclusive where the jobs of a cancel had ended, so that its answers tell nothing of a limit */
function requireUnfinishedJobs({ tier, exchanges }: LimitTrace): void {
  if (tier.operation !== "cancel") return;
  const gone = exchanges.find(({ answer }) => isOfEndedJob(answer?.status ?? 0));
  if (gone === undefined) return;
  throw new Inconclusive(
    `the jobs to cancel had ended before their turn: one was answered ${gone.answer?.status}`,
  );
}

type FirstBurst = Pick<Exhaustion, "burst" | "burstMs" | "created"> & Isolation;

/** More than any kind of limiter accepts of a trace, as a multiple of the limit. */
const acceptedShare = 4.4;

/** An endpoint whose limit is free, with what the requests of a trace need. */
export async function prepareEndpoint(session: LoadSession, tier: Tier): Promise<LoadEndpoint> {
  const { operation } = tier;
  const endpoint = await session.endpoint(manyWorkers);
  if (operation === "status" || operation === "stream") await endpoint.ensureJobToRead();
  if (operation === "cancel") {
    await endpoint.waitUntilRested("run");
    // A job whose cancel is refused serves the next one; missing jobs are made on the way.
    const share = session.makesEndpoints ? requestsOfTrace(tier) : acceptedShare * tier.limit;
    await endpoint.ensureJobsToCancel(Math.ceil(share));
  }
  // Once run is exhausted nobody can make the jobs that the other operations read and cancel.
  if (operation === "run") {
    if (session.makesEndpoints) await endpoint.ensureJobsToCancel(1);
    await endpoint.ensureJobToRead();
  }
  await endpoint.waitUntilRested(operation);
  return endpoint;
}

/** The most requests of a trace, with bursts grown in full, a try of each operation and one burst that is repeated. */
export function requestsOfTrace({ limit }: Tier): number {
  const steps = traceSteps(limit, windowMs);
  const sent = steps.reduce((sum, step) => sum + requestsOfStep(step), 0);
  const last = steps.at(-1);
  const once = last === undefined ? 0 : requestsOfStep(last);
  return sent + once + tiers.length + 3;
}

/** The usual number of requests of a trace: bursts find a refusal at once, and none is repeated. */
export function requestsSent({ limit }: Tier): number {
  const steps = traceSteps(limit, windowMs);
  return (
    steps.reduce((sum, step) => sum + requestsOfStep({ ...step, growsBy: 0 }), 0) + tiers.length
  );
}

/** How long the trace of an operation takes on a real clock, with the silence before it. */
export function traceMs({ limit }: Pick<Tier, "limit"> = lowestTier): number {
  return traceLengthMs(limit, windowMs) + 2 * windowMs;
}

/** A limit whose trace is the longest. */
const lowestTier = { limit: 2 } as const;
