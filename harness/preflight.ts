import { isDeepStrictEqual } from "node:util";

import { Redactor } from "../client/redactor.ts";
import { learnKeptWorkers } from "./discovery/kept-workers.ts";
import type { TestEndpoint } from "./endpoint/test-endpoint.ts";
import { monotonicNowMs } from "../client/exchange.ts";
import { Inconclusive } from "./outcome.ts";
import { isFinal, readRecord } from "./record.ts";
import type { Session } from "./session.ts";
import { bodyOf } from "../client/parsed-body.ts";
import type { Exchange } from "../client/exchange.ts";
import type { JobKind } from "../openapi/capabilities.ts";
import type { Discovery, Learning } from "./discovery/discovery.ts";
import { oneJobId } from "./discovery/one-job.ts";
import { acceptedJobUnknown } from "./discovery/submission.ts";
import { endpointIdsOf } from "./endpoint/shared-endpoints.ts";
import { inBatches } from "./jobs/in-batches.ts";
import type { OwnJob } from "./inputs/jobs-file.ts";
import { jobsByKind } from "./inputs/own-jobs.ts";
import type { OwnJobs } from "./inputs/own-jobs.ts";
import type { Interval } from "./interval.ts";
import type { LooseRecord } from "./record.ts";
import { brief, show } from "./show.ts";

/** What is done with an endpoint before any check. */
export interface BeforeChecks {
  /** The number of the endpoint. */
  readonly at: number;
  /** How long it takes on a real clock, at most, in milliseconds. */
  readonly forMs: number;
  readonly stop: AbortSignal | undefined;
}

/** Acts on an endpoint that nobody else uses meanwhile. What is exchanged is evidence of no check. */
export async function onEndpoint<T>(
  session: Session,
  { at, forMs, stop }: BeforeChecks,
  act: (endpoint: TestEndpoint, redactor: Redactor) => Promise<T>,
): Promise<T> {
  const budget = session.budgetFor(forMs, stop);
  const header = { name: "preflight", exclusive: true, endpointNumber: at };
  const lease = session.leaseFor(header, { isLong: false, checkMs: 0 }, budget.signal);
  const redactor = new Redactor(session.redactor);
  const learns = !session.virtual && session.target.discovers !== false;
  try {
    await lease.acquire();
    const endpoint = await session.endpoint(
      {},
      {
        redactor,
        onExchange: (exchange) => {
          if (learns) learnKeptWorkers(session.discovery, exchange);
        },
        onControl: ignored,
        onEndpoint: ignored,
        check: "preflight",
        checkMs: 0,
        lease,
        insists: false,
        budget,
      },
    );
    const result = await act(endpoint, redactor);
    await endpoint.release();
    return result;
  } catch (error) {
    throw budget.reason === undefined ? error : new Inconclusive(budget.reason);
  } finally {
    lease.release();
    budget.end();
  }
}

function ignored(): void {
  return undefined;
}

/** A worker that takes a minute to start is waited for: this, and what any job is that has not begun, in milliseconds. */
const startMsMax = 40_000;
/** How much longer a wait for a job may take than it was asked to, in milliseconds. */
const slackMs = 30_000;

/**
 * Runs one quick job, so that a worker which has to start first has done so before anything is judged, and so that it is
 * known how long that takes.
 * @param withinMs how long anything may take that is done, in milliseconds
 */
export async function startWorker(
  session: Session,
  withinMs: number,
  stop: AbortSignal | undefined,
): Promise<void> {
  const beganMs = monotonicNowMs();
  const waitMs = Math.min(startMsMax, withinMs);
  const before: BeforeChecks = { at: 0, forMs: waitMs + slackMs, stop };
  try {
    await onEndpoint(session, before, async ({ api, time, jobs }) => {
      const submitted = readRecord(await api.run({ input: jobs.quick("the first") }));
      if (!submitted.ok) return;
      const { id } = submitted.body;
      await time.until(
        async () => readRecord(await api.status(id)),
        (read) => !read.ok || isFinal(read.body),
        waitMs,
      );
    });
  } finally {
    session.bound.passedLate(monotonicNowMs() - beganMs);
  }
}

