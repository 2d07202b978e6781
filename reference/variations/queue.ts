import type { Job } from "../job.ts";
import type { Variation } from "../variation.ts";

/** The order of the queue and what is counted: the specification states neither an order nor an origin. */
export const queueVariations: readonly Variation[] = [
  {
    name: "queue/last-in-first-out",
    describe: "A free worker takes the job that came last.",
    change: () => ({ lifecycle: { takeNext: (queue) => [...queue.values()].at(-1) } }),
  },
  {
    name: "queue/from-the-middle",
    describe: "A free worker takes a job from the middle of the queue.",
    change: () => ({
      lifecycle: {
        takeNext: (queue) => [...queue.values()].at(Math.floor(queue.size / 2)),
      },
    }),
  },
  {
    name: "queue/low-priority-last",
    describe: "Jobs of low priority are taken when no other is waiting.",
    change: () => ({ lifecycle: { takeNext: (queue) => lowPriorityLast([...queue.values()]) } }),
  },
  {
    name: "queue/retried-jobs-first",
    describe: "A retried job is taken before those that wait for their first attempt.",
    change: () => ({
      lifecycle: {
        takeNext: (queue) => {
          const jobs = [...queue.values()];
          return jobs.find(({ attempt }) => attempt > 1) ?? jobs[0];
        },
      },
    }),
  },
  {
    name: "queue/counters-have-a-past",
    describe: "The counters of a fresh endpoint do not start at 0.",
    change: () => ({ origin: { counts: { completed: 41_903, failed: 1_277, retried: 333 } } }),
  },
];

function lowPriorityLast(jobs: readonly Job[]): Job | undefined {
  return jobs.find(({ submission }) => submission.policy.lowPriority !== true) ?? jobs[0];
}
