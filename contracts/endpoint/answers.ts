import { bodyOf } from "../../client/parsed-body.ts";
import type { Answer, Exchange } from "../../client/exchange.ts";
import { answerSchema } from "../../openapi/operations.ts";
import { describeErrors } from "../../openapi/describe-errors.ts";
import { validators } from "../../openapi/generated/validators.ts";
import { runSyncShortly } from "../../harness/jobs/submit.ts";
import { answerOf, isSuccess, describeAnswer } from "../../harness/read.ts";
import { finalStates, stateOf } from "../../harness/record.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import { isOver } from "../../harness/jobs/job-state.ts";
import { submitJob } from "../../harness/jobs/fixtures.ts";
import { awaitRateLimitSlot } from "../../harness/endpoint/rate-limit-slot.ts";
import { Inconclusive, StateMissed } from "../../harness/outcome.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { cancelJob } from "../cancel/cancel-job.ts";

const covers = ["ENDP-03", "ENDP-05"] as const;

/** Checks of the form of every success (ENDP-03, ENDP-05), in every state a job can be in. */
export const answerChecks: readonly Check[] = [
  {
    name: "endpoint/answers-without-a-handler",
    title: "run, status, health and the optional operations answer JSON as their schemas say",
    covers,
    run: async (context) => {
      const { api, offers } = context;
      // An endpoint that was made for this check has no job yet.
      if (offers("requests") && offers("endpoints")) {
        expectForm(context, await api.requests(), "requests of an endpoint without jobs");
      }
      expectForm(context, await api.run({ input: context.jobs.quick("any") }), "run");
      expectForm(context, await api.health(), "health");
      const job = await submitJob(context, context.jobs.quick("any"));
      expectForm(context, await waitUntilFound(context, job.id), "status of a new job");
      if (offers("openai")) expectForm(context, await api.openai({ messages: [] }), "openai");
      if (offers("requests")) {
        await awaitRateLimitSlot(context, "requests");
        expectForm(context, await api.requests(), "requests");
      }
    },
  },
  {
    name: "endpoint/answers-of-a-queued-job",
    title: "status, stream, runsync, health, cancel and purge-queue answer JSON while jobs wait",
    covers,
    needs: ["quick", "slow"],
    slowMs: 6000,
    realTimeMs: 2000,
    stalls: true,
    run: async (context) => {
      const { api, workers, jobs, offers } = context;
      await workers.whileStalled(async () => {
        const job = await submitJob(context, jobs.quick("waits"));
        await waitUntilFound(context, job.id);
        await expectReads(context, job, "a queued job");
        if (offers("streaming")) {
          const streaming = await submitJob(context, jobs.streaming(3, 0));
          await expectAnyStream(context, streaming, "a queued job that streams");
        }
        const { exchange } = await runSyncShortly(context, { input: jobs.quick("waits too") });
        expectForm(context, exchange, "runsync, wait over");
        expectForm(context, await cancelJob(context, job), "cancel of a queued job");
        await expectReads(context, job, "a job cancelled in the queue");
        // A purge would empty the queue of every check that shares the endpoint.
        if (offers("endpoints")) {
          expectForm(context, await api.purgeQueue(), "purge-queue with a job waiting");
          expectForm(context, await api.purgeQueue(), "purge-queue of an empty queue");
        }
      });
    },
  },
  {
    name: "endpoint/answers-of-a-running-job",
    title: "status, stream, runsync, health and cancel answer JSON while a job is in progress",
    covers,
    needs: ["slow"],
    slowMs: 5000,
    realTimeMs: 2000,
    endpoint: { workers: 2 },
    run: async (context) => {
      const { api, time, jobs } = context;
      const job = await submitJob(context, jobs.slowYielding(60, 500));
      await time.until(
        async () => api.status(job.id),
        (exchange) => stateOf(exchange) !== "IN_QUEUE",
      );
      const { exchange } = await runSyncShortly(context, { input: jobs.slow(5000) });
      expectForm(context, exchange, "runsync, wait over");
      await time.pass(time.choose({ virtual: 0, real: 600 }));
      const streams = jobs.exact ? "streams" : "does not stream";
      await expectReads(context, job, "a job in progress", streams);
      expectForm(context, await cancelJob(context, job), "cancel of a job in progress");
      await expectReads(context, job, "a job cancelled at work");
    },
  },
  {
    name: "endpoint/answers-of-a-completed-job",
    title: "status, stream and runsync answer JSON once a job has completed, whatever its output",
    covers,
    needs: ["quick"],
    run: async (context) => {
      const { api } = context;
      const job = await submitAndWaitUntilOver(context, context.jobs.quick("done"));
      await expectReads(context, job, "a completed job");
      const cancel = await cancelJob(context, job);
      // A refusal is another way to answer (CANC-06).
      if (isSuccess(answerOf(cancel))) expectForm(context, cancel, "cancel of a completed job");
      if (context.offers("streaming")) {
        const streamed = await submitAndWaitUntilOver(context, context.jobs.streaming(3, 0));
        await expectReads(context, streamed, "a completed job that streamed", "streams");
      }
      if (!context.jobs.exact) {
        const again = await api.runsync({ input: context.jobs.quick("again") });
        expectForm(context, again, "runsync");
        return;
      }
      const long = context.jobs.quick("x".repeat(200_000));
      const { id } = await submitAndWaitUntilOver(context, long);
      expectForm(context, await api.status(id), "status of a job with a long output");
      const text = await submitAndWaitUntilOver(context, inputs.text(60, 3, 0));
      await expectReads(context, text, "a completed job that streamed text", "streams");
      for (const [label, input] of [
        ["echo", context.jobs.quick({ nested: [null, "✓"] })],
        ["stream, whose output is an array", context.jobs.streaming(2, 0)],
        ["whoami", inputs.whoami()],
        ["echo of a long text", long],
      ] as const) {
        expectForm(context, await api.runsync({ input }), `runsync of ${label}`);
      }
    },
  },
  {
    name: "endpoint/answers-of-a-failed-job",
    title: "status, stream, retry and health answer JSON once a job has failed",
    covers,
    needs: ["failing"],
    run: async (context) => {
      const { api } = context;
      const job = await submitAndWaitUntilOver(context, context.jobs.failing("asked to fail"));
      await expectReads(context, job, "a failed job");
      expectForm(context, await api.retry(job.id), "retry of a failed job");
      await waitUntilOver(context, job);
      await expectReads(context, job, "a job that failed again");
      const flaky = await submitAndWaitUntilOver(context, context.jobs.failingFirst(1, "at last"));
      expectForm(context, await api.retry(flaky.id), "retry of a flaky job");
      await waitUntilOver(context, flaky);
      await expectReads(context, flaky, "a job that completed on its second attempt");
      const runsync = await api.runsync({ input: context.jobs.failing("asked to fail") });
      // 500 is another way to tell of a failed job (SYNC-10).
      if (isSuccess(answerOf(runsync))) expectForm(context, runsync, "runsync of a job that fails");
    },
  },
  {
    name: "endpoint/answers-of-a-timed-out-job",
    title: "status, stream and retry answer JSON once a job has timed out",
    covers,
    needs: ["slow"],
    slowMs: 6000,
    realTimeMs: 6000,
    run: async (context) => {
      const { api } = context;
      const policy = { executionTimeout: 5000 };
      const job = await submitJob(context, context.jobs.slow(20_000), { policy });
      const state = stateOf(await waitUntilOver(context, job, 5001));
      if (finalStates.includes(state) && state !== "TIMED_OUT") {
        throw new StateMissed("TIMED_OUT", state);
      }
      await expectReads(context, job, "a job that timed out");
      expectForm(context, await api.retry(job.id), "retry of a job that timed out");
      await cancelJob(context, job);
    },
  },
];

