import { bodyOf } from "../../client/index.ts";
import type { Answer, Exchange } from "../../client/index.ts";
import { answerSchema, describeErrors, validators } from "../../openapi/index.ts";
import {
  answerOf,
  finalStates,
  heldRunsync,
  inputs,
  isOver,
  isSuccess,
  outline,
  stateOf,
  submitted,
  takeRoom,
  Undecided,
} from "../../harness/index.ts";
import type { Check, SubmittedJob, Tools } from "../../harness/index.ts";
import { cancelled } from "../cancel/kit.ts";

/** Checks of the form of every success (ENDP-03, ENDP-05), in every state a job can be in. */
export const answerChecks: readonly Check[] = [
  {
    name: "endpoint/answers-without-a-handler",
    title: "run, status, health and the optional operations answer JSON as their schemas say",
    covers: ["ENDP-03", "ENDP-05"],
    needs: [],
    run: async (tools) => {
      const { api, offers } = tools;
      const exchange = await api.run({ input: inputs.echo("any") });
      expectForm(tools, exchange, "run");
      expectForm(tools, await api.health(), "health");
      const job = await submitted(tools, inputs.echo("any"));
      expectForm(tools, await found(tools, job), "status of a new job");
      if (offers("openai")) expectForm(tools, await api.openai({ messages: [] }), "openai");
      if (offers("requests")) {
        await takeRoom(tools, "requests");
        expectForm(tools, await api.requests(), "requests");
      }
    },
  },
  {
    name: "endpoint/answers-of-a-queued-job",
    title: "status, stream, runsync, health, cancel and purge-queue answer JSON while jobs wait",
    covers: ["ENDP-03", "ENDP-05"],
    needs: ["handler"],
    realTimeMs: 2000,
    exclusive: true,
    run: async (tools) => {
      const { api, workers, offers } = tools;
      await workers.stall();
      const job = await submitted(tools, inputs.echo("waits"));
      await found(tools, job);
      await expectReads(tools, job, "a queued job");
      expectForm(tools, await waitedOut(tools, inputs.echo("waits too")), "runsync, wait over");
      expectForm(tools, await cancelled(tools, job), "cancel of a queued job");
      await expectReads(tools, job, "a job cancelled in the queue");
      // It would empty the queue of every check that shares the endpoint.
      if (offers("endpoints")) {
        expectForm(tools, await api.purgeQueue(), "purge-queue with a job waiting");
        expectForm(tools, await api.purgeQueue(), "purge-queue of an empty queue");
      }
      await workers.resume();
    },
  },
  {
    name: "endpoint/answers-of-a-running-job",
    title: "status, stream, runsync, health and cancel answer JSON while a job is in progress",
    covers: ["ENDP-03", "ENDP-05"],
    needs: ["handler"],
    realTimeMs: 2000,
    endpoint: { workers: 2 },
    run: async (tools) => {
      const { time } = tools;
      const job = await submitted(tools, inputs.stream(60, 500));
      await tools.time.until(
        async () => tools.api.status(job.id),
        (exchange) => stateOf(exchange) !== "IN_QUEUE",
      );
      expectForm(tools, await waitedOut(tools, inputs.sleep(5000)), "runsync, wait over");
      if (!time.virtual) await time.pass(600);
      await expectReads(tools, job, "a job in progress", "streams");
      expectForm(tools, await cancelled(tools, job), "cancel of a job in progress");
      await expectReads(tools, job, "a job cancelled at work");
    },
  },
  {
    name: "endpoint/answers-of-a-completed-job",
    title: "status, stream and runsync answer JSON once a job has completed, whatever its output",
    covers: ["ENDP-03", "ENDP-05"],
    needs: ["handler"],
    run: async (tools) => {
      const { api } = tools;
      const job = await ended(tools, inputs.echo("done"));
      await expectReads(tools, job, "a completed job");
      const cancel = await cancelled(tools, job);
      // A refusal is another way to answer (CANC-06).
      if (isSuccess(answerOf(cancel))) expectForm(tools, cancel, "cancel of a completed job");
      const streamed = await ended(tools, inputs.stream(3, 0));
      await expectReads(tools, streamed, "a completed job that streamed", "streams");
      const text = await ended(tools, inputs.text(60, 3, 0));
      await expectReads(tools, text, "a completed job that streamed text", "streams");
      for (const [label, input] of [
        ["echo", inputs.echo({ nested: [null, "✓"] })],
        ["stream, whose output is an array", inputs.stream(2, 0)],
        ["whoami", inputs.whoami()],
      ] as const) {
        expectForm(tools, await api.runsync({ input }), `runsync of ${label}`);
      }
    },
  },
  {
    name: "endpoint/answers-of-a-failed-job",
    title: "status, stream, retry and health answer JSON once a job has failed",
    covers: ["ENDP-03", "ENDP-05"],
    needs: ["handler"],
    run: async (tools) => {
      const { api } = tools;
      const job = await ended(tools, inputs.fail("asked to fail"));
      await expectReads(tools, job, "a failed job");
      expectForm(tools, await api.retry(job.id), "retry of a failed job");
      await over(tools, job);
      await expectReads(tools, job, "a job that failed again");
      const flaky = await ended(tools, inputs.flaky(1, "at last"));
      expectForm(tools, await api.retry(flaky.id), "retry of a flaky job");
      await over(tools, flaky);
      await expectReads(tools, flaky, "a job that completed on its second attempt");
      const runsync = await api.runsync({ input: inputs.fail("asked to fail") });
      // 500 is another way to tell of a failed job (SYNC-10).
      if (isSuccess(answerOf(runsync))) expectForm(tools, runsync, "runsync of a job that fails");
    },
  },
  {
    name: "endpoint/answers-of-a-timed-out-job",
    title: "status, stream and retry answer JSON once a job has timed out",
    covers: ["ENDP-03", "ENDP-05"],
    needs: ["handler"],
    realTimeMs: 6000,
    run: async (tools) => {
      const { api } = tools;
      const policy = { executionTimeout: 5000 };
      const job = await submitted(tools, inputs.sleep(20_000), { policy });
      const state = stateOf(await over(tools, job, 5001));
      if (finalStates.includes(state) && state !== "TIMED_OUT") {
        throw new Undecided(`a job had to end TIMED_OUT, but it is ${state}`);
      }
      await expectReads(tools, job, "a job that timed out");
      expectForm(tools, await api.retry(job.id), "retry of a job that timed out");
      await cancelled(tools, job);
    },
  },
];

