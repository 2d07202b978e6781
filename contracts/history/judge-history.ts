import { isDeepStrictEqual } from "node:util";
import { lastingFields, finalStates, jobStates } from "../../harness/record.ts";
import { show } from "../../harness/show.ts";
import type { History, JobHistory, JobSighting } from "../../harness/history.ts";
import { judgeClaim, overlap, spanOf, successions } from "./claim.ts";
import type { HistoryJudge } from "./claim.ts";
import { judgeCounts } from "./judge-counts.ts";
import type { Check } from "../../harness/check.ts";
import { judgeLate } from "./judge-late.ts";

/**
 * Judges everything that was observed during a run: legal transitions (LIFE-01), stable final states (LIFE-02),
 * records of the job that was asked for (STAT-01), no output before completion (STAT-02), the same record at every
 * read of a finished job (STAT-08), no id twice (SUBM-05), counts of the jobs there are (HLTH-02 to HLTH-04).
 */
export function judgeHistory(history: History, judge: HistoryJudge): void {
  for (const job of history.jobs()) {
    judgeSubmissions(job, judge);
    for (const sighting of job.sightings) judgeSighting(job, sighting, judge);
    judgeOrder(job, judge);
  }
  judgeCounts(history, judge);
}

function judgeSubmissions({ id, submissions }: JobHistory, { expect }: HistoryJudge): void {
  if (submissions.length === 0) return;
  expect.of("SUBM-05").that(submissions.length === 1, {
    at: `the id ${id}`,
    expected: "one submission answered with it",
    got: `${submissions.length} submissions`,
  });
}

function judgeSighting(job: JobHistory, sighting: JobSighting, judge: HistoryJudge): void {
  const { status, hasOutput, shownId } = sighting;
  const about = { at: `a record of job ${job.id}`, seenIn: [sighting] };
  judgeClaim(
    {
      of: "STAT-01",
      holds: jobStates.includes(status) && shownId === job.id,
      expected: `the id ${job.id} and one of the six states`,
      got: `${shownId}, ${status}`,
      ...about,
    },
    judge,
  );
  if (status === "COMPLETED") return;
  judgeClaim(
    {
      of: "STAT-02",
      holds: !hasOutput,
      expected: "no output before the job has completed",
      got: `${status} with an output`,
      ...about,
    },
    judge,
  );
}

/** Compares each sighting with the next one that surely came later, unless a retry may lie between the two. */
function judgeOrder(job: JobHistory, judge: HistoryJudge): void {
  for (const [earlier, later] of successions(job.sightings)) {
    const span = spanOf(earlier, later);
    if (!job.retries.some((retry) => overlap(retry, span))) judgeStep(job, earlier, later, judge);
  }
}

function judgeStep(
  { id, cancels }: JobHistory,
  earlier: JobSighting,
  later: JobSighting,
  judge: HistoryJudge,
): void {
  const [before, got] = [earlier.status, later.status];
  const about = { at: `job ${id}, two sightings`, got, seenIn: [earlier, later] };
  if (finalStates.includes(before)) {
    const holds = before === got;
    judgeClaim({ of: "LIFE-02", holds, expected: `${before} to stay`, ...about }, judge);
    const isCancelled = cancels.some((cancel) => overlap(cancel, spanOf(earlier, later)));
    if (holds && !isCancelled) judgeSame(earlier, later, judge);
  } else if (jobStates.includes(got)) {
    const holds = rankOf(got) >= rankOf(before);
    judgeClaim({ of: "LIFE-01", holds, expected: `nothing before ${before}`, ...about }, judge);
  }
}

/** A job that has ended shows the same output and times whenever it is read. */
function judgeSame(earlier: JobSighting, later: JobSighting, judge: HistoryJudge): void {
  if (earlier.ended === undefined || later.ended === undefined) return;
  const [before, now] = [lastingFields(earlier.ended), lastingFields(later.ended)];
  const comparison = {
    at: `job ${later.shownId}, read twice after its end`,
    expected: show(before),
    got: show(now),
  };
  const holds = isDeepStrictEqual(before, now);
  judgeClaim({ of: "STAT-08", holds, ...comparison, seenIn: [earlier, later] }, judge);
}

/** The place of a state in a job's life: 0 for IN_QUEUE, 1 for IN_PROGRESS, 2 for any final state. */
function rankOf(status: string): number {
  return Math.min(2, jobStates.indexOf(status));
}

/** The last check of every run: it sends nothing, and judges the answers that all other checks got. */
export const historyCheck: Check = {
  name: "states/everything-observed-is-one-legal-history",
  title:
    "all answers of the run together tell legal histories of all jobs, and none is late beside the others",
  covers: [
    "LIFE-01",
    "LIFE-02",
    "STAT-01",
    "STAT-02",
    "STAT-08",
    "HLTH-02",
    "HLTH-03",
    "HLTH-04",
    "RUNA-01",
    "STRM-01",
    "CANC-03",
    "RETR-01",
    "PURG-01",
    "HLTH-01",
    "SUBM-05",
  ],
  needs: [],
  observe: ({ history, recorder, expect }) => {
    const attach = recorder.attachments.push.bind(recorder.attachments);
    judgeHistory(history, { expect, attach });
    judgeLate(history.answerTimes.all(), { expect, attach });
  },
};
