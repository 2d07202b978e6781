import { readRecord, stateOf } from "../../harness/record.ts";
import { requireRead, requireState, retryJob, waitForEnd } from "../../harness/jobs/fixtures.ts";
import { sendHeldRunsync, submitJobBy } from "../../harness/jobs/submit.ts";
import { retentionMs } from "../../harness/jobs/retention.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { FinishedJob, SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { Schemas } from "../../openapi/schemas.ts";
import type { Hook } from "../../harness/webhooks/hook.ts";
import { readingOfEnd } from "../runsync/retention.ts";
import { expectSameRecord, requireCountableCalls, completionsOf } from "../webhook/calls.ts";
import { healthOf } from "./volume.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { sampleMs } from "../status/ttl.ts";
import { unfinishedOrCompleted } from "../../harness/jobs/job-state.ts";
import { s3ConfigOf } from "../s3/config.ts";

const executionTimeout = 10_000;
/** The ttl where it is to end the job, and where it is not. Whether a retry starts a ttl anew is open. */
const ttls = { ends: 16_000, lasts: 600_000 };

/** One way to end for a job that waits for a worker in its last attempt. */
interface Ending {
  readonly name: string;
  /** The requirement that is broken where the job does not end in this way. */
  readonly requirement: RequirementId;
  readonly ttl: number;
  readonly input: (context: CheckContext, isRetried: boolean) => JobInput;
  /** Brings the end about; absent: it comes by itself. Where `works` is true, there are workers already. */
  readonly happen?: (context: CheckContext, job: SubmittedJob) => Promise<void>;
  readonly works: boolean;
  /** The states allowed in the end. Empty: any in which a job neither waits nor works nor has completed. */
  readonly states: readonly string[];
}

const slow = ({ jobs }: CheckContext): JobInput => jobs.slow(600_000, "never");
const cancel = async ({ api, expect }: CheckContext, { id }: SubmittedJob): Promise<void> => {
  expect.of("CANC-02").accepted(await api.cancel(id), "cancel");
};

const endings: readonly Ending[] = [
  {
    name: "completes",
    ttl: ttls.lasts,
    requirement: "LIFE-03",
    input: ({ jobs }, isRetried) => jobs.failingFirst(isRetried ? 1 : 0, "done"),
    works: true,
    states: ["COMPLETED"],
  },
  {
    name: "fails",
    ttl: ttls.lasts,
    requirement: "LIFE-04",
    input: ({ jobs }) => jobs.failing("asked to"),
    works: true,
    states: ["FAILED"],
  },
  {
    name: "times out",
    ttl: ttls.lasts,
    requirement: "POLI-04",
    input: slow,
    happen: async ({ time }) => time.pass(executionTimeout + 1),
    works: true,
    states: ["TIMED_OUT"],
  },
  {
    name: "expires at work",
    ttl: ttls.ends,
    requirement: "POLI-09",
    input: slow,
    happen: async ({ time }) => time.pass(executionTimeout - 1),
    works: true,
    states: [],
  },
  {
    name: "expires in the queue",
    ttl: ttls.ends,
    requirement: "POLI-08",
    input: slow,
    happen: async ({ time }) => time.pass(ttls.ends + 1),
    works: false,
    states: [],
  },
  {
    name: "expires by the ttl of status",
    ttl: ttls.lasts,
    requirement: "STAT-06",
    input: slow,
    happen: async ({ api, time }, { id }) => {
      await api.status(id, { ttl: sampleMs });
      await time.pass(sampleMs + 1);
    },
    works: false,
    states: [],
  },
  {
    name: "is cancelled at work",
    ttl: ttls.lasts,
    requirement: "CANC-04",
    input: slow,
    happen: cancel,
    works: true,
    states: ["CANCELLED"],
  },
  {
    name: "is cancelled in the queue, which then is purged",
    ttl: ttls.lasts,
    requirement: "CANC-04",
    input: slow,
    happen: async (context, job) => {
      await cancel(context, job);
      await context.endpoint.purge();
    },
    works: false,
    states: ["CANCELLED"],
  },
];

const needs = ["handler", "workers", "endpoints", "clock", "webhook"] as const;

/** What a job with every option shows about the ways to end, whichever operation submitted it. */
const ofEachWayToEnd = [
  "LIFE-03",
  "LIFE-04",
  "POLI-04",
  "POLI-08",
  "POLI-09",
  "STAT-06",
  "CANC-02",
  "CANC-04",
  "HLTH-02",
  "HLTH-03",
  "HLTH-04",
  "HLTH-05",
  "HOOK-01",
  "HOOK-02",
  "HOOK-04",
] as const;

