import type { Exchange } from "../../client/exchange.ts";
import { awaitRateLimitSlot } from "../../harness/endpoint/rate-limit-slot.ts";
import {
  sendHeldRunsync,
  startJob,
  submitJobBy,
  submitOperationsOf,
} from "../../harness/jobs/submit.ts";
import { submitJob, waitForEnd } from "../../harness/jobs/fixtures.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { Hook } from "../../harness/webhooks/hook.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { expectAnswer, promptAnswerMsMax } from "../answer-in-time.ts";
import { callsOf, countedCallsOf, firstCall, submitJobWith } from "../webhook/calls.ts";

const needs = ["handler", "workers", "endpoints", "clock"] as const;
const longWorkMs = 60_000;
const waitMs = 90_000;
/** A webhook whose calls all fail is called so often (HOOK-04). */
const attemptsMax = 3;
const late = { timeoutMs: promptAnswerMsMax };

/** A request whose answer has nothing to wait for, and the requirement that is broken if it waits. */
type Step = readonly [of: RequirementId, at: string, send: () => Promise<Exchange>];

async function expectAnswers({ api, expect }: CheckContext, steps: readonly Step[]): Promise<void> {
  for (const [of, at, send] of steps) {
    const exchange = await send();
    await expectAnswer({ api, expect: expect.of(of) }, exchange, at);
    if (exchange.answer !== undefined) expect.of(of).accepted(exchange, at);
  }
}

/** Steps that retry a failed job of run and one of runsync; while workers are busy these jobs wait again. */
async function retriesOfFailed(context: CheckContext): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const by of submitOperationsOf(context)) {
    const { id } = await submitJobBy(context, context.jobs.failingFirst(1, by), { by });
    const retry = async (): Promise<Exchange> => context.api.retry(id, late);
    steps.push(["RETR-01", `retry of a failed ${by} job`, retry]);
  }
  return steps;
}

/** What concerns no job whose webhook is to be called again; the last cancels a job at work. */
function stepsBesideWebhook({ api }: CheckContext, busyId: string): readonly Step[] {
  return [
    ["HLTH-01", "health", async () => api.health(late)],
    ["PURG-01", "purge-queue", async () => api.purgeQueue(late)],
    ["CANC-03", "cancel of a job at work", async () => api.cancel(busyId, late)],
  ];
}

