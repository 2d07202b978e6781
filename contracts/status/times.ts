import {
  runAfterStall,
  requireRead,
  waitForEnd,
  inputs,
  readRecord,
  submitJob,
  submitJobBy,
  Inconclusive,
  waitForCompletion,
} from "../../harness/index.ts";
import type { Check, FinishedJob, SubmitOperation, CheckContext } from "../../harness/index.ts";

/** Whole seconds, so that a target that counts in seconds loses nothing by rounding. */
const queuedMs = 2000;
const workedMs = 3000;

/** What a runsync whose job waits takes to answer. */
const answeredSyncMs = 1001;

/** Which unit it is makes no difference to what a time grows with. */
const unitsMs: readonly number[] = [1, 1000, 0.001];

/** What a real target may need on top: to start a worker, to notice an end. */
const realExtraMs = 1500;

/** Checks of delayTime and executionTime (STAT-04, STAT-05). */
export const statusTimesChecks: readonly Check[] = [
  {
    name: "status/unit-of-times",
    title: "delayTime and executionTime are both in milliseconds, or both in seconds",
    covers: ["STAT-04"], // Unit of delayTime and executionTime.
    needs: ["handler"],
    exclusive: true,
    run: async (context) => {
      const job = await queuedAndWorked(context, { queueMs: queuedMs, workMs: workedMs });
      const { delayTime, executionTime } = timesOf(job);
      const units = [unitOf(delayTime, queuedMs), unitOf(executionTime, workedMs)];
      const [delay, execution] = units;
      context.expect.reading(
        delay !== undefined && delay === execution
          ? delay
          : `delayTime ${String(delayTime)} and executionTime ${String(executionTime)}`,
        `a job that waited ${String(queuedMs)} ms and worked ${String(workedMs)} ms`,
      );
    },
  },
  {
    name: "status/times-grow-with-their-own-cause",
    title: "delayTime tells the time in the queue alone, executionTime that of processing alone",
    covers: ["STAT-05"], // delayTime is the time in the queue and executionTime the time of processing: each grows with its own cause only.
    needs: ["handler"],
    exclusive: true,
    run: async (context) => {
      const rows = [
        { at: "a job that only waited", queueMs: 3000, workMs: 0 },
        { at: "a job that only worked", queueMs: 0, workMs: 2000 },
        { at: "a job that waited and worked", queueMs: 1000, workMs: 2000 },
        { at: "a runsync job that waited and worked", queueMs: 4000, workMs: 2000, by: "runsync" },
      ] as const;
      for (const { at, ...took } of rows) {
        const job = await queuedAndWorked(context, took);
        expectTook(context, job, { at, ...took });
      }
    },
  },
  {
    name: "status/times-of-a-retried-job",
    title: "delayTime of a retried job tells nothing of the time in which it had failed",
    covers: ["STAT-05"], // delayTime is the time in the queue and executionTime the time of processing: each grows with its own cause only.
    needs: ["handler"],
    realTimeMs: 8000,
    exclusive: true,
    run: async (context) => {
      const { api, time } = context;
      const broken = await waitForEnd(
        context,
        await submitJob(context, inputs.flaky(1, "retried")),
      );
      await time.pass(time.choose({ virtual: 60_000, real: 4000 }));
      const ended = await runAfterStall(context, async () => {
        const { exchange, at: submittedAt } = await time.observe(async () => api.retry(broken.id));
        requireRead(readRecord(exchange), "could not retry a job: retry gave");
        await time.pass(queuedMs);
        return [{ id: broken.id, submittedAt }];
      });
      // Its first attempt did not wait, so that it is open no more whether the times of attempts add up.
      for (const job of ended) {
        expectTook(context, job, { at: "a retried job", queueMs: queuedMs, workMs: 0 });
      }
    },
  },
  {
    name: "status/times-of-a-failed-job",
    title: "delayTime of a job that failed tells its time in the queue, executionTime does not",
    covers: ["STAT-05"], // delayTime is the time in the queue and executionTime the time of processing: each grows with its own cause only.
    needs: ["handler"],
    realTimeMs: 4000,
    exclusive: true,
    run: async (context) => {
      const ended = await runAfterStall(context, async () => {
        const waiting = await submitJob(context, inputs.fail("after a while"));
        await context.time.pass(queuedMs);
        return [waiting];
      });
      for (const job of ended) {
        expectTook(context, job, { at: "a job that failed", queueMs: queuedMs, workMs: 0 });
      }
    },
  },
  {
    name: "status/times-of-a-timed-out-job",
    title: "executionTime of a job that timed out tells how long it was processed",
    covers: ["STAT-05"], // delayTime is the time in the queue and executionTime the time of processing: each grows with its own cause only.
    needs: ["handler"],
    realTimeMs: 9000,
    exclusive: true,
    run: async (context) => {
      const policy = { executionTimeout: 5000 };
      const took = { queueMs: 2000, workMs: 5000 };
      const job = await queuedAndWorked(context, { ...took, sleepMs: 60_000, policy });
      expectTook(context, job, { at: "a job that timed out", ...took });
    },
  },
];

