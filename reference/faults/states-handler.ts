import type { Fault } from "../fault.ts";

/** Faults of handlers that raise, workers that die, and jobs that get lost. */
export const stateHandlerFaults: readonly Fault[] = [
  {
    name: "states/handler-error-completes",
    breaks: ["LIFE-04"],
    describe: "A job whose handler raises is COMPLETED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          lifecycle.next(job, event === "handler-raised" ? "handler-returned" : event),
      },
    }),
  },
  {
    name: "states/handler-error-times-out-for-runsync",
    breaks: ["LIFE-04"],
    describe: "A runsync job whose handler raises is TIMED_OUT.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          lifecycle.next(
            job,
            event === "handler-raised" && job.submittedBy === "runsync"
              ? "execution-timed-out"
              : event,
          ),
      },
    }),
  },
  {
    name: "states/error-stands-in-the-output",
    breaks: ["LIFE-04"],
    describe: "A failed job has an output that holds the error.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.status === "FAILED"
            ? { ...operations.record(job, context), output: { error: job.error } }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "states/unknown-op-completes",
    breaks: ["LIFE-04"],
    describe: "An error without a message of the handler's own is taken for a result.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) => {
          const isNamed = ["fail", "flaky"].includes(String(job.submission.input["op"]));
          return lifecycle.next(
            job,
            event === "handler-raised" && !isNamed ? "handler-returned" : event,
          );
        },
      },
    }),
  },
  {
    name: "states/second-failure-is-cancelled",
    breaks: ["LIFE-04"],
    describe: "A job that fails again after a retry is CANCELLED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          lifecycle.next(job, event === "handler-raised" && job.attempt > 1 ? "cancel" : event),
      },
    }),
  },
  {
    name: "states/crash-completes",
    breaks: ["LIFE-05"],
    describe: "A job whose worker crashes is COMPLETED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          lifecycle.next(job, event.startsWith("worker-died") ? "handler-returned" : event),
      },
    }),
  },
  {
    name: "states/crash-is-never-noticed",
    breaks: ["LIFE-05"],
    describe: "A job whose worker crashes stays IN_PROGRESS for ever.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event.startsWith("worker-died") ? undefined : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "states/every-fortieth-job-is-lost",
    breaks: ["LIFE-08"],
    describe: "Every fortieth job is accepted and never gets into the queue.",
    change: () => {
      const accepted = new Set<string>();
      return {
        lifecycle: {
          entersQueue: ({ id }) => {
            accepted.add(id);
            return accepted.size % 40 !== 0;
          },
        },
      };
    },
  },
  {
    name: "states/long-queue-loses-jobs",
    breaks: ["LIFE-08"],
    describe: "A job accepted while more than 20 have not ended is lost.",
    change: ({ lifecycle }) => {
      const open = new Set<string>();
      return {
        lifecycle: {
          entersQueue: ({ id }) => {
            if (open.size > 20) return false;
            open.add(id);
            return true;
          },
          next: (job, event) => {
            const destination = lifecycle.next(job, event);
            const goesOn = destination === "IN_QUEUE" || destination === "IN_PROGRESS";
            if (destination !== undefined && !goesOn) open.delete(job.id);
            return destination;
          },
        },
      };
    },
  },
  {
    name: "states/retried-job-is-lost",
    breaks: ["LIFE-08"],
    describe: "A job that is retried is accepted and never gets back into the queue.",
    change: () => ({ lifecycle: { entersQueue: ({ attempt }) => attempt === 1 } }),
  },
];