/** Checks that options that work by themselves also work together. */
export const combinationChecks: readonly Check[] = [
  {
    name: "states/run-job-with-every-option",
    title: "a job of run with every option ends in each way as one without, retried or not",
    covers: [...ofEachWayToEnd, "RUNA-04"],
    needs,
    endpoint: { workers: 1 },
    run: async (context) => expectEndings(context, "run"),
  },
  {
    name: "states/runsync-job-with-every-option",
    title: "a job of runsync with every option ends in each way as one without, retried or not",
    covers: [...ofEachWayToEnd, "SYNC-01", "SYNC-02", "SYNC-07", "SYNC-08", "STRM-02"],
    needs,
    endpoint: { workers: 1 },
    run: async (context) => {
      await expectWaiting(context);
      await expectEndings(context, "runsync");
    },
  },
];

async function expectEndings(context: CheckContext, by: SubmitOperation): Promise<void> {
  for (const ending of endings) await expectEnding(context, ending, { by, isRetried: true });
  // One ending is enough to show a fault that only a first attempt has.
  for (const ending of endings.slice(0, 1)) {
    await expectEnding(context, ending, { by, isRetried: false });
  }
}

/** Expects runsync with every option to wait for its job, and a job that outlasts its wait to keep its chunks. */
async function expectWaiting(context: CheckContext): Promise<void> {
  const { api, time, expect, jobs } = context;
  const policy = { executionTimeout, ttl: ttls.lasts, lowPriority: true };
  const webhook = (await context.receiver()).hook().url;
  const held = await sendHeldRunsync(context, {
    input: jobs.slow(500, 1),
    policy,
    s3Config: s3ConfigOf(context.random),
    webhook,
  });
  const words = { at: "runsync with every option", expected: "no answer yet", got: "an answer" };
  expect.of("SYNC-02").that(!held.isAnswered(), words);
  await time.advance(501);
  const body = expect.of("SYNC-01").record(await held.answer, "runsync with every option");
  const shown = { status: body.status, output: body["output"] };
  expect.of("SYNC-01").equal(shown, { status: "COMPLETED", output: { value: 1 } }, "its record");
  const extra = { policy, s3Config: s3ConfigOf(context.random), webhook };
  const stream = await submitJobBy(context, jobs.streaming(3, 1000), { by: "runsync", extra });
  await waitForEnd(context, stream, 3000);
  const chunks = expect.of("STRM-02").body(await api.stream(stream.id), "StreamAnswer");
  expect
    .of("STRM-02")
    .equal(chunks.length, 3, "chunks of a runsync job that was slower than its wait");
}

interface Way {
  readonly by: SubmitOperation;
  readonly isRetried: boolean;
}

async function expectEnding(context: CheckContext, ending: Ending, way: Way): Promise<void> {
  const { time, workers, expect } = context;
  const at = `a job of ${way.by} that ${ending.name}${way.isRetried ? ", retried" : ""}`;
  await workers.set(1);
  const hook = (await context.receiver()).hook(500);
  const job = await arrange(context, ending, { ...way, hook });
  const before = await healthOf(context);
  expect.of("HLTH-02").equal(before.jobs.inQueue, 1, `inQueue, before ${at}`);
  if (ending.works) {
    // A job that is to expire at work starts so late that its ttl runs out before its executionTimeout.
    const isToExpire = ending.requirement === "POLI-09";
    await time.pass(isToExpire ? ending.ttl - executionTimeout + 2 : 500);
    await workers.set(1);
    await time.settle();
  }
  await ending.happen?.(context, job);
  await time.settle();
  const state = stateOf(await context.api.status(job.id));
  const { states } = ending;
  const holds =
    states.length === 0 ? !unfinishedOrCompleted.includes(state) : states.includes(state);
  const expected = states.length === 0 ? "no unfinished or completed job" : states.join();
  expect.of(ending.requirement).that(holds, { at, expected, got: state });
  await expectCounts(context, { before, at, state, ending });
  if (state === "COMPLETED") await expectResult(context, { job, hook, at, by: way.by });
}

