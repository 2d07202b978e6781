import { runAfterStall, waitForCompletion } from "../../harness/jobs/endings.ts";
import { requireRead, requireState, submitJob } from "../../harness/jobs/fixtures.ts";
import { runToEnd, submitJobBy } from "../../harness/jobs/submit.ts";
import { readRecord } from "../../harness/record.ts";
import { Inconclusive, Unsupported } from "../../harness/outcome.ts";
import type { Check } from "../../harness/check.ts";
import type { FinishedJob } from "../../harness/jobs/fixtures.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { WorkLength } from "../../harness/inputs/jobs.ts";

/** Whole seconds, so that a target that counts in seconds loses nothing by rounding. */
export const queuedMs = 2000;
export const workedMs = 3000;

/** How long a runsync takes to answer while its job waits. */
const answeredSyncMs = 1001;

/** The units tried for a time. Which one it is makes no difference to what a time grows with. */
const unitsMs: readonly number[] = [1, 1000, 0.001];

/** How much longer a target on a real clock may need: to start a worker, to notice an end. */
const realExtraMs = 1500;

/** Checks of delayTime and executionTime (STAT-04, STAT-05). */
export const statusTimesChecks: readonly Check[] = [
  {
    name: "status/unit-of-times",
    title: "delayTime and executionTime are both in milliseconds, or both in seconds",
    covers: ["STAT-04"],
    needs: ["slow"],
    slowMs: 4000,
    stalls: true,
    stallMsMax: queuedMs,
    run: async (context) => {
      const job = await queuedAndWorked(context, { queueMs: queuedMs, workMs: workedMs });
      const { delayTime, executionTime } = timesOf(job);
      const units = [
        unitOf(delayTime, exactly(queuedMs)),
        unitOf(executionTime, context.jobs.lengthOf(workedMs)),
      ];
      const [delay, execution] = units;
      context.expect.reading(
        delay !== undefined && delay === execution
          ? delay
          : `delayTime ${delayTime} and executionTime ${executionTime}`,
        `a job that waited ${queuedMs} ms and worked ${workedMs} ms`,
      );
    },
  },
  {
    name: "status/times-grow-with-their-own-cause",
    title: "delayTime tells the time in the queue alone, executionTime that of processing alone",
    covers: ["STAT-05"],
    needs: ["slow"],
    slowMs: 6500,
    exclusive: true,
    run: async (context) => {
      const both = "a job that waited and worked";
      const rows: readonly ExpectedTimes[] = [
        { at: "a job that only waited", queueMs: 2000, workMs: 0 },
        { at: "a job that only worked", queueMs: 0, workMs: 2000 },
        ...context.time.choose<readonly ExpectedTimes[]>({
          virtual: [
            { at: both, queueMs: 1000, workMs: 2000 },
            { at: "a job that waited for minutes", queueMs: 200_000, workMs: 0 },
            { at: `${both}, of runsync`, queueMs: 4000, workMs: 2000, by: "runsync" },
            { at: "a runsync job that only worked", queueMs: 0, workMs: 3000, by: "runsync" },
          ],
          real: [{ at: `${both}, of runsync`, queueMs: 2000, workMs: 2000, by: "runsync" }],
        }),
      ];
      // A job that only waits has to end as soon as it starts, which is not known of jobs from a jobs file.
      for (const { at, ...took } of rows.filter(({ workMs }) => context.jobs.exact || workMs > 0)) {
        const job = await queuedAndWorked(context, took);
        expectQueueAndWorkTimes(context, job, { at, ...took });
      }
    },
  },
  {
    name: "status/times-of-a-retried-job",
    title: "delayTime of a retried job tells nothing of the time in which it had failed",
    covers: ["STAT-05"],
    needs: ["failing", "slow"],
    slowMs: 4000,
    stalls: true,
    stallMsMax: 2000,
    run: async (context) => {
      const { api, time, jobs } = context;
      const broken = await runToEnd(context, jobs.failingFirst(1, "retried"));
      const firstMs = broken.finishedAt.latestMs - broken.submittedAt.earliestMs;
      if (!jobs.exact && firstMs > realExtraMs)
        throw new Unsupported("the failing job may have waited, or works too long to tell");
      await time.pass(time.choose({ virtual: 60_000, real: 4000 }));
      const ended = await runAfterStall(context, async () => {
        const { exchange, at: submittedAt } = await time.observe(async () => api.retry(broken.id));
        requireRead(readRecord(exchange), "could not retry a job: retry answered");
        await time.pass(queuedMs);
        return [{ id: broken.id, submittedAt }];
      });
      // The first attempt did not wait, so it makes no difference whether the times of attempts add up, which is open.
      for (const job of ended) {
        expectQueueAndWorkTimes(context, job, { at: "a retried job", ...onlyQueued });
      }
    },
  },
  {
    name: "status/times-of-a-failed-job",
    title: "delayTime of a job that failed tells its time in the queue, executionTime does not",
    covers: ["STAT-05"],
    needs: ["failing", "slow"],
    slowMs: 4000,
    realTimeMs: 4000,
    stalls: true,
    stallMsMax: 2000,
    run: async (context) => {
      const ended = await runAfterStall(context, async () => {
        const waiting = await submitJob(context, context.jobs.failing("after a while"));
        await context.time.pass(queuedMs);
        return [waiting];
      });
      for (const job of ended) {
        expectQueueAndWorkTimes(context, job, { at: "a job that failed", ...onlyQueued });
      }
    },
  },
  {
    name: "status/times-of-a-timed-out-job",
    title: "executionTime of a job that timed out tells how long it was processed",
    covers: ["STAT-05"],
    needs: ["slow"],
    slowMs: 6000,
    realTimeMs: 9000,
    stalls: true,
    stallMsMax: 2000,
    run: async (context) => {
      const policy = { executionTimeout: 5000 };
      const took = { queueMs: 2000, workMs: 5000 };
      const job = await queuedAndWorked(context, { ...took, sleepMs: 60_000, policy });
      const work = exactly(took.workMs);
      expectQueueAndWorkTimes(context, job, { at: "a job that timed out", ...took, work });
    },
  },
];