interface Plan {
  readonly queueMs: number;
  readonly workMs: number;
  /** Absent: the job ends by itself after `workMs`. */
  readonly sleepMs?: number;
  readonly policy?: Readonly<Record<string, unknown>>;
  /** Absent: run. A runsync job waits for more than its shortest wait of 1000 ms. */
  readonly by?: SubmitOperation;
}

/** A job that waits in the queue and then works, each as long as planned. */
async function queuedAndWorked(
  context: CheckContext,
  { queueMs, workMs, sleepMs = workMs, policy, by = "run" }: Plan,
): Promise<FinishedJob> {
  const { api, time, workers } = context;
  const extra = policy === undefined ? {} : { policy };
  const submit = async () => submitJobBy(context, inputs.sleep(sleepMs), { extra, by });
  if (queueMs === 0) return waitForCompletion(context, await submit(), workMs);

  const { job, at } = await workers.whileStalled(async () => {
    const queued = await submit();
    await time.pass(by === "run" ? queueMs : queueMs - answeredSyncMs);
    const { exchange, at: moment } = await time.observe(async () => api.status(queued.id));
    const { status } = requireRead(
      readRecord(exchange),
      "could not read the job this check needs: status gave",
    );
    if (status !== "IN_QUEUE")
      throw new Inconclusive(`the job this check needs is ${status}, not IN_QUEUE`);
    return { job: queued, at: moment };
  });
  const ended = await waitForCompletion(context, { ...job, submittedAt: at }, workMs);
  return { ...ended, submittedAt: job.submittedAt };
}

interface Times {
  readonly delayTime: number;
  readonly executionTime: number;
}

function timesOf({ record }: FinishedJob): Times {
  const { delayTime, executionTime } = record;
  if (typeof delayTime === "number" && typeof executionTime === "number") {
    return { delayTime, executionTime };
  }
  throw new Inconclusive(`both times are not numbers: ${JSON.stringify(record)}`);
}

/** The unit in which a number tells a known time, if any. The two readings lie a thousandfold apart. */
function unitOf(told: number, ms: number): "milliseconds" | "seconds" | undefined {
  if (told >= ms / 2 && told <= 10 * ms) return "milliseconds";
  if (told >= ms / 2000 && told <= ms / 100) return "seconds";
  return undefined;
}

/** Records times that do not tell, in either unit, how long the job waited and worked. */
function expectTook(
  { time, expect }: CheckContext,
  job: FinishedJob,
  { at, queueMs, workMs }: Plan & { readonly at: string },
): void {
  const { delayTime, executionTime } = timesOf(job);
  const extraMs = time.choose({ virtual: time.marginMs, real: realExtraMs });
  const rows = [
    { member: "delayTime", told: delayTime, ms: queueMs },
    { member: "executionTime", told: executionTime, ms: workMs },
  ];
  // One unit for both, whichever (STAT-04); what fits none is told against milliseconds.
  const unitMs =
    unitsMs.find((unit) => rows.every((row) => fits(row, { extraMs, unitMs: unit }))) ?? 1;
  for (const row of rows) {
    expect.that(fits(row, { extraMs, unitMs }), {
      at: `${at}: ${row.member}`,
      expected: `${String(row.ms)} ms, or ${String(row.ms / 1000)} s`,
      got: String(row.told),
    });
  }
}

/** Whether a number in this unit tells the time; a second may be rounded to either side. */
function fits(
  { told, ms }: { readonly told: number; readonly ms: number },
  { extraMs, unitMs }: { readonly extraMs: number; readonly unitMs: number },
): boolean {
  return Math.abs(told - ms / unitMs) <= Math.ceil(extraMs / unitMs);
}
