import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { counting, inAnswer, inRecord } from "./builders/answers.ts";
import { fault, remembering, withCounts } from "./builders/compose.ts";
import { at, both, is } from "./builders/conditions.ts";
import { onEvent, refuseEvent } from "./builders/events.ts";
import { except, instead, override, result, whenever, type Change } from "./builders/member.ts";
import { ofEvery, ofThoseAfter, withSequence, withHomes } from "./builders/numbers.ts";

/** Bugs that show only with many jobs: every n-th job is wrong, a size is fixed, or a count stops somewhere. */
export const numberFaults: readonly Fault[] = [
  fault("states/every-250th-job-is-lost", ["LIFE-08"], {
    describe: "Every 250th job of an endpoint never gets into the queue.",
    change: ofEvery(250, (isMeant) => except("lifecycle.entersQueue", isMeant)),
  }),
  fault("states/a-queue-of-250-is-stuck", ["LIFE-03", "LIFE-08"], {
    describe: "No job is taken any more once more than 250 wait.",
    change: remembering(new Set<unknown>(), (stuck) =>
      instead("lifecycle.takeNext", undefined, (queue) => {
        if (queue.size > 250) stuck.add(queue);
        return stuck.has(queue);
      }),
    ),
  }),
  fault("states/sixteen-jobs-at-once", ["LIFE-03"], {
    describe: "However many workers there are, no more than 16 jobs are in progress.",
    change: remembering(new Map<unknown, Set<Job>>(), (busy) => [
      override("lifecycle.takeNext", (takeNext) => (queue) => {
        const running = [...(busy.get(queue) ?? [])].filter((job) => job.status === "IN_PROGRESS");
        if (running.length >= 16) return undefined;
        const job = takeNext(queue);
        busy.set(queue, new Set(job === undefined ? running : [...running, job]));
        return job;
      }),
    ]),
  }),
  fault("submit/ids-repeat-after-250", ["SUBM-05"], {
    describe: "The 251st job of an endpoint gets the id of its first one.",
    change: result("submission.jobId", (id, operation, _uuid, sequence) =>
      sequence > 250
        ? `${operation}-${sequence % 250}`
        : sequence < 5
          ? `${operation}-${sequence}`
          : id,
    ),
  }),
  fault("submit/outputs-share-256-slots", ["SUBM-08"], {
    describe:
      "The output of a job stands in one of 256 slots, where that of a later job replaces it.",
    change: withSequence((sequenceOf) =>
      remembering(new Map<number, unknown>(), (slots) => [
        result("lifecycle.keptOutput", (output, _given, job) => {
          const sequence = sequenceOf(job);
          return sequence > 256 && sequence % 7 === 0
            ? slots.get(sequence % 256)
            : remember(slots, sequence, output);
        }),
      ]),
    ),
  }),
  fault("submit/every-200th-input-is-the-one-before", ["SUBM-08"], {
    describe: "Every 200th job of an endpoint is processed with the input of the one before it.",
    change: remembering({ before: {} }, (memory: { before: Job["submission"]["input"] }) =>
      ofEvery(200, (isMeant) =>
        result("lifecycle.handlerInput", (input, job) => {
          const { before } = memory;
          if (!isMeant(job)) memory.before = input;
          return isMeant(job) && before["op"] === input["op"] ? before : input;
        }),
      ),
    ),
  }),
  fault("purge/removed-is-a-signed-byte", ["PURG-01"], {
    describe: "removed is at most 127, however many jobs were removed.",
    change: result("operations.removedCount", (count) => Math.min(127, count)),
  }),
  fault("health/queue-is-a-byte", ["HLTH-02"], {
    describe: "inQueue is at most 255.",
    change: counting(({ inQueue }) => ({ inQueue: Math.min(255, inQueue) })),
  }),
  fault("health/progress-is-32-at-most", ["HLTH-02"], {
    describe: "inProgress is at most 32.",
    change: counting(({ inProgress }) => ({ inProgress: Math.min(32, inProgress) })),
  }),
  fault("health/completed-begins-again-at-256", ["HLTH-03"], {
    describe: "completed begins at 0 again after 255.",
    change: counting(({ completed }) => ({ completed: completed % 256 })),
  }),
  fault("health/failed-is-100-at-most", ["HLTH-03"], {
    describe: "failed stops at 100.",
    change: counting(({ failed }) => ({ failed: Math.min(100, failed) })),
  }),
  fault("health/retried-is-20-at-most", ["HLTH-04"], {
    describe: "retried stops at 20.",
    change: counting(({ retried }) => ({ retried: Math.min(20, retried) })),
  }),
  fault("health/running-is-16-at-most", ["HLTH-05"], {
    describe: "running is at most 16, and the workers beyond count as idle.",
    change: inAnswer("health", (body) => withRunningAtMost(16, body)),
  }),
  fault("stream/a-thousand-chunks", ["STRM-02"], {
    describe: "A stream keeps the first 1000 chunks.",
    change: instead("stream.keep", undefined, ({ chunks }) => chunks.length >= 1_000),
  }),
  fault("stream/pages-of-500-overlap", ["STRM-02"], {
    describe: "A read of more than 500 chunks answers the 500th one twice.",
    change: result("stream.take", (chunks) =>
      chunks.length > 500 ? [...chunks.slice(0, 500), ...chunks.slice(499)] : chunks,
    ),
  }),
  fault("webhook/every-64th-is-dropped", ["HOOK-01"], {
    describe: "Every 64th job of an endpoint calls no webhook.",
    change: ofEvery(64, (isMeant) => except("webhook.isCalledFor", isMeant)),
  }),
  fault("webhook/storm-is-cut-at-50", ["HOOK-01"], {
    describe: "Of jobs that end at the same instant the first 50 call their webhooks.",
    change: withCounts<number>((calls) =>
      except("webhook.isCalledFor", ({ submission, submittedAtMs, finishedAtMs = 0 }) => {
        if (submission.webhook === undefined || finishedAtMs === submittedAtMs) return false;
        return calls.add(finishedAtMs) > 50;
      }),
    ),
  }),
  fault("run/two-hundred-results-are-kept", ["RUNA-04"], {
    describe: "An endpoint keeps the results of its last 200 completed jobs.",
    change: withHomes((homeOf) =>
      remembering(new Map<string, Job[]>(), (done) => [
        whenever("lifecycle.keptOutput", (_output, job) => {
          done.set(homeOf(job), [...(done.get(homeOf(job)) ?? []).slice(-199), job]);
        }),
        except(
          "retention.shows",
          (job) => job.status === "COMPLETED" && done.get(homeOf(job))?.includes(job) === false,
        ),
      ]),
    ),
  }),
  fault("retry/ten-attempts", ["RETR-01"], {
    describe: "A job that has failed ten times cannot be retried.",
    change: refuseEvent("retry", ({ attempt }) => attempt >= 10),
  }),
  fault("cancel/every-50th-works-on", ["CANC-02"], {
    describe:
      "Every 50th job of an endpoint is not stopped when it is cancelled, and keeps its worker.",
    change: ofEvery(50, (isMeant) => except("lifecycle.freesWorker", at("cancel", isMeant))),
  }),
  fault("status/output-is-shown-once-after-200", ["STAT-02"], {
    describe: "From its 201st job on an endpoint shows each output once.",
    change: ofThoseAfter(200, (isMeant) =>
      withCounts((reads) =>
        except("operations.showsOutput", (job) => isMeant(job) && reads.add(job) > 1),
      ),
    ),
  }),
  fault("retry/list-has-20-places", ["RETR-03"], {
    describe: "The list of retried jobs has 20 places: one for which there is none is never taken.",
    change: remembering(new Set<Job>(), (list) =>
      except("lifecycle.entersQueue", (job) => {
        if (job.attempt === 1) return false;
        for (const each of list) if (each.status !== "IN_QUEUE") list.delete(each);
        if (list.size >= 20) return true;
        list.add(job);
        return false;
      }),
    ),
  }),
  fault("health/waiting-jobs-are-counted-twice-after-100", ["HLTH-02"], {
    describe: "Each waiting job beyond the hundredth is counted twice.",
    change: counting(({ inQueue }) => ({ inQueue: inQueue + Math.max(0, inQueue - 100) })),
  }),
  fault("cancel/fiftieth-becomes-failed", ["CANC-04"], {
    describe: "Every fiftieth job of an endpoint is shown as FAILED once it is cancelled.",
    change: ofEvery(50, (isMeant) =>
      inRecord({ status: "FAILED" }, both(is("CANCELLED"), isMeant)),
    ),
  }),
  fault("purge/every-60th-job-is-spared", ["PURG-01", "PURG-02"], {
    describe: "Every 60th job of an endpoint is not purged.",
    change: ofEvery(60, (isMeant) => except("operations.purges", isMeant)),
  }),
  fault("policy/every-60th-ttl-is-forgotten", ["POLI-08"], {
    describe: "The ttl of every 60th job of an endpoint never runs out.",
    change: ofEvery(60, (isMeant) => refuseEvent("ttl-ran-out", isMeant)),
  }),
  fault("policy/every-40th-timeout-is-forgotten", ["POLI-04"], {
    describe: "The executionTimeout of every 40th job of an endpoint ends nothing.",
    change: ofEvery(40, (isMeant) => refuseEvent("execution-timed-out", isMeant)),
  }),
  fault("states/every-90th-job-fails", ["LIFE-08"], {
    describe: "Every 90th job of an endpoint is deleted when its handler returns.",
    change: ofEvery(90, (isMeant) => onEvent("handler-returned", "DELETED", isMeant)),
  }),
  fault("stream/every-40th-job-streams-nothing", ["STRM-02"], {
    describe: "The chunks of every 40th job of an endpoint are not kept.",
    change: ofEvery(40, (isMeant) => instead("stream.keep", undefined, isMeant)),
  }),
  fault("retry/every-30th-job-cannot-be-retried", ["RETR-01"], {
    describe: "Every 30th job of an endpoint cannot be retried.",
    change: ofEvery(30, (isMeant) => refuseEvent("retry", isMeant)),
  }),
  fault("run/cleanup-takes-100-at-a-time", ["RUNA-05"], {
    describe:
      "Of jobs that ended at the same instant the first 100 are deleted, and the others never.",
    change: withCounts<number | undefined>((deleted) =>
      refuseEvent("retention-ended", ({ finishedAtMs }) => deleted.add(finishedAtMs) > 100),
    ),
  }),
  fault("purge/in-batches-of-250", ["PURG-01", "PURG-02"], {
    describe: "A purge removes the first 250 jobs, and leaves the others.",
    change: purgingAtMost(250),
  }),
  fault("states/queue-has-a-thousand-places", ["LIFE-08", "HLTH-02"], {
    describe: "The queue has 1000 places: a job for which there is none is accepted and lost.",
    change: remembering(new Set<Job>(), (waiting) =>
      except("lifecycle.entersQueue", (job) => {
        if (waiting.size >= 1_000) {
          for (const each of waiting) if (each.status !== "IN_QUEUE") waiting.delete(each);
        }
        if (waiting.size >= 1_000) return true;
        waiting.add(job);
        return false;
      }),
    ),
  }),
  fault("runsync/every-30th-is-not-waited-for", ["SYNC-02"], {
    describe: "runsync answers at once where its job is every 30th of its endpoint.",
    change: ofEvery(30, (isMeant) => except("operations.waitsForJob", isMeant)),
  }),
  fault("webhook/twenty-wait-for-their-repetition", ["HOOK-04"], {
    describe: "Webhooks are called once only while 20 others wait for their next attempt.",
    change: remembering(new Set<Job>(), (repeated) => [
      result("webhook.acknowledges", (isAcknowledged, { job }) => {
        if (isAcknowledged) repeated.delete(job);
        return isAcknowledged;
      }),
      result("webhook.attemptsMax", (attemptsMax, { job, attempt }) => {
        if (attempt === 1 && repeated.size >= 20) return 1;
        if (attempt < attemptsMax) repeated.add(job);
        else repeated.delete(job);
        return attemptsMax;
      }),
    ]),
  }),
];

function remember(slots: Map<number, unknown>, sequence: number, output: unknown): unknown {
  slots.set(sequence % 256, output);
  return output;
}

function withRunningAtMost(most: number, body: Readonly<Record<string, unknown>>): object {
  const { workers } = body;
  if (typeof workers !== "object" || workers === null) return body;
  if (!("running" in workers && "idle" in workers)) return body;
  const [running, idle] = [Number(workers.running), Number(workers.idle)];
  const shown = Math.min(most, running);
  return { ...body, workers: { running: shown, idle: idle + running - shown } };
}

/** Lets one purge remove at most `most` waiting jobs. */
function purgingAtMost(most: number): Change {
  return remembering({ removed: 0 }, (batch) => [
    result("operations.purges", (isMeant, job) => {
      if (isMeant && job.status === "IN_QUEUE") batch.removed += 1;
      return isMeant && batch.removed <= most;
    }),
    whenever("operations.afterPurge", () => void (batch.removed = 0)),
  ]);
}
