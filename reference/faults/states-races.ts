import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import type { JobEvent } from "../transitions.ts";

/**
 * Real time in which a second request counts as one of the same moment, whatever the endpoint's clock: long enough
 * for a busy machine.
 */
const MOMENT_MS = 1_000;

function keyOf(job: Job, event: JobEvent): string {
  return `${event} ${job.id}`;
}

/** Remembers events for a moment, so that a fault shows only where requests race. */
function raceMemory(): {
  readonly keep: (job: Job, event: JobEvent) => void;
  readonly has: (job: Job, event: JobEvent) => boolean;
} {
  const atMs = new Map<string, number>();
  return {
    keep: (job, event) => void atMs.set(keyOf(job, event), performance.now()),
    has: (job, event) => performance.now() - (atMs.get(keyOf(job, event)) ?? -Infinity) < MOMENT_MS,
  };
}

/** Faults that show only where operations race for one job. */
export const stateRaceFaults: readonly Fault[] = [
  {
    name: "states/two-retries-are-accepted",
    breaks: ["LIFE-07"],
    describe: "A retry that comes at the same moment as another one is accepted, too.",
    change: ({ lifecycle }) => {
      const memory = raceMemory();
      return {
        lifecycle: {
          next: (job, event) => {
            const destination = lifecycle.next(job, event);
            if (event !== "retry") return destination;
            if (destination !== undefined) memory.keep(job, event);
            return job.status === "IN_QUEUE" && memory.has(job, event) ? "IN_QUEUE" : destination;
          },
        },
      };
    },
  },
  {
    name: "states/second-cancel-undoes-the-first",
    breaks: ["LIFE-07"],
    describe: "Of two cancels at the same moment the second one makes the job FAILED.",
    change: ({ lifecycle }) => {
      const memory = raceMemory();
      return {
        lifecycle: {
          next: (job, event) => {
            const destination = lifecycle.next(job, event);
            if (event !== "cancel") return destination;
            if (destination !== undefined) memory.keep(job, event);
            return job.status === "CANCELLED" && memory.has(job, event) ? "FAILED" : destination;
          },
        },
      };
    },
  },
  {
    name: "states/cancelled-job-completes-all-the-same",
    breaks: ["LIFE-07"],
    describe:
      "A job that is cancelled in the last moment of its work is CANCELLED, then COMPLETED.",
    change: ({ lifecycle }) => {
      const memory = raceMemory();
      return {
        lifecycle: {
          stopsHandler: (_job, event) => event !== "cancel",
          next: (job, event) => {
            const destination = lifecycle.next(job, event);
            if (event === "cancel" && destination !== undefined) memory.keep(job, event);
            const isRace = event === "handler-returned" && memory.has(job, "cancel");
            return isRace && job.status === "CANCELLED" ? "COMPLETED" : destination;
          },
        },
      };
    },
  },
  {
    name: "states/cancel-after-completion-keeps-the-output",
    breaks: ["LIFE-07"],
    describe:
      "A cancel in the moment of the completion makes a completed job CANCELLED with its output.",
    change: ({ lifecycle, operations }) => {
      const memory = raceMemory();
      return {
        lifecycle: {
          keptOutput: (output, job) => output ?? job.output,
          next: (job, event) => {
            const destination = lifecycle.next(job, event);
            if (event === "handler-returned") memory.keep(job, event);
            const isRace = event === "cancel" && memory.has(job, "handler-returned");
            return isRace && job.status === "COMPLETED" ? "CANCELLED" : destination;
          },
        },
        operations: {
          showsOutput: (job, context) =>
            job.output !== undefined || operations.showsOutput(job, context),
        },
      };
    },
  },
  {
    name: "states/purge-counts-what-has-started",
    breaks: ["LIFE-07"],
    describe: "A purge also counts the jobs that a worker took at the same moment.",
    change: ({ lifecycle, operations }) => {
      const startedAtMs = new Map<string, number>();
      return {
        lifecycle: {
          next: (job, event) => {
            if (event === "worker-took") startedAtMs.set(job.id, performance.now());
            return lifecycle.next(job, event);
          },
        },
        operations: {
          removedCount: (removed) => {
            const sinceMs = performance.now() - MOMENT_MS;
            const started = [...startedAtMs.values()].filter((atMs) => atMs > sinceMs);
            return operations.removedCount(removed) + (removed.length > 0 ? started.length : 0);
          },
        },
      };
    },
  },
  {
    name: "states/cancelled-job-is-started",
    breaks: ["LIFE-07"],
    describe: "A job that is cancelled just before a worker is free is processed all the same.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        leavesQueue: (job, event) => event !== "cancel" || job.attempt > 1,
        next: (job, event) =>
          event === "worker-took" && job.status === "CANCELLED"
            ? "IN_PROGRESS"
            : lifecycle.next(job, event),
      },
    }),
  },
];