/** The times of a job that waited, and took no time on a worker. */
const onlyQueued = { queueMs: queuedMs, workMs: 0, work: exactly(0) };

interface Plan {
  readonly queueMs: number;
  readonly workMs: number;
  /** Absent: the job ends by itself after `workMs`. */
  readonly sleepMs?: number;
  readonly policy?: Readonly<Record<string, unknown>>;
  /** Absent: run. A runsync job waits for more than its shortest wait of 1000 ms. */
  readonly by?: SubmitOperation;
}

/** Makes a job wait in the queue and then work, each as long as planned. */
async function queuedAndWorked(
  context: CheckContext,
  { queueMs, workMs, sleepMs = workMs, policy, by = "run" }: Plan,
): Promise<FinishedJob> {
  const { api, time, workers } = context;
  const extra = policy === undefined ? {} : { policy };
  const submit = async () => submitJobBy(context, context.jobs.slow(sleepMs), { extra, by });
  const workedAtLeastMs = policy === undefined ? context.jobs.lengthOf(workMs).atLeastMs : workMs;
  if (queueMs === 0) return waitForCompletion(context, await submit(), workedAtLeastMs);

  const { job, at } = await workers.whileStalled(async () => {
    const queued = await submit();
    await time.pass(by === "run" ? queueMs : queueMs - answeredSyncMs);
    const { exchange, at: moment } = await time.observe(async () => api.status(queued.id));
    const record = requireRead(
      readRecord(exchange),
      "could not read the job this check needs: status answered",
    );
    requireState({ record }, "IN_QUEUE");
    return { job: queued, at: moment };
  });
  const ended = await waitForCompletion(context, { ...job, submittedAt: at }, workedAtLeastMs);
  return { ...ended, submittedAt: job.submittedAt };
}

interface ExpectedTimes extends Plan {
  readonly at: string;
  /** Absent: as long as a slow job works. */
  readonly work?: WorkLength;
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
  throw new Inconclusive(
    `delayTime and executionTime are not both numbers: ${JSON.stringify(record)}`,
  );
}

/** A cancelled job was stopped rather than finished: it may have no times, but no wrong ones. */
function rightWhereMissing(job: FinishedJob, { queueMs, workMs }: Plan): FinishedJob {
  const { record } = job;
  if (record.status !== "CANCELLED") return job;
  return { ...job, record: { delayTime: queueMs, executionTime: workMs, ...record } };
}

/** The unit in which a number gives a known time, if any. The two readings differ by a factor of 1000. */
function unitOf(
  told: number,
  { atLeastMs, atMostMs }: WorkLength,
): "milliseconds" | "seconds" | undefined {
  if (told >= atLeastMs / 2 && told <= 10 * atMostMs) return "milliseconds";
  if (told >= atLeastMs / 2000 && told <= atMostMs / 100) return "seconds";
  return undefined;
}

/** Records a difference unless the times tell, in one unit, how long the job waited and worked. */
export function expectQueueAndWorkTimes(
  { time, jobs, expect }: CheckContext,
  job: FinishedJob,
  { at, queueMs, workMs, work = jobs.lengthOf(workMs) }: ExpectedTimes,
): void {
  const { delayTime, executionTime } = timesOf(rightWhereMissing(job, { queueMs, workMs }));
  const extraMs = time.choose({ virtual: time.marginMs, real: realExtraMs });
  // Where a job took longer than planned, it is not known whether it waited or worked longer.
  const tookMs = job.finishedAt.latestMs - job.submittedAt.earliestMs;
  const lateMs = time.choose({
    virtual: 0,
    real: Math.max(0, Math.ceil(tookMs - queueMs - work.atMostMs)),
  });
  const rows = [
    { member: "delayTime", told: delayTime, ...atMostLonger(exactly(queueMs), lateMs) },
    { member: "executionTime", told: executionTime, ...atMostLonger(work, lateMs) },
  ];
  // Both times must fit the same unit, whichever it is (STAT-04). Where none fits, both are compared as milliseconds.
  const unitMs =
    unitsMs.find((unit) => rows.every((row) => fits(row, { extraMs, unitMs: unit }))) ?? 1;
  for (const row of rows) {
    expect.that(fits(row, { extraMs, unitMs }), {
      at: `${at}: ${row.member}`,
      expected: `${inUnits(row, 1)} ms, or ${inUnits(row, 1000)} s`,
      got: String(row.told),
    });
  }
}

/** Whether a number in this unit gives the time; a second may be rounded up or down. */
function fits(
  { told, atLeastMs, atMostMs }: WorkLength & { readonly told: number },
  { extraMs, unitMs }: { readonly extraMs: number; readonly unitMs: number },
): boolean {
  const extra = Math.ceil(extraMs / unitMs);
  return told >= atLeastMs / unitMs - extra && told <= atMostMs / unitMs + extra;
}

function atMostLonger({ atLeastMs, atMostMs }: WorkLength, ms: number): WorkLength {
  return { atLeastMs, atMostMs: atMostMs + ms };
}

export function exactly(ms: number): WorkLength {
  return { atLeastMs: ms, atMostMs: ms };
}

function inUnits({ atLeastMs, atMostMs }: WorkLength, unitMs: number): string {
  const least = String(atLeastMs / unitMs);
  return atLeastMs === atMostMs ? least : `${least} to ${atMostMs / unitMs}`;
}
