import { durationText } from "../../reports/words.ts";
import { headOf, notAnswered } from "../open-loop/judged-load.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import type { OpenLoopScenario } from "./scenario.ts";
import { firstEnd } from "../open-loop/job-book.ts";
import { burst } from "./burst.ts";
import type { JobBurst } from "./burst.ts";

const jobsDefault = 100;
const workMs = 100;
const longestMs = 120_000;

/** No order is promised: the figures say what the order is, and judge nothing. */
export const fairnessScenario: OpenLoopScenario = {
  name: "fairness",
  entry: "load/fairness",
  question: "How far do younger jobs overtake the oldest one that waits?",
  cost: ({ scale = 1 }) => {
    const jobs = Math.max(2, Math.round(jobsDefault * scale));
    return {
      requests: 30 * jobs + 200,
      jobs,
      durationMs: longestMs / 4,
      peakPerSecond: jobs,
      inFlightMax: jobs,
    };
  },
  run: async (options) => {
    const count = Math.max(2, Math.round(jobsDefault * (options.scale ?? 1)));
    const seen = await burst(options, {
      count,
      inputOf: ({ jobs }, at) => jobs.short(workMs, at),
      workers: 2,
      isOneByOne: true,
      longestMs,
    });
    return [findingOf(seen)];
  },
};

function findingOf({ jobs, executions }: JobBurst): JudgedLoad {
  const begun = orderOf(jobs, executions);
  const head = { ...headOf(fairnessScenario), samples: [] };
  if (begun.length < 2)
    return { ...head, figures: {}, ...notAnswered("inconclusive", "no two jobs were seen to end") };
  const overtaken = overtakings(begun);
  const waits = begun.map(({ submittedMs, takenMs }) => takenMs - submittedMs);
  const figures = {
    jobs: begun.length,
    "overtaken by at most": Math.max(...overtaken),
    "overtaken at all": overtaken.filter((count) => count > 0).length,
    "longest wait ms": Math.round(Math.max(...waits)),
    "shortest wait ms": Math.round(Math.min(...waits)),
  };
  const by =
    executions === undefined ? "by the order of their ends" : "by the order of their starts";
  return {
    ...head,
    figures,
    verdict: "pass",
    answer: `At most ${figures["overtaken by at most"]} younger jobs overtook one, ${by}; the longest wait was ${durationText(figures["longest wait ms"])}. No order is promised.`,
  };
}

/** A job that was taken, in the order of submission. */
export interface Taken {
  readonly submittedMs: number;
  readonly takenMs: number;
}

/** When each job was begun, as its worker told, or else when it was seen to have ended. */
function orderOf(jobs: JobBurst["jobs"], executions: JobBurst["executions"]): readonly Taken[] {
  const starts = new Map<number, number>();
  for (const { number, event, atMs } of executions ?? []) {
    if (event === "start" && !starts.has(number)) starts.set(number, atMs);
  }
  return jobs
    .toSorted((one, other) => (one.answeredMs ?? 0) - (other.answeredMs ?? 0))
    .flatMap((job) => {
      const takenMs = executions === undefined ? firstEnd(job)?.atMs : starts.get(job.number);
      return takenMs === undefined || job.answeredMs === undefined
        ? []
        : [{ submittedMs: job.answeredMs, takenMs }];
    });
}

/** How many jobs that were accepted after its own acceptance were taken before it, for each job. */
export function overtakings(taken: readonly Taken[]): readonly number[] {
  return taken.map(
    (job) =>
      taken.filter((other) => other.submittedMs > job.submittedMs && other.takenMs < job.takenMs)
        .length,
  );
}
