import { monotonicNowMs } from "../../client/exchange.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import { BookedRun } from "../open-loop/booked-run.ts";
import { healthShown } from "../open-loop/health-counts.ts";
import type { ToldExecution } from "../open-loop/callback-receiver.ts";
import { isSettled } from "../open-loop/job-book.ts";
import type { BookedJob } from "../open-loop/job-book.ts";
import type { OpenLoopOptions } from "./scenario.ts";

/** What health showed at a moment. */
export interface HealthLook {
  readonly atMs: number;
  readonly inQueue: number;
  readonly idle: number;
  readonly working: number;
}

/** What was seen of jobs that were submitted at once. Times are milliseconds of the monotonic clock. */
export interface JobBurst {
  readonly beganMs: number;
  readonly jobs: readonly BookedJob<"burst">[];
  readonly looks: readonly HealthLook[];
  /** Absent where workers do not tell what they process. */
  readonly executions: readonly ToldExecution[] | undefined;
}

interface BurstPlan {
  readonly count: number;
  readonly inputOf: (run: BookedRun<"burst">, at: number) => JobInput;
  readonly scaling?: { readonly min: number; readonly max: number };
  readonly workers?: number;
  readonly longestMs: number;
  /** Whether each is sent once the one before it was accepted, so that their order is known; absent: all at once. */
  readonly isOneByOne?: boolean;
}

const lookEveryMs = 100;

/**
 * Submits jobs at once and looks at health and at the jobs until all have ended.
 * @throws Inconclusive where it cannot start
 */
export async function burst(options: OpenLoopOptions, plan: BurstPlan): Promise<JobBurst> {
  const { scaling, workers } = plan;
  const run = await BookedRun.open<"burst">({
    ...options,
    ...(scaling !== undefined && { endpoint: { scaling } }),
    ...(workers !== undefined && { endpoint: { workers } }),
  });
  try {
    const beganMs = monotonicNowMs();
    const looks: HealthLook[] = [];
    const ended = new AbortController();
    const looking = look(run, looks, ended.signal);
    const jobs = await submitted(run, plan);
    await run.readUntil(jobs, isSettled, { longestMs: plan.longestMs, everyMs: lookEveryMs });
    ended.abort();
    await looking;
    const executions = run.tellsExecutions ? run.receiver.executions : undefined;
    return { beganMs, jobs, looks, executions };
  } finally {
    await run.close();
  }
}

async function submitted(
  run: BookedRun<"burst">,
  { count, inputOf, isOneByOne = false }: BurstPlan,
): Promise<readonly BookedJob<"burst">[]> {
  const submit = async (at: number): Promise<BookedJob<"burst">> =>
    run.first.submit("run", { role: "burst", input: inputOf(run, at) });
  if (!isOneByOne) return Promise.all(Array.from({ length: count }, async (_, at) => submit(at)));
  const jobs: BookedJob<"burst">[] = [];
  for (let at = 0; at < count; at += 1) jobs.push(await submit(at));
  return jobs;
}

async function look(
  run: BookedRun<"burst">,
  looks: HealthLook[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const atMs = monotonicNowMs();
    const shown = await healthShown(run.first);
    if (shown !== undefined) {
      const { inQueue, inProgress, idle } = shown;
      looks.push({ atMs, inQueue, idle, working: inProgress });
    }
    await run.pause(lookEveryMs);
  }
}
