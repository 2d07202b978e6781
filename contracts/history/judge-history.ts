import type { RequirementId } from "../../openapi/index.ts";
import type { Evidence } from "../../reports/model.ts";
import type { Expectations } from "../../harness/expect.ts";
import { finalStates, jobStates } from "../../harness/record.ts";
import type { History, JobHistory, JobSighting } from "../../harness/history.ts";

/** What the judgement works with: where it records, and where it lays down what proves it. */
export interface HistoryJudge {
  readonly expect: Expectations;
  readonly attach: (evidence: Evidence) => void;
}

/**
 * Judges everything that was observed during a run: legal transitions (LIFE-01), stable final states (LIFE-02),
 * records of the job that was asked for (STAT-01), no output before completion (STAT-02), no id twice (SUBM-05).
 */
export function judgeHistory(history: History, judge: HistoryJudge): void {
  for (const job of history.jobs()) {
    judgeSubmissions(job, judge);
    for (const sighting of job.sightings) judgeSighting(job, sighting, judge);
    judgeOrder(job, judge);
  }
}

function judgeSubmissions({ id, submissions }: JobHistory, { expect }: HistoryJudge): void {
  if (submissions === 0) return;
  expect.of("SUBM-05").that(submissions === 1, {
    at: `the id ${id}`,
    expected: "one submission answered with it",
    got: `${String(submissions)} submissions`,
  });
}

function judgeSighting(job: JobHistory, sighting: JobSighting, judge: HistoryJudge): void {
  const { status, hasOutput, shownId } = sighting;
  const about = { at: `a record of job ${job.id}`, seenIn: [sighting] };
  claim(
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
  claim(
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
  const sightings = job.sightings.toSorted((a, b) => a.sentAtMs - b.sentAtMs);
  let [earlier] = sightings;
  for (const later of sightings) {
    if (earlier === undefined || later.sentAtMs < earlier.answeredAtMs) continue;
    if (!mayBeRetried(job, earlier, later)) judgeStep(job, earlier, later, judge);
    earlier = later;
  }
}

function mayBeRetried({ retries }: JobHistory, earlier: JobSighting, later: JobSighting): boolean {
  return retries.some(
    ({ sentAtMs, answeredAtMs }) =>
      answeredAtMs >= earlier.sentAtMs && sentAtMs <= later.answeredAtMs,
  );
}

function judgeStep(
  { id }: JobHistory,
  earlier: JobSighting,
  later: JobSighting,
  judge: HistoryJudge,
): void {
  const [before, got] = [earlier.status, later.status];
  const about = { at: `job ${id}, two sightings`, got, seenIn: [earlier, later] };
  if (finalStates.includes(before)) {
    const holds = before === got;
    claim({ of: "LIFE-02", holds, expected: `${before} to stay`, ...about }, judge);
  } else if (jobStates.includes(got)) {
    const holds = rankOf(got) >= rankOf(before);
    claim({ of: "LIFE-01", holds, expected: `nothing before ${before}`, ...about }, judge);
  }
}

/** IN_QUEUE, then IN_PROGRESS, then any final state. */
function rankOf(status: string): number {
  return Math.min(2, jobStates.indexOf(status));
}

interface Told {
  readonly at: string;
  readonly expected: string;
  readonly got: string;
}

/** What is to hold of some sightings, and what is told where it does not. */
interface Claim extends Told {
  readonly of: RequirementId;
  readonly holds: boolean;
  readonly seenIn: readonly JobSighting[];
}

function claim(
  { of, holds, seenIn, ...told }: Claim,
  { expect, attach: testify }: HistoryJudge,
): void {
  if (expect.of(of).that(holds, told)) return;
  for (const { evidence } of seenIn) testify(evidence());
}