/** Checks that no answer waits without need: time stands still until each answer has come. */
export const nothingWaitsChecks: readonly Check[] = [
  {
    name: "states/no-answer-waits-for-another",
    title: "every operation answers while requests of runsync wait and jobs work",
    covers: ["RUNA-01", "STAT-01", "STRM-01", "HLTH-01", "RETR-01", "CANC-03", "PURG-01"],
    needs,
    endpoint: { workers: 1 },
    insists: true,
    run: async (context) => {
      const { api, jobs } = context;
      const other = await context.anotherEndpoint();
      // Nothing here has to be waited for: a job that needs no time has ended when it is submitted.
      const done = await submitJob(context, jobs.quick(1));
      const retries = await retriesOfFailed(context);
      const busy = await submitJob(context, jobs.slow(longWorkMs));
      await context.time.settle();
      const queued = await submitJob(context, jobs.quick("queued"));
      const held = [
        await sendHeldRunsync(context, { input: jobs.slow(longWorkMs) }, waitMs),
        await sendHeldRunsync(other, { input: jobs.slow(longWorkMs) }, waitMs),
      ];
      await expectAnswers(context, [
        [
          "RUNA-01",
          "run, beside a runsync that waits",
          async () => api.run({ input: jobs.quick(2) }, late),
        ],
        ["STAT-01", "status of a job at work", async () => api.status(busy.id, late)],
        ["STAT-01", "status of a queued job", async () => api.status(queued.id, late)],
        [
          "STAT-01",
          "status of a queued job, given a ttl",
          async () => api.status(queued.id, { ttl: 60_000, ...late }),
        ],
        ["STRM-01", "stream of a completed job", async () => api.stream(done.id, late)],
        ["HLTH-01", "health", async () => api.health(late)],
        ...retries,
        ["CANC-03", "cancel of a queued job", async () => api.cancel(queued.id, late)],
        ["PURG-01", "purge-queue, while jobs work", async () => api.purgeQueue(late)],
        ["CANC-03", "cancel of a job at work", async () => api.cancel(busy.id, late)],
      ]);
      for (const { time } of [context, other]) await time.pass(waitMs);
      await Promise.all(held.map(async ({ answer }) => answer));
    },
  },
  {
    name: "states/no-answer-waits-for-the-webhook-of-another",
    title:
      "health, cancel and purge-queue answer, and another job's webhook is called, while one is to be called again",
    covers: ["HLTH-01", "CANC-03", "PURG-01", "HOOK-01"],
    needs: ["quick", "slow", "webhook"],
    slowMs: 4000,
    realTimeMs: 3000,
    exclusive: true,
    purges: 1,
    insists: true,
    run: async (context) => {
      const { jobs } = context;
      const receiver = await context.receiver();
      const failing = receiver.hook(500);
      await awaitRateLimitSlot(context, "purge-queue");
      await submitJobWith(context, failing, { input: jobs.quick(1) });
      await firstCall(context, failing);
      const busy = await startJob(context, jobs.slow(longWorkMs));
      await expectAnswers(context, stepsBesideWebhook(context, busy.id));
      await expectPromptCall(context, receiver.hook(), failing);
    },
  },
  {
    name: "states/no-answer-waits-for-a-webhook",
    title: "every operation answers, and other jobs go on, while webhooks are to be called again",
    covers: [
      "HOOK-09",
      "HOOK-01",
      "SYNC-02",
      "STRM-01",
      "RETR-01",
      "HLTH-01",
      "CANC-03",
      "PURG-01",
    ],
    needs: [...needs, "webhook"],
    endpoint: { workers: 1 },
    insists: true,
    run: async (context) => {
      const { api, jobs } = context;
      const receiver = await context.receiver();
      const failing = receiver.hook(500);
      const flaky = await submitJobWith(context, failing, { input: jobs.failingFirst(1, "again") });
      const done = await submitJobWith(context, failing, { input: jobs.quick(1) });
      const body = { input: jobs.quick("sync"), webhook: failing.url };
      const ofRunsync = "runsync of a job whose webhook is to be called again";
      await expectAnswers(context, [["SYNC-02", ofRunsync, async () => api.runsync(body, late)]]);
      const busy = await submitJob(context, jobs.slow(longWorkMs));
      await context.time.settle();
      const queued = await submitJob(context, jobs.quick("queued"));
      await callsOf(context, failing, 1);
      await expectAnswers(context, [
        [
          "HOOK-09",
          "status of a job whose webhook is to be called again",
          async () => api.status(done.id, late),
        ],
        ["HOOK-09", "run", async () => api.run({ input: jobs.quick(2) }, late)],
        [
          "STRM-01",
          "stream of a job whose webhook is to be called again",
          async () => api.stream(done.id, late),
        ],
        [
          "RETR-01",
          "retry of a job whose webhook is to be called again",
          async () => api.retry(flaky.id, late),
        ],
        ["CANC-03", "cancel of a queued job", async () => api.cancel(queued.id, late)],
        ...stepsBesideWebhook(context, busy.id),
      ]);
      await expectPromptCall(context, receiver.hook(), failing);
    },
  },
];

/**
 * Records a difference unless a quick job's webhook is called once, and not only when another, which had been called once
 * as the job ended, has been called for the last time.
 */
async function expectPromptCall(context: CheckContext, hook: Hook, failing: Hook): Promise<void> {
  let callsAtEnd: number | undefined;
  let isLate = false;
  hook.meanwhile = async () => {
    isLate ||= (callsAtEnd ?? attemptsMax) <= 1 && failing.attempts.length >= attemptsMax;
    return Promise.resolve();
  };
  const job = await submitJobWith(context, hook, { input: context.jobs.quick("next") });
  await waitForEnd(context, job);
  callsAtEnd = failing.attempts.length;
  const calls = await countedCallsOf(context, hook, 1);
  const at = "calls of a job, while another webhook is to be called again";
  context.expect.of("HOOK-01").equal(calls.length, 1, at);
  context.expect.of("HOOK-01").equal(isLate, false, `${at}: came after the last of the other`);
}
