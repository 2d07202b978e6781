import { nearestRank } from "../../reports/load/time-spread.ts";
import type { LoadResult, LoadSamples } from "../../reports/model.ts";
import { judgeObjective, lateOf } from "../objectives/judge-objective.ts";
import type { Measured, ObjectiveValues } from "../objectives/judge-objective.ts";
import type { Objective, ObjectiveSubject } from "../objectives/objectives-file.ts";
import { headOf, notAnswered } from "../open-loop/judged-load.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import type { OpenLoopScenario } from "./scenario.ts";
import type { BookedRequest } from "../open-loop/job-book.ts";
import { columnsOf } from "../open-loop/samples.ts";
import { endOf, watchedJobs } from "../open-loop/run-mix.ts";
import type { MixOutcome, MixedJob } from "../open-loop/run-mix.ts";
import { mixOperations } from "../open-loop/mix.ts";

/** The entries of a mix: its own, and one for each objective. */
export function mixFindings(
  scenario: OpenLoopScenario,
  outcome: MixOutcome,
  objectives: readonly Objective[],
): readonly JudgedLoad[] {
  const judged = objectives.map((objective) => objectiveFinding(objective, outcome));
  return [{ ...headOf(scenario), ...mixFinding(outcome, judged) }, ...judged];
}

function objectiveFinding(objective: Objective, outcome: MixOutcome): JudgedLoad {
  const values = valuesOf(objective, outcome);
  const found = judgeObjective(objective, values, outcome.startMs);
  if (outcome.undecided === undefined && values.requests > 0) {
    return { ...found, samples: [fromPlannedMoment(samplesOf(outcome, objective.subject))] };
  }
  const reason = outcome.undecided ?? `the mix sent no ${objective.subject}`;
  return { ...found, ...notAnswered("not-run", reason) };
}

/** An entry for an objective that nothing measured. */
export function unmeasured(objective: Objective, reason: string): JudgedLoad {
  const nothing = { values: [], errorsAtMs: [], requests: 0, lateMs: 0 };
  const found = judgeObjective(objective, nothing, 0);
  return { ...found, figures: {}, ...notAnswered("not-run", reason) };
}

type Found = Omit<JudgedLoad, "scenario" | "engine" | "question" | "requirements">;

function mixFinding(outcome: MixOutcome, judged: readonly JudgedLoad[]): Found {
  const { requests, undecided } = outcome;
  const broken = judged.filter(({ verdict }) => verdict === "fail");
  const open = judged.filter(({ verdict }) => verdict === "inconclusive" || verdict === "not-run");
  const failures = requests.filter(({ status }) => status === 0 || status >= 500).length;
  const promised = judged.some(({ scenario }) => scenario.endsWith(" errors"));
  const common = {
    figures: figuresOf(outcome),
    samples: [
      samplesOf(outcome, "mix"),
      ...mixOperations
        .filter((name) => requestsOf(outcome, name).length > 0)
        .map((name) => samplesOf(outcome, name)),
    ],
  } as const;
  const failing = [
    ...broken.map(reasonOf),
    ...(failures > 0 && !promised
      ? [`${failures} of ${requests.length} requests were answered 5xx, or not at all`]
      : []),
  ];
  if (undecided !== undefined || requests.length === 0) {
    const reason = undecided ?? "nothing was sent";
    return { ...common, ...notAnswered("inconclusive", reason) };
  }
  if (failing.length > 0) {
    const reason = failing.join("; ");
    return { ...common, verdict: "fail", reason, answer: `No: ${reason}.` };
  }
  const late = lateOf(requests);
  if (open.length > 0 || late > lateMsMax) {
    const reasons =
      open.length > 0 ? open.map(reasonOf) : [`the generator was ${Math.round(late)} ms late`];
    return { ...common, ...notAnswered("inconclusive", reasons.join("; ")) };
  }
  const p95 = nearestRank(latenciesOf(requests), 0.95) ?? 0;
  const kept = judged.length === 0 ? "" : ` ${judged.length} objectives are kept.`;
  return {
    ...common,
    verdict: "pass",
    answer: `Yes: ${requests.length} requests, 95 % answered within ${Math.ceil(p95)} ms of their planned moment.${kept}`,
  };
}

const lateMsMax = 1_000;

/** Why an objective is not kept, or not decided, under the name that its owner wrote. */
function reasonOf({ scenario, reason = "" }: JudgedLoad): string {
  return `${scenario.replace("objective/", "")}: ${reason}`;
}

function requestsOf({ requests }: MixOutcome, of: ObjectiveSubject): readonly BookedRequest[] {
  return of === "mix" ? requests : requests.filter(({ operation }) => operation === of);
}

/** From the planned moment to the answer, in order. */
export function latenciesOf(requests: readonly BookedRequest[]): Float64Array {
  return Float64Array.from(
    requests.filter(({ status }) => status > 0),
    ({ answeredMs, plannedMs }) => answeredMs - plannedMs,
  ).toSorted();
}

