import type { RequestSpan } from "../../client/exchange.ts";
import type { CountedEndpoint, CountsSighting } from "../../harness/counted-endpoints.ts";
import type { History, JobHistory } from "../../harness/history.ts";
import { finalStates } from "../../harness/record.ts";
import { judgeClaim } from "./claim.ts";
import type { HistoryJudge } from "./claim.ts";
import { overlap, spanOf, successions } from "./claim.ts";

/**
 * Judges every answer of health by what is known of its endpoint's jobs. The jobs that it counts as waiting or in
 * progress are at most those that had not ended, and at least those seen in that state both before and after it
 * (HLTH-02). Between two answers at most as many jobs complete or fail as can have ended (HLTH-03), and at most as
 * many are retried as there were retries (HLTH-04).
 */
export function judgeCounts(history: History, judge: HistoryJudge): void {
  const all = history.jobs();
  for (const counted of history.counted()) {
    const jobs = all.filter(({ endpoint }) => endpoint === counted.endpoint);
    const known = { ...counted, jobs };
    for (const seen of counted.sightings) {
      judgeMost(known, seen, judge);
      judgeLeast(known, seen, judge);
    }
    for (const pair of successions(known.sightings)) judgeGrowth(known, pair, judge);
  }
}

/** An endpoint with its jobs. */
interface KnownEndpoint extends CountedEndpoint {
  readonly jobs: readonly JobHistory[];
}

/** Judges that inQueue and inProgress together are at most the jobs that may not have ended. */
function judgeMost(known: KnownEndpoint, seen: CountsSighting, judge: HistoryJudge): void {
  const { inQueue, inProgress } = seen.jobs;
  const most = unknownBefore(known, seen) + jobsOpenAt(known, seen).length;
  const holds = inQueue + inProgress <= most;
  const expected = `at most ${most}, the jobs that had not ended`;
  const got = `inQueue ${inQueue} and inProgress ${inProgress}`;
  judgeClaim({ of: "HLTH-02", holds, at: "health", expected, got, seenIn: [seen] }, judge);
}

/** Judges that each count is at least the number of jobs seen in its state both before and after the answer. */
function judgeLeast(known: KnownEndpoint, seen: CountsSighting, judge: HistoryJudge): void {
  for (const [count, status] of [
    ["inQueue", "IN_QUEUE"],
    ["inProgress", "IN_PROGRESS"],
  ] as const) {
    const least = known.jobs.filter((job) => stays(known, job, status, seen)).length;
    const got = seen.jobs[count];
    const expected = `at least ${least}, the jobs that were ${status} before and after`;
    const words = { at: `${count} of health`, expected, got: String(got) };
    judgeClaim({ of: "HLTH-02", holds: got >= least, ...words, seenIn: [seen] }, judge);
  }
}

/** Compares an answer with the next one that surely came later. */
function judgeGrowth(
  known: KnownEndpoint,
  [earlier, later]: readonly [CountsSighting, CountsSighting],
  judge: HistoryJudge,
): void {
  const span = spanOf(earlier, later);
  const retries = known.jobs.flatMap((job) => job.retries).filter((each) => overlap(each, span));
  const open = known.jobs.filter(
    (job) => isSubmittedBy(job, later) && !isOverAt(known, job, earlier, later),
  );
  const endings = unknownBefore(known, later) + open.length + retries.length;
  for (const [of, count, most] of [
    ["HLTH-03", "completed", endings],
    ["HLTH-03", "failed", endings],
    ["HLTH-04", "retried", retries.length],
  ] as const) {
    const grownBy = later.jobs[count] - earlier.jobs[count];
    const holds = grownBy <= most;
    const at = `${count} of health, two answers`;
    const expected = `at most ${most} more`;
    judgeClaim(
      { of, holds, at, expected, got: `${grownBy} more`, seenIn: [earlier, later] },
      judge,
    );
  }
}

function jobsOpenAt(known: KnownEndpoint, seen: CountsSighting): readonly JobHistory[] {
  return known.jobs.filter((job) => isSubmittedBy(job, seen) && !isOverAt(known, job, seen, seen));
}

function isSubmittedBy({ submissions }: JobHistory, seen: RequestSpan): boolean {
  return submissions.some(({ sentAtMs }) => sentAtMs <= seen.answeredAtMs);
}

/** Whether a job had surely ended at one moment and no retry can have led it back until another. */
function isOverAt(
  known: KnownEndpoint,
  { sightings, retries }: JobHistory,
  at: RequestSpan,
  until: RequestSpan,
): boolean {
  return sightings.some(
    (ended) =>
      finalStates.includes(ended.status) &&
      isSettledBetween(known, ended, at) &&
      !retries.some((retry) => overlap(retry, spanOf(ended, until))),
  );
}

/** Whether a job had a state both before and after an answer of health, and therefore at that moment. */
function stays(
  known: KnownEndpoint,
  { sightings, retries }: JobHistory,
  status: string,
  seen: CountsSighting,
): boolean {
  const inState = sightings.filter((sighting) => sighting.status === status);
  const before = inState.findLast((sighting) => isSettledBetween(known, sighting, seen));
  const after = inState.find(({ sentAtMs }) => sentAtMs >= seen.answeredAtMs);
  if (before === undefined || after === undefined) return false;
  const span = spanOf(before, after);
  return !retries.some((retry) => overlap(retry, span));
}

/** Whether the clock was moved between two requests, so that the second has to show what the first one showed. */
function isSettledBetween(
  { settled }: CountedEndpoint,
  earlier: RequestSpan,
  later: RequestSpan,
): boolean {
  return settled.some(
    ({ sentAtMs, answeredAtMs }) =>
      sentAtMs >= earlier.answeredAtMs && answeredAtMs <= later.sentAtMs,
  );
}

function unknownBefore({ unknownSubmissionsAtMs }: CountedEndpoint, seen: RequestSpan): number {
  return unknownSubmissionsAtMs.filter((atMs) => atMs <= seen.answeredAtMs).length;
}
