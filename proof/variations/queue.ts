import { not, type JobCondition } from "../faults/builders/conditions.ts";
import { isLowPriority, isRetried } from "../faults/builders/jobs.ts";
import { replace, type Change } from "../faults/builders/member.ts";
import { variation, type Variation } from "./variation.ts";

/** The order of the queue and what is counted: the specification states neither an order nor an origin. */
export const queueVariations: readonly Variation[] = [
  variation("queue/last-in-first-out", {
    describe: "A free worker takes the job that came last.",
    change: () => ({ lifecycle: { takeNext: (queue) => [...queue.values()].at(-1) } }),
  }),
  variation("queue/from-the-middle", {
    describe: "A free worker takes a job from the middle of the queue.",
    change: replace("lifecycle.takeNext", (queue) =>
      [...queue.values()].at(Math.floor(queue.size / 2)),
    ),
  }),
  variation("queue/low-priority-last", {
    describe: "Jobs of low priority are taken when no other is waiting.",
    change: takingFirst(not(isLowPriority)),
  }),
  variation("queue/retried-jobs-first", {
    describe: "A retried job is taken before those that wait for their first attempt.",
    change: takingFirst(isRetried),
  }),
  variation("queue/counters-have-a-past", {
    describe: "The counters of a fresh endpoint do not start at 0.",
    change: () => ({ origin: { counts: { completed: 41_903, failed: 1_277, retried: 333 } } }),
  }),
];

/** Lets a free worker take the first job for which `condition` holds, or the first of all where there is none. */
function takingFirst(condition: JobCondition): Change {
  return replace("lifecycle.takeNext", (queue) => {
    const jobs = [...queue.values()];
    return jobs.find(condition) ?? jobs[0];
  });
}
