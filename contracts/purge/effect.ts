import {
  Inconclusive,
  ageBetween,
  answerOf,
  runToCompletion,
  expectFreeWorker,
  runToFailure,
  waitForEnd,
  sendHeldRunsync,
  waitUntilInProgress,
  inputs,
  isSuccess,
  waitUntilOverWithin,
  readJob,
  startJob,
  stateOf,
  submitOperations,
  submitJob,
  submitJobBy,
  awaitRateLimitSlot,
  retryJob,
  requireState,
} from "../../harness/index.ts";
import type { Check, LooseRecord, SubmittedJob, CheckContext } from "../../harness/index.ts";
import { StreamReads } from "../stream/chunks.ts";

/** Checks of what a purge does and what it leaves alone (PURG-02, PURG-03, PURG-05). */
export const purgeEffectChecks: readonly Check[] = [
  {
    name: "purge/purged-jobs-are-never-processed",
    title: "no job that waited when the queue was purged is ever processed",
    covers: ["PURG-02"], // A purged job is never processed.
    needs: ["handler"],
    realTimeMs: 12_000,
    exclusive: true,
    run: async (context) => {
      const { api, time, workers } = context;
      const workMs = time.choose({ virtual: 60_000, real: 2000 });
      const broken = await runToFailure(context);
      const jobs = await workers.whileStalled(async () => {
        const waiting: SubmittedJob[] = [];
        for (const by of submitOperations) {
          waiting.push(await submitJobBy(context, inputs.sleep(workMs), { by }));
          waiting.push(await submitJobBy(context, inputs.echo("purged"), { by }));
        }
        const extra = { policy: { lowPriority: true } };
        waiting.push(await submitJob(context, inputs.sleep(workMs), extra));
        await retryJob(context, broken);
        await purge(context);

        await expectGone(context, waiting, "right after the purge");
        return waiting;
      });
      await expectFreeWorker(context, "an echo job, submitted after the purge");
      await expectGone(context, jobs, "when workers are free");
      await time.pass(workMs + 1);
      await expectGone(context, jobs, "when their work would have ended");
      const state = stateOf(await api.status(broken.id));
      // It failed before the purge; processed again, it would be FAILED with a second attempt.
      expectNot(context, state, ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"], "a retried job, purged");
    },
  },
  {
    name: "purge/purged-retry-does-not-complete",
    title: "a job that was purged while it waited for its second attempt does not complete",
    covers: ["PURG-02"], // A purged job is never processed.
    needs: ["handler"],
    exclusive: true,
    run: async (context) => {
      const { api, time, workers } = context;
      const job = await waitForEnd(context, await submitJob(context, inputs.flaky(1, "again")));
      await workers.whileStalled(async () => {
        await retryJob(context, job);
        await purge(context);
      });
      await time.settle();
      const states = ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"];
      expectNot(context, stateOf(await api.status(job.id)), states, "a retried job, purged");
    },
  },
  {
    name: "purge/waiting-runsync",
    title: "a runsync whose job is purged while it waits is not answered COMPLETED",
    covers: ["PURG-02"], // A purged job is never processed.
    needs: ["handler", "clock"],
    exclusive: true,
    run: async (context) => {
      const held = await context.workers.whileStalled(async () => {
        const body = { input: inputs.echo("purged") };
        const request = await sendHeldRunsync(context, body, 2000);
        await purge(context);
        return request;
      });
      if (!held.isAnswered()) await context.time.pass(2001);
      expectNot(context, stateOf(await held.answer), ["COMPLETED"], "the answer of runsync");
    },
  },
  {
    name: "purge/submitted-after-the-purge",
    title: "a job that is submitted after a purge waits, and is processed as any other",
    covers: ["PURG-02"], // A purged job is never processed.
    needs: ["handler"],
    exclusive: true,
    run: async (context) => {
      const { api, workers, expect } = context;
      const { job, later } = await workers.whileStalled(async () => {
        const queued = await submitJob(context, inputs.sleep(60_000));
        await purge(context);
        const next = await submitJob(context, inputs.echo("later"));
        expect.equal(
          stateOf(await api.status(next.id)),
          "IN_QUEUE",
          "status before a worker is free",
        );
        return { job: queued, later: next };
      });
      const state = stateOf(await waitUntilOverWithin(context, later.id));
      expect.equal(state, "COMPLETED", "status of a job submitted after the purge");
      await expectGone(context, [job], "after that");
    },
  },
  {
    name: "purge/in-progress-keeps-running",
    title: "jobs in progress keep running through a purge and complete when they would have",
    covers: ["PURG-03"], // Jobs in progress keep running and complete.
    needs: ["handler"],
    realTimeMs: 14_000,
    exclusive: true,
    endpoint: { workers: 3 },
    run: async (context) => {
      const { api, time, expect } = context;
      const workMs = 6000;
      await awaitRateLimitSlot(context, "purge-queue");
      const jobs = [];
      for (const by of submitOperations) {
        jobs.push({ by, job: await startJob(context, inputs.sleep(workMs, by), { by }) });
      }
      const streaming = await startJob(context, inputs.stream(6, 1000));
      await submitJob(context, inputs.echo("waiting"));
      await time.pass(1500);
      await purgeNow(context);
      const { exchange, at } = await time.observe(async () => api.status(streaming.id));
      if (ageBetween(streaming.startedAt, at).latestMs >= workMs) {
        throw new Inconclusive(
          "the purge had to wait until the jobs in progress had done their work",
        );
      }
      expect.equal(stateOf(exchange), "IN_PROGRESS", "status right after the purge");
      for (const { by, job } of jobs) {
        const record = expect.record(await waitUntilOverWithin(context, job.id, workMs), by);
        expect.equal(record.status, "COMPLETED", `${by}, status when its work is done`);
        expect.equal(record["output"], { value: by }, `${by}, output`);
      }
      const record = expect.record(
        await waitUntilOverWithin(context, streaming.id, workMs),
        "a stream",
      );
      const chunks = [0, 1, 2, 3, 4, 5].map((index) => ({ index }));
      expect.equal(record["output"], chunks, "output of a job that streams");
      const reads = new StreamReads(api, streaming.id);
      await reads.readAll(time, chunks.length);
      expect.equal(reads.latest, chunks, "stream of that job");
    },
  },
  {
    name: "purge/retried-job-in-progress",
    title: "a retried job in progress keeps running through a purge",
    covers: ["PURG-03"], // Jobs in progress keep running and complete.
    needs: ["handler"],
    realTimeMs: 16_000,
    exclusive: true,
    run: async (context) => {
      const { api, expect } = context;
      const extra = { policy: { executionTimeout: 5000 } };
      const job = await startJob(context, inputs.sleep(20_000), { extra });
      const first = await waitForEnd(context, job, 5000);
      requireState(first, "TIMED_OUT");
      await retryJob(context, job);
      await waitUntilInProgress(context, job);
      await purge(context);
      expect.equal(stateOf(await api.status(job.id)), "IN_PROGRESS", "status after the purge");
      await api.cancel(job.id);
    },
  },
  {
    name: "purge/finished-jobs-untouched",
    title: "a purge leaves the record of every finished job as it was",
    covers: ["PURG-05"], // A purge touches no finished job's result and no other endpoint's queue.
    needs: ["handler"],
    realTimeMs: 14_000,
    exclusive: true,
    run: async (context) => {
      const { api, workers, expect } = context;
      const slow = { extra: { policy: { executionTimeout: 5000 } } };
      const running = await startJob(context, inputs.sleep(60_000), slow);
      const timedOut = await waitForEnd(context, running, 5000);
      const cancelled = await startJob(context, inputs.sleep(60_000));
      await api.cancel(cancelled.id);
      const jobs = [
        timedOut,
        cancelled,
        await runToFailure(context),
        await runToCompletion(context, [1, 2]),
      ];
      const sync = await submitJobBy(context, inputs.echo("sync"), { by: "runsync" });
      await waitForEnd(context, sync);
      const before = new Map<string, LooseRecord>();
      for (const { id } of [...jobs, sync]) before.set(id, await readJob(context, id));
      const waiting = await workers.whileStalled(async () => {
        const untouched = await submitJob(context, inputs.echo("waiting"));
        await purge(context);
        for (const [id, record] of before) {
          const at = `the record of a ${record.status} job`;
          const after = expect.record(await api.status(id), at);
          expect.equal(essenceOf(after), essenceOf(record), at);
        }
        return untouched;
      });
      await api.cancel(waiting.id);
    },
  },
  {
    name: "purge/other-endpoints-queue-untouched",
    title: "a purge leaves the queue of another endpoint alone",
    covers: ["PURG-05"], // A purge touches no finished job's result and no other endpoint's queue.
    needs: ["handler", "workers", "endpoints"],
    run: async (context) => {
      const { workers, expect } = context;
      const other = await context.anotherEndpoint();
      const theirs = await other.workers.whileStalled(async () => {
        const jobs = [
          await submitJob(other, inputs.echo("theirs")),
          await submitJobBy(other, inputs.echo("theirs"), { by: "runsync" }),
        ];
        await workers.whileStalled(async () => {
          await submitJob(context, inputs.echo("ours"));
          await purge(context);
        });
        for (const { id } of jobs) {
          const state = stateOf(await other.api.status(id));
          expect.equal(state, "IN_QUEUE", "status of another endpoint's job after the purge");
        }
        return jobs;
      });
      for (const { id } of theirs) {
        const state = stateOf(await waitUntilOverWithin(other, id));
        expect.equal(state, "COMPLETED", "status after a worker took it");
      }
    },
  },
];

/** @throws Undecided where the purge is not accepted: what it does cannot be seen then */
async function purge(context: CheckContext): Promise<void> {
  await awaitRateLimitSlot(context, "purge-queue");
  await purgeNow(context);
}

/** The same where room has been taken before, so that nothing waits between the arrangement and the purge. */
async function purgeNow({ api }: CheckContext): Promise<void> {
  const answer = answerOf(await api.purgeQueue());
  if (!isSuccess(answer)) throw new Inconclusive(`purge-queue answered ${String(answer.status)}`);
}

async function expectGone(
  context: CheckContext,
  jobs: readonly SubmittedJob[],
  at: string,
): Promise<void> {
  for (const { id } of jobs) {
    const state = stateOf(await context.api.status(id));
    expectNot(
      context,
      state,
      ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"],
      `status of a purged job ${at}`,
    );
  }
}

function expectNot(
  { expect }: CheckContext,
  state: string,
  forbidden: readonly string[],
  at: string,
): void {
  const expected = `anything but ${forbidden.join(", ")}`;
  expect.that(!forbidden.includes(state), { at, expected, got: state });
}

/** What a purge must not touch; what else a record holds may follow the clock. */
function essenceOf({ status, output, delayTime, executionTime }: LooseRecord): object {
  return { status, output, delayTime, executionTime };
}