/** Checks the form of every read while a job is in a state. A job that does not stream may give any array. */
async function expectReads(
  context: CheckContext,
  job: SubmittedJob,
  state: string,
  streams: "streams" | "does not stream" = "does not stream",
): Promise<void> {
  const { api } = context;
  expectForm(context, await api.status(job.id), `status of ${state}`);
  if (streams === "does not stream") await expectAnyStream(context, job, state);
  else expectForm(context, await api.stream(job.id), `stream of ${state}`);
  expectForm(context, await api.health(), `health beside ${state}`);
}

/** Checks the form of a stream that may hold any array, where it is a success. */
async function expectAnyStream(
  context: CheckContext,
  { id }: SubmittedJob,
  state: string,
): Promise<void> {
  const stream = await context.api.stream(id);
  if (isSuccess(answerOf(stream))) expectArray(context, stream, `stream of ${state}`);
}

/** Records a difference unless a success has a JSON body, declares it, and matches the schema of its operation. */
function expectForm(context: CheckContext, exchange: Exchange, at: string): void {
  const { operation } = exchange;
  const answer = successOf(exchange, at);
  const value = expectJson(context, answer, at);
  const validate = validators[answerSchema[operation]];
  const valid = validate(value);
  context.expect.of("ENDP-05").that(valid, {
    at,
    expected: `a valid ${answerSchema[operation]}`,
    got: valid ? "" : `${describeAnswer(answer)}: ${describeErrors(validate.errors)}`,
  });
}

function expectArray(context: CheckContext, exchange: Exchange, at: string): void {
  const answer = successOf(exchange, at);
  const value = expectJson(context, answer, at);
  const got = describeAnswer(answer);
  context.expect.of("ENDP-05").that(Array.isArray(value), { at, expected: "a JSON array", got });
}

function expectJson({ expect }: CheckContext, answer: Answer, at: string): unknown {
  const type = answer.headers["content-type"];
  const mediaType = type?.split(";")[0]?.trim().toLowerCase();
  expect.that(mediaType === "application/json", {
    at,
    expected: "content-type application/json",
    got: type ?? "no content-type",
  });
  const parsed = bodyOf(answer);
  const flaw = parsed.ok && parsed.flaw !== undefined ? `: ${parsed.flaw}` : "";
  const isJson = parsed.ok && flaw === "";
  expect.that(isJson, { at, expected: "a JSON body", got: `${describeAnswer(answer)}${flaw}` });
  return parsed.ok ? parsed.value : undefined;
}

/** The record of a job as soon as there is one. */
async function waitUntilFound({ api, time }: CheckContext, id: string): Promise<Exchange> {
  return time.until(
    async () => api.status(id),
    (exchange) => isSuccess(answerOf(exchange)),
  );
}

async function submitAndWaitUntilOver(
  context: CheckContext,
  input: unknown,
): Promise<SubmittedJob> {
  const job = await submitJob(context, input);
  await waitUntilOver(context, job);
  return job;
}

/** Waits for the end of a job. Does not throw where a record is invalid, because that is what is checked here. */
async function waitUntilOver(
  { api, time }: CheckContext,
  { id }: SubmittedJob,
  withinMs = 0,
): Promise<Exchange> {
  return time.until(
    async () => api.status(id),
    (exchange) => isSuccess(answerOf(exchange)) && isOver(exchange),
    withinMs,
  );
}

/** @throws Inconclusive where the operation did not succeed: other checks judge that */
function successOf(exchange: Exchange, at: string): Answer {
  const answer = answerOf(exchange);
  if (isSuccess(answer)) return answer;
  throw new Inconclusive(`${at} did not succeed: ${describeAnswer(answer)}`);
}