function figuresOf(outcome: MixOutcome): LoadResult["figures"] {
  const { requests, jobs } = outcome;
  const count = (isMeant: (status: number) => boolean): number =>
    requests.filter(({ status }) => isMeant(status)).length;
  const latencies = mixOperations.flatMap((name) => {
    const of = latenciesOf(requestsOf(outcome, name));
    return ([0.5, 0.95, 0.99] as const).flatMap((share) => {
      const ms = nearestRank(of, share);
      return ms === undefined
        ? []
        : [[`${name} ms p${share * 100}`, Math.round(ms * 10) / 10] as const];
    });
  });
  return {
    requests: requests.length,
    jobs: jobs.filter(({ id }) => id !== undefined).length,
    accepted: count((status) => status >= 200 && status < 300),
    refused: count((status) => status === 429),
    "5xx": count((status) => status >= 500),
    "without an answer": count((status) => status === 0),
    ...Object.fromEntries(latencies),
    "late ms p95": Math.round(lateOf(requests) * 10) / 10,
  };
}

/** Whether a request is an error. A cancel or a retry may come too late for its job. */
function isError({ operation, status }: BookedRequest): boolean {
  if (status === 0 || status >= 500 || status === 429) return true;
  return status >= 400 && operation !== "cancel" && operation !== "retry";
}

function valuesOf({ subject, measure }: Objective, outcome: MixOutcome): ObjectiveValues {
  const requests = requestsOf(outcome, subject);
  const jobs = outcome.jobs.filter(
    ({ operation, id }) => operation === subject && id !== undefined,
  );
  const values: Readonly<Record<typeof measure, () => readonly Measured[]>> = {
    latency: () => requests.map(latencyOf),
    errors: () => [],
    queueDelay: () => jobs.flatMap(queueDelayOf),
    completion: () =>
      (subject === "run" ? watchedJobs(outcome.jobs) : jobs).flatMap((job) =>
        completionOf(job, outcome),
      ),
    firstChunk: () =>
      watchedJobs(outcome.jobs, ({ streams }) => streams).flatMap((job) =>
        firstChunkOf(job, outcome),
      ),
  };
  return {
    values: values[measure](),
    errorsAtMs: requests.filter(isError).map(({ plannedMs }) => plannedMs),
    requests: requests.length,
    lateMs: lateOf(requests),
  };
}

/** From the planned moment, so that a stall is not hidden; without an answer it lasted for ever. */
function latencyOf({ plannedMs, answeredMs, status }: BookedRequest): Measured {
  const ms = status === 0 ? Number.MAX_SAFE_INTEGER : answeredMs - plannedMs;
  return { atMs: plannedMs, leastMs: ms, mostMs: ms };
}

/** As its record tells it; one that still waits has waited until it was seen last. */
function queueDelayOf(job: MixedJob): readonly Measured[] {
  const last = job.sightings.at(-1);
  const ms = last?.record?.["delayTime"];
  if (typeof ms === "number") return [{ atMs: job.sentMs, leastMs: ms, mostMs: ms }];
  return last?.record?.status === "IN_QUEUE" ? [atLeastUntil(last.sentMs, job)] : [];
}

function completionOf(job: MixedJob, { endedMs }: MixOutcome): readonly Measured[] {
  if (job.cancelledMs !== undefined) return [];
  const end = endOf(job);
  if (end === undefined) {
    // Nobody reads a runsync again: it is known up to its answer.
    return [atLeastUntil(job.operation === "run" ? endedMs : (job.answeredMs ?? endedMs), job)];
  }
  return [{ atMs: job.sentMs, leastMs: end.leastMs - job.sentMs, mostMs: end.mostMs - job.sentMs }];
}

function firstChunkOf(job: MixedJob, { firstChunks, endedMs }: MixOutcome): readonly Measured[] {
  const seen = firstChunks.get(job.number);
  if (seen === undefined) return [atLeastUntil(endedMs, job)];
  return [{ atMs: job.sentMs, leastMs: seen[0] - job.sentMs, mostMs: seen[1] - job.sentMs }];
}

/** What had not come yet when it was looked for last; it may never come. */
function atLeastUntil(ms: number, { sentMs }: MixedJob): Measured {
  return { atMs: sentMs, leastMs: ms - sentMs, mostMs: Number.MAX_SAFE_INTEGER };
}

/** Requests as if they had been sent when they were planned: what an objective counts from. */
function fromPlannedMoment({ intendedMs, ...samples }: LoadSamples): LoadSamples {
  return { ...samples, sentMs: intendedMs ?? samples.sentMs };
}

function samplesOf(outcome: MixOutcome, of: ObjectiveSubject): LoadSamples {
  return {
    name: of === "mix" ? "all operations" : of,
    ...(of !== "mix" && { operation: of }),
    ...columnsOf(requestsOf(outcome, of), outcome.startMs),
  };
}