/** What was seen of one job. */
interface Seen {
  readonly record: LooseRecord;
  /** The longest that it can have worked, and the shortest. */
  readonly workedAtMostMs: number;
  readonly workedAtLeastMs: number;
  /** How long it worked, as far as that was seen. */
  readonly workedMs: number;
  /** How many chunks its stream or its output shows. */
  readonly chunks: number;
}

type Row = readonly [JobKind, OwnJob];

const shownCharactersMax = 300;

/** A jobs file, and the kinds in it that are needed. */
export interface NeededJobs {
  readonly jobs: OwnJobs;
  readonly kinds: ReadonlySet<JobKind>;
}

/**
 * Runs each job of these kinds once on each endpoint, before any check, and notes how long the quick and the slow one
 * worked. A kind that does not do what the file says counts as not offered, and that is learned.
 */
export async function tryJobs(
  session: Session,
  needed: NeededJobs,
  stop: AbortSignal | undefined,
): Promise<void> {
  const ids = endpointIdsOf(session.target);
  const untrue = await Promise.all(
    (ids.length > 1 ? ids : [undefined]).map(async (id, at) => {
      const told = await tryJobsAt(session, needed, { at, stop });
      const where = id === undefined ? "" : `at endpoint ${id} `;
      return { where, told };
    }),
  );
  for (const { where, told } of untrue) {
    for (const each of told) {
      learnUntrue(session.discovery, { ...each, text: where + each.text });
    }
  }
}

/** What a job does differently from what the file says. */
interface Untrue {
  readonly kind: JobKind;
  readonly text: string;
  /** The one that shows it. */
  readonly exchange: Exchange;
}

function learnUntrue(discovery: Discovery, { kind, text, exchange }: Untrue): void {
  const { operation, answer } = exchange;
  // A target that does not know the job that it has just accepted is at fault, and not the file.
  const isUnknown = operation === "status" && answer?.status === 404;
  const learning: Learning = isUnknown
    ? acceptedJobUnknown(exchange)
    : {
        id: `jobs-${kind}`,
        topic: "jobs",
        text: `the jobs file is not true of its ${kind} job: ${text}`,
        adapted: `what needs a ${kind} job is not run`,
        seen: [exchange],
      };
  discovery.learn(learning);
  discovery.kindsTakenAway.set(kind, learning.id);
}

/** Returns what the jobs do differently, at the endpoint of this number, from what the file says. */
async function tryJobsAt(
  session: Session,
  { jobs, kinds }: NeededJobs,
  { at, stop }: { readonly at: number; readonly stop: AbortSignal | undefined },
): Promise<readonly Untrue[]> {
  // A job of known output may stand in for a quick one.
  const isNeeded = (kind: JobKind): boolean =>
    kinds.has(kind) || (kind === "known" && kinds.has("quick"));
  const rows = jobsByKind(jobs.kinds).filter(([kind]) => isNeeded(kind));
  return onEndpoint(session, { at, forMs: jobs.graceMs, stop }, async (endpoint, redactor) => {
    // Side by side, unless each moves the clock, or the target takes one at a time.
    const isInTurn = endpoint.time.virtual || session.discovery.knows(oneJobId);
    const size = isInTurn ? 1 : rows.length;
    const untrue = await inBatches(rows, async (row) => untruthOf(endpoint, row, jobs), size);
    return untrue.flatMap((each) =>
      each === undefined ? [] : [{ ...each, text: redactor.redact(each.text) }],
    );
  });
}

/** What the file says of a job and what was seen, where the two differ. Notes how long a quick or slow one worked. */
async function untruthOf(
  endpoint: TestEndpoint,
  [kind, job]: Row,
  jobs: OwnJobs,
): Promise<Untrue | undefined> {
  const watched = await watch(endpoint, job);
  const { exchange } = watched;
  const tell = (difference: string): Untrue => ({
    kind,
    text: `${claimOf(kind, job)}, but ${difference}`,
    exchange,
  });
  if ("got" in watched) return tell(watched.got);
  const { seen } = watched;
  if (kind === "quick" || kind === "slow") jobs.noteSeen(kind, seen.workedMs);
  const difference = differenceOf(kind, job, seen);
  return difference === undefined ? undefined : tell(difference);
}

