import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { inAnswer } from "./builders/answers.ts";
import { all, fault, remembering } from "./builders/compose.ts";
import { at, both, is, type JobCondition, always } from "./builders/conditions.ts";
import { onEvent } from "./builders/events.ts";
import { isLowPriority, isRetried, isRunsync, hasWebhook } from "./builders/jobs.ts";
import { afterEvent, afterPurge, afterTtlOfStatus } from "./builders/marks.ts";
import {
  also,
  type Change,
  except,
  instead,
  result,
  whenever,
  withArguments,
} from "./builders/member.ts";

/** Bugs in which jobs a purge removes, and in what it answers. */
export const purgeFaults: readonly Fault[] = [
  fault("purge/removed-is-one-short", ["PURG-01"], {
    describe: "removed is one less than the number of jobs that were waiting.",
    change: result("operations.removedCount", (count) => Math.max(0, count - 1)),
  }),
  fault("purge/status-says-ok", ["PURG-01", "PURG-04"], {
    describe: "purge-queue answers a status of ok.",
    change: inAnswer("purge-queue", (body) => ({ ...body, status: "ok" })),
  }),
  fault("purge/counts-jobs-in-progress", ["PURG-01", "PURG-04"], {
    describe: "removed counts the jobs in progress too, which keep running.",
    change: remembering({ inProgress: 0 }, (seen) => [
      whenever("operations.purges", (job) => {
        if (job.status === "IN_PROGRESS") seen.inProgress += 1;
      }),
      result("operations.removedCount", (count) => {
        const { inProgress } = seen;
        seen.inProgress = 0;
        return count + inProgress;
      }),
    ]),
  }),
  fault("purge/adds-up-what-it-removed", ["PURG-01", "PURG-04"], {
    describe: "removed counts what earlier purges removed, too.",
    change: remembering({ total: 0 }, (memory) =>
      result("operations.removedCount", (count) => (memory.total += count)),
    ),
  }),
  fault("purge/spares-runsync-jobs", ["PURG-01", "PURG-02"], {
    describe: "A waiting runsync job is not purged.",
    change: except("operations.purges", isRunsync),
  }),
  fault("purge/spares-low-priority", ["PURG-01", "PURG-02"], {
    describe: "A waiting lowPriority job is not purged.",
    change: except("operations.purges", isLowPriority),
  }),
  fault("purge/spares-retried-jobs", ["PURG-01", "PURG-02", "LIFE-06"], {
    describe: "A job that waits for its second attempt is not purged.",
    change: except("operations.purges", isRetried),
  }),
  fault("purge/counts-and-leaves", ["PURG-02"], {
    describe: "purge-queue counts the waiting jobs and leaves them in the queue.",
    change: all(except("lifecycle.leavesQueue", at("purge")), onEvent("purge", "IN_QUEUE")),
  }),
  fault("purge/lasts", ["PURG-02"], {
    describe: "Jobs that are submitted after a purge are never processed either.",
    change: remembering(new Set<ReadonlyMap<string, Job>>(), (purged) => [
      whenever("operations.afterPurge", (queue) => void purged.add(queue)),
      instead("lifecycle.takeNext", undefined, (queue) => purged.has(queue)),
    ]),
  }),
  fault("purge/ends-retried-jobs-in-progress", ["PURG-03"], {
    describe: "A purge ends a job that is in progress with its second attempt.",
    change: all(
      also("operations.purges", both(is("IN_PROGRESS"), isRetried)),
      onEvent("purge", "DELETED", is("IN_PROGRESS")),
    ),
  }),
  fault("purge/takes-the-output-of-jobs-in-progress", ["PURG-03"], {
    describe: "A job that was in progress when the queue was purged completes without its output.",
    change: afterPurge(is("IN_PROGRESS"), (wasThere) =>
      instead("lifecycle.keptOutput", null, (_output, job) => wasThere(job)),
    ),
  }),
  fault("purge/empty-queue-removes-one", ["PURG-04"], {
    describe: "Purging an empty queue answers removed 1.",
    change: result("operations.removedCount", (count) => Math.max(1, count)),
  }),
  fault("purge/deletes-failures", ["PURG-05"], {
    describe: "A purge deletes TIMED_OUT and FAILED jobs, too.",
    change: deletingToo(is("TIMED_OUT", "FAILED")),
  }),
  fault("purge/purged-job-shown-as-timed-out", ["PURG-06"], {
    describe: "A purged job is shown as TIMED_OUT.",
    change: onEvent("purge", "TIMED_OUT"),
  }),
  fault("purge/takes-chunks-of-jobs-in-progress", ["PURG-03"], {
    describe: "A purge clears the stream of jobs in progress.",
    change: whenever("operations.purges", ({ status, chunks }) => {
      if (status === "IN_PROGRESS") chunks.length = 0;
    }),
  }),
  fault("purge/takes-chunks-of-completed-jobs", ["PURG-05"], {
    describe: "A purge clears the stream of completed jobs.",
    change: whenever("operations.purges", (job) => {
      if (job.status === "COMPLETED") job.chunks.length = 0;
    }),
  }),
  fault("purge/shows-chunks-of-completed-jobs-again", ["PURG-05"], {
    describe: "After a purge the streams of completed jobs begin anew.",
    change: whenever("operations.purges", (job) => {
      if (job.status === "COMPLETED") job.chunksRead = 0;
    }),
  }),
  fault("purge/spares-jobs-with-a-webhook", ["PURG-01", "PURG-02"], {
    describe: "A waiting job with a webhook is not purged.",
    change: except("operations.purges", hasWebhook),
  }),
  fault("purge/spares-jobs-that-status-gave-a-ttl", ["PURG-01", "PURG-02"], {
    describe: "A waiting job whose ttl was set by status is not purged.",
    change: afterTtlOfStatus(always, (wasGivenOne) => except("operations.purges", wasGivenOne)),
  }),
  fault("purge/tells-the-webhook-of-a-completion", ["HOOK-08"], {
    describe: "A purged job is unknown, but its webhook is told that it has completed.",
    change: afterEvent("purge", hasWebhook, (wasPurged) => [
      onEvent("purge", "COMPLETED", both(is("IN_QUEUE"), hasWebhook)),
      except("retention.shows", wasPurged),
    ]),
  }),
];

/** Also deletes jobs for which `condition` holds, without counting them. */
function deletingToo(condition: JobCondition): Change {
  return all(
    also("operations.purges", condition),
    onEvent("purge", "DELETED", condition),
    withArguments("operations.removedCount", (removed) => [
      removed.filter((job) => !condition(job)),
    ]),
  );
}
