import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { all, fault, remembering } from "./builders/compose.ts";
import { at, both, is } from "./builders/conditions.ts";
import { atEvent, onEvent } from "./builders/events.ts";
import { isRetried } from "./builders/jobs.ts";
import { also, except, result } from "./builders/member.ts";
import { justAfter, MOMENT_MS } from "./builders/moments.ts";

/** Bugs that show only where operations race for one job. */
export const stateRaceFaults: readonly Fault[] = [
  fault("states/two-retries-are-accepted", ["LIFE-07"], {
    describe: "A retry that comes at the same moment as another one is accepted, too.",
    change: justAfter("retry", (isRace) =>
      onEvent("retry", "IN_QUEUE", both(is("IN_QUEUE"), isRace)),
    ),
  }),
  fault("states/second-cancel-undoes-the-first", ["LIFE-07"], {
    describe: "Of two cancels at the same moment the second one makes the job FAILED.",
    change: justAfter("cancel", (isRace) =>
      onEvent("cancel", "FAILED", both(is("CANCELLED"), isRace)),
    ),
  }),
  fault("states/cancelled-job-completes-all-the-same", ["LIFE-07"], {
    describe:
      "A job that is cancelled in the last moment of its work is CANCELLED, then COMPLETED.",
    change: all(
      except("lifecycle.stopsHandler", at("cancel")),
      justAfter("cancel", (isRace) =>
        onEvent("handler-returned", "COMPLETED", both(is("CANCELLED"), isRace)),
      ),
    ),
  }),
  fault("states/cancel-after-completion-keeps-the-output", ["LIFE-07"], {
    describe:
      "A cancel in the moment of the completion makes a completed job CANCELLED with its output.",
    change: all(
      result("lifecycle.keptOutput", (output, _given, job) => output ?? job.output),
      justAfter("handler-returned", (isRace) =>
        onEvent("cancel", "CANCELLED", both(is("COMPLETED"), isRace)),
      ),
      also("operations.showsOutput", (job) => job.output !== undefined),
    ),
  }),
  fault("states/purge-counts-what-has-started", ["LIFE-07"], {
    describe: "A purge also counts the jobs that a worker took at the same moment.",
    change: remembering(new Map<Job, number>(), (startedAtMs) => [
      atEvent("worker-took", (job) => void startedAtMs.set(job, performance.now())),
      result("operations.removedCount", (count, removed) => {
        const sinceMs = performance.now() - MOMENT_MS;
        const started = [...startedAtMs.values()].filter((atMs) => atMs > sinceMs);
        return count + (removed.length > 0 ? started.length : 0);
      }),
    ]),
  }),
  fault("states/cancelled-job-is-started", ["LIFE-07"], {
    describe: "A job that is cancelled just before a worker is free is processed all the same.",
    change: all(
      except(
        "lifecycle.leavesQueue",
        at("cancel", (job) => !isRetried(job)),
      ),
      onEvent("worker-took", "IN_PROGRESS", is("CANCELLED")),
    ),
  }),
];