/** Submits the job, retries it if that is wanted, and leaves it waiting for its last attempt without a worker. */
async function arrange(
  context: CheckContext,
  ending: Ending,
  { by, isRetried, hook }: Way & { readonly hook: Hook },
): Promise<SubmittedJob> {
  const { workers, expect } = context;
  const policy = { executionTimeout, ttl: ending.ttl, lowPriority: true };
  const submission = {
    by,
    extra: { policy, s3Config: s3ConfigOf(context.random), webhook: hook.url },
  };
  const input = ending.input(context, isRetried);
  if (!isRetried) {
    await workers.set(0);
    return submitJobBy(context, input, submission);
  }
  const job = await submitJobBy(context, input, submission);
  const { record } = await waitForFirstEnd(context, job);
  if (record.status !== "FAILED") requireState({ record }, "TIMED_OUT");
  await workers.set(0);
  const before = (await healthOf(context)).jobs.retried;
  await retryJob(context, job);
  const grown = (await healthOf(context)).jobs.retried - before;
  expect.of("HLTH-04").equal(grown, 1, `growth of retried, ${by}`);
  return job;
}

/** Waits for the end of a first attempt, which fails or runs past its executionTimeout. */
async function waitForFirstEnd(context: CheckContext, job: SubmittedJob): Promise<FinishedJob> {
  const { api, time, expect } = context;
  await time.settle();
  if (stateOf(await api.status(job.id)) === "IN_PROGRESS") {
    await time.pass(executionTimeout + 1);
    const state = stateOf(await api.status(job.id));
    const words = { at: "a job with every option", expected: "an end in time", got: state };
    expect.of("POLI-04").that(state !== "IN_PROGRESS", words);
  }
  return waitForEnd(context, job);
}

interface Left {
  readonly before: Schemas["HealthAnswer"];
  readonly at: string;
  readonly state: string;
  readonly ending: Ending;
}

/** Expects the counts of health to show that a job that has ended no longer waits, works or keeps a worker. */
async function expectCounts(
  context: CheckContext,
  { before, at, state, ending }: Left,
): Promise<void> {
  const { expect, workers } = context;
  await workers.set(1);
  const { jobs, workers: seen } = await healthOf(context);
  const { inQueue, inProgress } = jobs;
  expect.of("HLTH-02").equal({ inQueue, inProgress }, { inQueue: 0, inProgress: 0 }, `after ${at}`);
  const { idle, running } = seen;
  expect.of("HLTH-05").equal({ idle, running }, { idle: 1, running: 0 }, `workers after ${at}`);
  const completed = jobs.completed - before.jobs.completed;
  const wanted = state === "COMPLETED" ? 1 : 0;
  expect.of("HLTH-03").equal(completed, wanted, `growth of completed, ${at}`);
  if (state === "CANCELLED") expect.of("CANC-02").equal(running, 0, `workers at work after ${at}`);
  // Whether an expired job counts as failed is not stated, whatever state status shows.
  if (!ending.states.includes("FAILED")) return;
  const failed = jobs.failed - before.jobs.failed;
  expect.of("HLTH-03").equal(failed, 1, `growth of failed, ${at}`);
}

interface Result {
  readonly job: SubmittedJob;
  readonly hook: Hook;
  readonly at: string;
  readonly by: SubmitOperation;
}

/** Expects three calls of a completed job's webhook, which acknowledges none, and the retention of any other job. */
async function expectResult(context: CheckContext, { job, hook, at, by }: Result): Promise<void> {
  const { api, time, expect } = context;
  const record = requireRead(readRecord(await api.status(job.id)), "status answered");
  await time.pass(retentionMs[by] - 1000);
  const calls = await time.until(
    async () => Promise.resolve(completionsOf(hook)),
    ({ length }) => length >= 3,
  );
  if (calls.length !== 3) await requireCountableCalls(context, hook);
  const [call] = calls;
  const words = { at: `webhook of ${at}`, expected: "a call", got: "none" };
  expect
    .about(hook)
    .of("HOOK-01")
    .that(call !== undefined, words);
  expect.of("HOOK-04").equal(calls.length, 3, `calls of ${at}`);
  if (call !== undefined) expectSameRecord(expect.of("HOOK-02"), call, { record, at: words.at });
  const kept = stateOf(await api.status(job.id));
  expect.of(by === "run" ? "RUNA-04" : "SYNC-07").equal(kept, "COMPLETED", `kept, ${at}`);
  if (by === "run") return;
  expect.of("SYNC-08").reading(await readingOfEnd(context, job.id, 1000), at);
}
