import { durationText } from "../../reports/words.ts";
import { headOf, notAnswered } from "../open-loop/judged-load.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import type { OpenLoopOptions, OpenLoopScenario } from "./scenario.ts";
import { burst } from "./burst.ts";
import type { JobBurst, HealthLook } from "./burst.ts";

const workersDefault = 5;
const workMs = 2_000;
/** A job may be in the queue beside an idle worker for as long as giving it out takes. */
const idleMsMax = 1_000;
const longestMs = 120_000;

export const scaleOutScenario: OpenLoopScenario = {
  name: "scale-out",
  entry: "load/scale-out",
  question:
    "Do workers come when jobs do, is work spread among them, and does none wait beside an idle one?",
  cost: ({ scale = 1 }) => {
    const jobs = jobsFor(scale);
    return {
      requests: 12 * jobs + 200,
      jobs,
      durationMs: longestMs / 4,
      peakPerSecond: jobs,
      inFlightMax: jobs,
    };
  },
  obstacle: ({ target: { capabilities, jobs } }) =>
    capabilities.includes("handler") || jobs?.slow !== undefined
      ? undefined
      : "a jobs file with a slow job would show it",
  run: async (options) => [findingOf(await scaledOut(options), options)],
};

function jobsFor(scale: number): number {
  return Math.max(2, Math.round(2 * workersDefault * scale));
}

async function scaledOut(options: OpenLoopOptions): Promise<JobBurst> {
  const { scale = 1 } = options;
  const max = Math.max(1, Math.round(workersDefault * scale));
  return burst(options, {
    count: jobsFor(scale),
    inputOf: ({ jobs }, at) => jobs.slow(workMs, at),
    scaling: { min: 0, max },
    longestMs,
  });
}

function findingOf(seen: JobBurst, { scale = 1 }: OpenLoopOptions): JudgedLoad {
  const { beganMs, jobs, looks, executions } = seen;
  const wanted = Math.min(jobs.length, Math.max(1, Math.round(workersDefault * scale)));
  const most = Math.max(0, ...looks.map(({ working }) => working));
  const afterMs = (count: number): number | undefined => {
    const look = looks.find(({ working }) => working >= count);
    return look === undefined ? undefined : Math.round(look.atMs - beganMs);
  };
  const [first, all] = [afterMs(1), afterMs(wanted)];
  const idle = Math.round(longestIdle(looks));
  const workers = workersIn(executions);
  const figures = {
    jobs: jobs.filter(({ id }) => id !== undefined).length,
    "most jobs at work": most,
    ...(first !== undefined && { "first at work after ms": first }),
    ...(all !== undefined && { [`${wanted} at work after ms`]: all }),
    ...workers,
    "longest in the queue beside an idle worker ms": idle,
  };
  const common = { ...headOf(scaleOutScenario), figures, samples: [] };
  if (looks.length === 0) {
    return { ...common, ...notAnswered("inconclusive", "health could not be read") };
  }
  if (idle > idleMsMax) {
    const reason = `jobs were IN_QUEUE beside an idle worker for ${durationText(idle)}`;
    return { ...common, verdict: "fail", reason, answer: `No: ${reason}.` };
  }
  const when =
    all === undefined
      ? `never more than ${most} worked at once`
      : `${wanted} worked after ${durationText(all)}`;
  const spread = "workers" in workers ? `; ${workers.workers} workers took part` : "";
  return {
    ...common,
    verdict: "pass",
    answer: `Yes: ${when}${spread}; no job waited beside an idle worker.`,
  };
}

/** How work was spread, where workers tell it. */
function workersIn(executions: JobBurst["executions"]): { readonly workers: number } | object {
  if (executions === undefined) return {};
  const counts = new Map<string, number>();
  for (const { event, worker } of executions) {
    if (event === "start") counts.set(worker, (counts.get(worker) ?? 0) + 1);
  }
  return {
    workers: counts.size,
    "jobs of the busiest worker": Math.max(0, ...counts.values()),
    "jobs of the idlest worker": Math.min(...counts.values()),
  };
}

/** For how long something waited while a worker was idle, at every look. */
export function longestIdle(looks: readonly HealthLook[]): number {
  let [sinceMs, longest]: [number | undefined, number] = [undefined, 0];
  for (const { atMs, inQueue, idle } of looks) {
    if (inQueue === 0 || idle === 0) {
      sinceMs = undefined;
      continue;
    }
    sinceMs ??= atMs;
    longest = Math.max(longest, atMs - sinceMs);
  }
  return longest;
}