/** Everything that can be read while a job is in a state. The stream of a job that does not stream is any array. */
async function expectReads(
  tools: Tools,
  { id }: SubmittedJob,
  state: string,
  streams: "streams" | "does not stream" = "does not stream",
): Promise<void> {
  const { api } = tools;
  expectForm(tools, await api.status(id), `status of ${state}`);
  const stream = await api.stream(id);
  if (streams === "streams") expectForm(tools, stream, `stream of ${state}`);
  else if (isSuccess(answerOf(stream))) expectArray(tools, stream, `stream of ${state}`);
  expectForm(tools, await api.health(), `health beside ${state}`);
}

/** A success has a JSON body, says so, and the body is as its operation's schema wants it. */
function expectForm(tools: Tools, exchange: Exchange, at: string): void {
  const { operation } = exchange;
  const answer = successOf(exchange, at);
  const value = expectJson(tools, answer, at);
  const validate = validators[answerSchema[operation]];
  const valid = validate(value);
  tools.expect.of("ENDP-05").that(valid, {
    at,
    expected: `a valid ${answerSchema[operation]}`,
    got: valid ? "" : `${outline(answer)}: ${describeErrors(validate.errors)}`,
  });
}

function expectArray(tools: Tools, exchange: Exchange, at: string): void {
  const answer = successOf(exchange, at);
  const value = expectJson(tools, answer, at);
  const got = outline(answer);
  tools.expect.of("ENDP-05").that(Array.isArray(value), { at, expected: "a JSON array", got });
}

function expectJson({ expect }: Tools, answer: Answer, at: string): unknown {
  const type = answer.headers["content-type"];
  const mediaType = type?.split(";")[0]?.trim().toLowerCase();
  expect.that(mediaType === "application/json", {
    at,
    expected: "content-type application/json",
    got: type ?? "no content-type",
  });
  const parsed = bodyOf(answer);
  expect.that(parsed.ok, { at, expected: "a JSON body", got: outline(answer) });
  return parsed.ok ? parsed.value : undefined;
}

/** The record of a job as soon as there is one. */
async function found({ api, time }: Tools, { id }: SubmittedJob): Promise<Exchange> {
  return time.until(
    async () => api.status(id),
    (exchange) => isSuccess(answerOf(exchange)),
  );
}

async function ended(tools: Tools, input: unknown): Promise<SubmittedJob> {
  const job = await submitted(tools, input);
  await over(tools, job);
  return job;
}

/** Waits for the end of a job; a record that cannot be read is what is looked for here, and no obstacle. */
async function over({ api, time }: Tools, { id }: SubmittedJob, withinMs = 0): Promise<Exchange> {
  return time.until(
    async () => api.status(id),
    (exchange) => isSuccess(answerOf(exchange)) && isOver(exchange),
    withinMs,
  );
}

/** The answer of a runsync whose wait is over before its job has ended. */
async function waitedOut(tools: Tools, input: unknown): Promise<Exchange> {
  const waitMs = 1000;
  const held = await heldRunsync(tools, { input }, waitMs);
  if (tools.time.virtual) await tools.time.pass(waitMs + 1);
  return held.answer;
}

/** Whether the operation succeeds is for other checks to judge. */
function successOf(exchange: Exchange, at: string): Answer {
  const answer = answerOf(exchange);
  if (isSuccess(answer)) return answer;
  throw new Undecided(`${at} had to succeed: ${outline(answer)}`);
}
