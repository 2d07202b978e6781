import { monotonicNowMs } from "../../client/exchange.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import { stopReason } from "../../harness/outcome.ts";
import { isFinal } from "../../harness/record.ts";
import type { ScenarioCost } from "../../scenarios/scenario.ts";
import { BookedRun } from "../open-loop/booked-run.ts";
import type { BookedRunOptions } from "../open-loop/booked-run.ts";
import { isSettled } from "../open-loop/job-book.ts";
import type { BookedJob } from "../open-loop/job-book.ts";
import { runOpenLoop } from "../open-loop/open-loop.ts";
import type { Lateness } from "../open-loop/open-loop.ts";
import type { BookedRequest } from "../open-loop/job-book.ts";
import { defaultMix, jobsOf, requestsOf, scaledMix } from "./mix.ts";
import type { Mix } from "./mix.ts";
import { offeredMix } from "./offered-mix.ts";
import { slotsOf } from "./send-mix.ts";

export type MixRole = "mix" | "prepared";
export type MixedJob = BookedJob<MixRole>;

export interface MixOptions extends BookedRunOptions<MixRole> {
  readonly mix?: Mix | undefined;
  readonly durationMs?: number | undefined;
  readonly scale?: number | undefined;
  readonly seed: number;
  /** Whether jobs are watched until they have ended, and their first chunks. */
  readonly watches: { readonly ends: boolean; readonly chunks: boolean };
}

/** When the first chunk of a job was seen, in ms of the monotonic clock: not before the first, not after the second. */
export type FirstChunk = readonly [number, number];

/** What a mix did and saw. */
export interface MixOutcome {
  readonly startMs: number;
  readonly durationMs: number;
  /** When looking ended. */
  readonly endedMs: number;
  readonly requests: readonly BookedRequest[];
  readonly jobs: readonly MixedJob[];
  readonly firstChunks: ReadonlyMap<number, FirstChunk>;
  readonly lateness: Lateness;
  readonly undecided: string | undefined;
}

export const mixMsDefault = 30_000;
/** Jobs that are watched: as many as this a second, so that watching is a small part of the load. */
const watchedPerSecond = 4;
const lookEveryMs = 100;
const looksMax = 50;
const endMsMax = 30_000;
const preparedRequests = 20;

/** What a mix sends at most. */
export function mixCost({
  mix: given = defaultMix,
  durationMs = mixMsDefault,
  scale = 1,
  watches,
}: Pick<MixOptions, "mix" | "durationMs" | "scale" | "watches">): ScenarioCost {
  const mix = scaledMix(given, scale);
  const requests = requestsOf(mix, durationMs);
  const watching =
    (watches.ends || watches.chunks ? watchedPerSecond * looksMax * durationMs : 0) / 1_000;
  return {
    requests: Math.ceil(requests + watching + preparedRequests),
    jobs: jobsOf(mix, durationMs) + 5,
    durationMs: durationMs + (watches.ends ? endMsMax : 1_000),
    peakPerSecond: Math.ceil(requests / (durationMs / 1_000)),
    inFlightMax: Math.ceil((2 * requests) / (durationMs / 1_000)),
  };
}

/**
 * Sends a mix in an open loop: every request at its moment, however long the others take.
 * @throws Inconclusive where it cannot start
 */
export async function runMix(options: MixOptions): Promise<MixOutcome> {
  const run = await BookedRun.open<MixRole>(options);
  try {
    return await mixedBy(run, options);
  } finally {
    await run.close();
  }
}

/** The same on endpoints that are open already; what was sent before does not count. */
export async function mixedBy(
  run: BookedRun<MixRole>,
  options: Omit<MixOptions, "target">,
): Promise<MixOutcome> {
  const { durationMs = mixMsDefault, scale = 1, seed, signal, watches } = options;
  const mix = offeredMix(scaledMix(options.mix ?? defaultMix, scale), run);
  const { failed, streamed } = await prepare(run, mix);
  const startMs = monotonicNowMs() + 200;
  const firstChunks = new Map<number, FirstChunk>();
  const watching = new AbortController();
  const slots = slotsOf<MixRole>({
    mix,
    durationMs,
    startMs,
    run,
    role: "mix",
    seed,
    failed,
    streamed,
  });
  const watched = watch(run, { watches, firstChunks, signal: watching.signal });
  const lateness = await runOpenLoop(slots, signal);
  if (watches.ends) {
    await run.readUntil(watchedJobs(run.book.jobs), isSettled, {
      longestMs: endMsMax,
      everyMs: lookEveryMs,
    });
  }
  watching.abort();
  await watched;
  return {
    startMs,
    durationMs,
    endedMs: monotonicNowMs(),
    requests: run.book.requests.filter(({ plannedMs }) => plannedMs >= startMs),
    jobs: run.book.jobs.filter(({ role, sentMs }) => role === "mix" && sentMs >= startMs),
    firstChunks,
    lateness,
    undecided: signal?.aborted === true ? stopReason(signal) : undefined,
  };
}

