import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { isFinal } from "../transitions.ts";

function isFailure({ status }: Job): boolean {
  return status === "TIMED_OUT" || status === "FAILED";
}

export const purgeFaults: readonly Fault[] = [
  {
    name: "purge/removed-is-one-short",
    breaks: ["PURG-01"],
    describe: "removed is one less than the number of jobs that were waiting.",
    change: () => ({
      operations: { removedCount: (removed) => Math.max(0, removed.length - 1) },
    }),
  },
  {
    name: "purge/status-says-ok",
    breaks: ["PURG-01", "PURG-04"],
    describe: "purge-queue answers a status of ok.",
    change: () => ({ operations: { purgeAnswer: (removed) => ({ removed, status: "ok" }) } }),
  },
  {
    name: "purge/removed-is-capped",
    breaks: ["PURG-01"],
    describe: "removed is never more than 10.",
    change: () => ({ operations: { removedCount: (removed) => Math.min(10, removed.length) } }),
  },
  {
    name: "purge/counts-jobs-in-progress",
    breaks: ["PURG-01", "PURG-04"],
    describe: "removed counts the jobs in progress too, which keep running.",
    change: ({ operations }) => {
      let inProgress = 0;
      return {
        operations: {
          purges: (job) => {
            if (job.status === "IN_PROGRESS") inProgress += 1;
            return operations.purges(job);
          },
          removedCount: (removed) => {
            const count = operations.removedCount(removed) + inProgress;
            inProgress = 0;
            return count;
          },
        },
      };
    },
  },
  {
    name: "purge/adds-up-what-it-removed",
    breaks: ["PURG-01", "PURG-04"],
    describe: "removed counts what earlier purges removed, too.",
    change: ({ operations }) => {
      let total = 0;
      return {
        operations: {
          removedCount: (removed) => {
            total += operations.removedCount(removed);
            return total;
          },
        },
      };
    },
  },
  {
    name: "purge/spares-runsync-jobs",
    breaks: ["PURG-01", "PURG-02"],
    describe: "A waiting runsync job is not purged.",
    change: ({ operations }) => ({
      operations: { purges: (job) => job.submittedBy === "run" && operations.purges(job) },
    }),
  },
  {
    name: "purge/spares-low-priority",
    breaks: ["PURG-01", "PURG-02"],
    describe: "A waiting lowPriority job is not purged.",
    change: ({ operations }) => ({
      operations: {
        purges: (job) => job.submission.policy.lowPriority !== true && operations.purges(job),
      },
    }),
  },
  {
    name: "purge/spares-retried-jobs",
    breaks: ["PURG-01", "PURG-02"],
    describe: "A job that waits for its second attempt is not purged.",
    change: ({ operations }) => ({
      operations: { purges: (job) => job.attempt === 1 && operations.purges(job) },
    }),
  },
  {
    name: "purge/hides-and-processes",
    breaks: ["PURG-02"],
    describe: "A purged job is unknown, but a worker still takes it.",
    change: () => ({ lifecycle: { leavesQueue: (_job, event) => event !== "purge" } }),
  },
  {
    name: "purge/counts-and-leaves",
    breaks: ["PURG-02"],
    describe: "purge-queue counts the waiting jobs and leaves them in the queue.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        leavesQueue: (_job, event) => event !== "purge",
        next: (job, event) => (event === "purge" ? "IN_QUEUE" : lifecycle.next(job, event)),
      },
    }),
  },
  {
    name: "purge/lasts",
    breaks: ["PURG-02"],
    describe: "Jobs that are submitted after a purge are never processed either.",
    change: ({ lifecycle }) => {
      const purged = new WeakSet<ReadonlyMap<string, Job>>();
      return {
        operations: {
          afterPurge: (queue) => void purged.add(queue),
        },
        lifecycle: {
          takeNext: (queue) => (purged.has(queue) ? undefined : lifecycle.takeNext(queue)),
        },
      };
    },
  },
  {
    name: "purge/ends-jobs-in-progress",
    breaks: ["PURG-03"],
    describe: "A purge cancels the jobs in progress.",
    change: ({ lifecycle }) => ({
      operations: { purges: (job) => !isFinal(job.status) },
      lifecycle: {
        next: (job, event) =>
          event === "purge" && job.status === "IN_PROGRESS"
            ? "CANCELLED"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "purge/ends-retried-jobs-in-progress",
    breaks: ["PURG-03"],
    describe: "A purge ends a job that is in progress with its second attempt.",
    change: ({ lifecycle, operations }) => ({
      operations: {
        purges: (job) =>
          operations.purges(job) || (job.status === "IN_PROGRESS" && job.attempt > 1),
      },
      lifecycle: {
        next: (job, event) =>
          event === "purge" && job.status === "IN_PROGRESS"
            ? "DELETED"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "purge/takes-the-output-of-jobs-in-progress",
    breaks: ["PURG-03"],
    describe: "A job that was in progress when the queue was purged completes without its output.",
    change: ({ lifecycle, operations }) => {
      const marked = new WeakSet<Job>();
      return {
        operations: {
          purges: (job) => {
            if (job.status === "IN_PROGRESS") marked.add(job);
            return operations.purges(job);
          },
        },
        lifecycle: {
          keptOutput: (output, job) => (marked.has(job) ? null : lifecycle.keptOutput(output, job)),
        },
      };
    },
  },
  {
    name: "purge/empty-queue-removes-one",
    breaks: ["PURG-04"],
    describe: "Purging an empty queue answers removed 1.",
    change: () => ({ operations: { removedCount: (removed) => Math.max(1, removed.length) } }),
  },
  {
    name: "purge/deletes-results",
    breaks: ["PURG-05"],
    describe: "A purge deletes finished jobs, too.",
    change: ({ lifecycle, operations }) => ({
      operations: {
        purges: (job) => operations.purges(job) || isFinal(job.status),
        removedCount: (removed) =>
          operations.removedCount(removed.filter(({ status }) => !isFinal(status))),
      },
      lifecycle: {
        next: (job, event) =>
          event === "purge" && isFinal(job.status) ? "DELETED" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "purge/deletes-failures",
    breaks: ["PURG-05"],
    describe: "A purge deletes TIMED_OUT and FAILED jobs, too.",
    change: ({ lifecycle, operations }) => ({
      operations: {
        purges: (job) => operations.purges(job) || isFailure(job),
        removedCount: (removed) =>
          operations.removedCount(removed.filter((job) => !isFailure(job))),
      },
      lifecycle: {
        next: (job, event) =>
          event === "purge" && isFailure(job) ? "DELETED" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "purge/empties-every-queue",
    breaks: ["PURG-05"],
    describe: "A purge empties the queues of all endpoints.",
    change: () => ({ operations: { purgesOwnJobsAlone: false } }),
  },
  {
    name: "purge/purged-job-shown-as-timed-out",
    breaks: ["PURG-06"],
    describe: "A purged job is shown as TIMED_OUT.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) => (event === "purge" ? "TIMED_OUT" : lifecycle.next(job, event)),
      },
    }),
  },
];