function claimOf(kind: JobKind, job: OwnJob): string {
  const most = `at most ${job.atMostMs} ms`;
  const length = "atLeastMs" in job ? `at least ${String(job.atLeastMs)} and ${most}` : most;
  return `it should end ${endOf(kind)} after working for ${length}`;
}

function endOf(kind: JobKind): string {
  return kind === "failing" ? "FAILED" : "COMPLETED";
}

/** What was seen of a job, or what came instead; and the exchange that shows it. */
type Watched = { readonly exchange: Exchange } & (
  { readonly seen: Seen } | { readonly got: string }
);

async function watch({ api, time }: TestEndpoint, job: OwnJob): Promise<Watched> {
  const { exchange, at: submittedAt } = await time.observe(async () =>
    api.run({ input: job.input }),
  );
  const submitted = readRecord(exchange);
  if (!submitted.ok) return { exchange, got: `run gave ${submitted.got}` };
  const { id } = submitted.body;
  let first: Interval | undefined;
  let last: Interval | undefined;
  let lastUnfinished = submittedAt;
  const ended = await time.until(
    async () => time.observe(async () => api.status(id)),
    (observed) => {
      const read = readRecord(observed.exchange);
      if (read.ok && isFinal(read.body)) return true;
      lastUnfinished = observed.at;
      if (read.ok && read.body.status === "IN_PROGRESS") {
        first ??= observed.at;
        last = observed.at;
      }
      return false;
    },
  );
  const read = readRecord(ended.exchange);
  if (!read.ok) return { exchange: ended.exchange, got: `status gave ${read.got}` };
  const waitedMs = Math.round(lastUnfinished.earliestMs - submittedAt.latestMs);
  if (!isFinal(read.body)) {
    const got = `it is still ${read.body.status} after ${waitedMs} ms`;
    return { exchange: ended.exchange, got };
  }
  const stream = "chunksAtLeast" in job ? await api.stream(id) : undefined;
  const seen = {
    record: read.body,
    workedAtMostMs: ended.at.latestMs - submittedAt.earliestMs,
    workedAtLeastMs: (last?.earliestMs ?? 0) - (first?.latestMs ?? 0),
    workedMs: ended.at.latestMs - (first ?? submittedAt).earliestMs,
    chunks: Math.max(chunksIn(stream), lengthOf(read.body["output"])),
  };
  return { exchange: ended.exchange, seen };
}

function chunksIn(stream: Exchange | undefined): number {
  const shown = stream?.answer === undefined ? undefined : bodyOf(stream.answer);
  return lengthOf(shown?.ok === true && shown.value);
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function differenceOf(kind: JobKind, job: OwnJob, seen: Seen): string | undefined {
  const { status, output } = seen.record;
  const shown = briefly(kind === "failing" ? seen.record : (output ?? seen.record));
  if (status !== endOf(kind)) return `it ended ${status}: ${briefly(seen.record)}`;
  return lengthDifference(job, seen) ?? outputDifference(kind, job, { ...seen, shown });
}

function briefly(value: unknown): string {
  return brief(show(value), shownCharactersMax);
}

function lengthDifference(job: OwnJob, seen: Seen): string | undefined {
  if ("atLeastMs" in job && seen.workedAtMostMs < Number(job.atLeastMs)) {
    return `it ended after ${Math.round(seen.workedAtMostMs)} ms`;
  }
  return seen.workedAtLeastMs > job.atMostMs
    ? `it was still IN_PROGRESS after ${Math.round(seen.workedAtLeastMs)} ms`
    : undefined;
}

function outputDifference(
  kind: JobKind,
  job: OwnJob,
  { record: { output }, chunks, shown }: Seen & { readonly shown: string },
): string | undefined {
  if (kind === "known" && "output" in job && !isDeepStrictEqual(output, job.output)) {
    return `its output is ${shown}, and the file says ${briefly(job.output)}`;
  }
  if (kind === "quick" && (typeof output !== "object" || output === null)) {
    return `its output is ${shown}: the API knows objects and arrays alone, so choose another job`;
  }
  if (kind !== "streaming" || !("chunksAtLeast" in job)) return undefined;
  return chunks < Number(job.chunksAtLeast)
    ? `it yielded ${chunks} chunks, and the file says ${String(job.chunksAtLeast)} or more`
    : undefined;
}