/** Jobs to retry and to read chunks of. */
async function prepare(
  run: BookedRun<MixRole>,
  { operations }: Mix,
): Promise<{ readonly failed: readonly MixedJob[]; readonly streamed: MixedJob | undefined }> {
  const { first, jobs } = run;
  const submit = async (input: JobInput): Promise<MixedJob> =>
    first.submit("run", { role: "prepared", input });
  const failed =
    (operations.retry ?? 0) > 0
      ? [await submit(jobs.failing("first")), await submit(jobs.failing("second"))]
      : [];
  const streamed = (operations.stream ?? 0) > 0 ? await submit(jobs.streaming(3, 50)) : undefined;
  const prepared = [...failed, ...(streamed === undefined ? [] : [streamed])];
  await run.readUntil(prepared, isSettled, { longestMs: endMsMax });
  return { failed, streamed };
}

/** The jobs that are watched: a few of each second. */
export function watchedJobs(
  all: readonly MixedJob[],
  isMeant: (job: MixedJob) => boolean = () => true,
): readonly MixedJob[] {
  const jobs = all.filter(
    (job) =>
      job.role === "mix" &&
      job.operation === "run" &&
      job.id !== undefined &&
      job.cancelledMs === undefined &&
      isMeant(job),
  );
  let lastMs = Number.NEGATIVE_INFINITY;
  return jobs.filter(({ sentMs }) => {
    if (sentMs - lastMs < 1_000 / watchedPerSecond) return false;
    lastMs = sentMs;
    return true;
  });
}

interface Watching {
  readonly watches: MixOptions["watches"];
  readonly firstChunks: Map<number, FirstChunk>;
  readonly signal: AbortSignal;
}

/** Reads the watched jobs again and again until each has ended, and their streams until the first chunk. */
async function watch(
  run: BookedRun<MixRole>,
  { watches, firstChunks, signal }: Watching,
): Promise<void> {
  if (!watches.ends && !watches.chunks) return;
  const lookedMs = new Map<number, number>();
  while (!signal.aborted) {
    const open = watchedJobs(run.book.jobs)
      .filter((job) => !isSettled(job))
      .slice(0, 2 * looksMax);
    if (watches.ends) await run.read(open);
    if (watches.chunks) {
      const unseen = watchedJobs(run.book.jobs, ({ streams }) => streams)
        .filter((job) => !firstChunks.has(job.number) && !isSettled(job))
        .slice(-looksMax);
      await Promise.all(
        unseen.map(async (job) => lookForChunk(run, job, { firstChunks, lookedMs })),
      );
    }
    await run.pause(lookEveryMs);
  }
}

async function lookForChunk(
  run: BookedRun<MixRole>,
  job: MixedJob,
  {
    firstChunks,
    lookedMs,
  }: { readonly firstChunks: Map<number, FirstChunk>; readonly lookedMs: Map<number, number> },
): Promise<void> {
  const { answer, sentAtMs, answeredAtMs } = await run.first.client.stream(job.id ?? "");
  const hasChunk = answer?.status === 200 && /^\s*\[\s*[^\]\s]/.test(answer.rawText());
  if (hasChunk) firstChunks.set(job.number, [lookedMs.get(job.number) ?? job.sentMs, answeredAtMs]);
  else lookedMs.set(job.number, sentAtMs);
}

/** Whether a job's end was seen. */
export function endOf(
  job: MixedJob,
): { readonly leastMs: number; readonly mostMs: number } | undefined {
  const at = job.sightings.findIndex(({ record }) => record !== undefined && isFinal(record));
  const end = job.sightings[at];
  if (end === undefined) return undefined;
  const before = job.sightings.slice(0, at).at(-1)?.sentMs ?? job.sentMs;
  return { leastMs: Math.min(before, end.atMs), mostMs: end.atMs };
}
