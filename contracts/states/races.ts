import type { Exchange } from "../../client/exchange.ts";
import { answerOf, isSuccess, readBody } from "../../harness/read.ts";
import {
  runToCompletion,
  runToFailure,
  waitUntilInProgress,
  waitUntilReadable,
  submitJob,
} from "../../harness/jobs/fixtures.ts";
import { waitUntilOverWithin } from "../../harness/jobs/job-state.ts";
import { readRecord, stateOf } from "../../harness/record.ts";
import { awaitRateLimitSlot } from "../../harness/endpoint/rate-limit-slot.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { atOnce } from "./volume.ts";

/** How many requests of one kind are sent at once. Each has a connection of its own. */
const crowd = 4;
/** The number of rounds: more on a virtual clock, where a round costs no waiting. */
function roundsOf({ time }: CheckContext): number {
  return time.choose({ virtual: 6, real: 3 });
}

/** Checks of operations that race for one job; the requests of a race are sent at the same time. */
export const raceChecks: readonly Check[] = [
  {
    name: "states/cancel-against-completion",
    title:
      "a job cancelled at the moment of its completion ends in one of the two states, for good",
    covers: ["LIFE-07"],
    realTimeMs: 8000,
    run: async (context) => {
      const { api, time, random } = context;
      for (let round = 0; round < 2 * roundsOf(context); round += 1) {
        const workMs = time.choose({ virtual: 1000, real: 60 });
        const job = await submitJob(context, context.jobs.slow(workMs, "done"));
        await time.advance(workMs - 1);
        const end = async (): Promise<void> => {
          const aroundMs = Math.round(workMs * (0.7 + 0.6 * random()));
          await time.pass(time.choose({ virtual: 1, real: aroundMs }));
        };
        const cancel = async (): Promise<Exchange> => api.cancel(job.id);
        // Orders: 0 both at once, 1 the end first, 2 the cancel first. The state is read right after the cancel.
        const seen: string[] = [];
        const look = async (): Promise<void> => {
          seen.push(stateOf(await api.status(job.id)));
        };
        const cancelAndLook = async (): Promise<void> => cancel().then(look);
        const order = time.choose({ virtual: round % 3, real: 1 });
        if (order === 1) await end().then(cancelAndLook);
        else if (order === 2) await cancelAndLook().then(end);
        else await Promise.all([cancelAndLook(), end()]);
        await expectOneEnd(context, job.id, { seen, allowed: ["COMPLETED", "CANCELLED"], round });
      }
    },
  },
  {
    name: "states/cancels-at-once",
    title: "a job that several requests cancel at once is CANCELLED, once and for good",
    covers: ["LIFE-07"],
    needs: ["slow"],
    realTimeMs: 4000,
    run: async (context) => {
      const { api, expect } = context;
      for (let round = 0; round < roundsOf(context); round += 1) {
        const job = await submitJob(context, context.jobs.slow(20_000));
        await waitUntilInProgress(context, job);
        const answers = await atOnce(crowd, async () => api.cancel(job.id));
        const got = statusesOf(answers).join(", ");
        const at = `round ${round + 1}, ${crowd} cancels at once`;
        expectEachAnswered(context, answers, at);
        expect.that(answers.some(accepted), { at, expected: "one accepted", got });
        await expectOneEnd(context, job.id, { allowed: ["CANCELLED"], round });
      }
    },
  },
  {
    name: "states/cancels-free-one-worker",
    title: "cancelling a job several times at once frees its one worker once",
    covers: ["LIFE-07"],
    needs: ["slow", "endpoints"],
    run: async (context) => {
      const { api, time, expect } = context;
      const job = await submitJob(context, context.jobs.slow(20_000));
      await waitUntilInProgress(context, job);
      await atOnce(crowd, async () => api.cancel(job.id));
      const next = await atOnce(3, async () => submitJob(context, context.jobs.slow(20_000)));
      const look = async (): Promise<number> => {
        const states = await Promise.all(next.map(async ({ id }) => stateOf(await api.status(id))));
        return states.filter((state) => state === "IN_PROGRESS").length;
      };
      const working = await time.until(look, (count) => count > 0);
      expect.equal(working, 1, "jobs in progress on one worker");
      await Promise.all(next.map(async ({ id }) => api.cancel(id)));
    },
  },
  {
    name: "states/retries-at-once",
    title: "of several retries at once at most one is accepted, and the job is processed once more",
    covers: ["LIFE-07"],
    needs: ["failing", "slow"],
    slowMs: 4000,
    exclusive: true,
    realTimeMs: 8000,
    run: async (context) => {
      for (let round = 0; round < roundsOf(context); round += 1) await raceRetries(context, round);
    },
  },
  {
    name: "states/retry-against-cancel",
    title: "a failed job that is retried and cancelled at once ends in one legal state",
    covers: ["LIFE-07"],
    needs: ["failing", "slow"],
    slowMs: 4000,
    exclusive: true,
    realTimeMs: 8000,
    run: async (context) => {
      const { api, workers } = context;
      for (let round = 0; round < roundsOf(context); round += 1) {
        const job = await runToFailure(context);
        const retry = async (): Promise<Exchange> => api.retry(job.id);
        const cancel = async (): Promise<Exchange> => api.cancel(job.id);
        await workers.whileStalled(async () => {
          // Which of two requests arrives first cannot be controlled, so in some rounds the cancel is sent later.
          if (round % 3 === 2) await retry().then(cancel);
          else await Promise.all(round % 3 === 0 ? [retry(), cancel()] : [cancel(), retry()]);
        });
        // A cancel before the retry is refused, and the job fails again. One after it makes the job CANCELLED.
        await expectOneEnd(context, job.id, { allowed: ["FAILED", "CANCELLED"], round });
      }
    },
  },
  {
    name: "states/purge-against-start",
    title: "of jobs purged while workers take them each is either removed or completes",
    covers: ["LIFE-07"],
    needs: ["handler", "workers", "endpoints"],
    exclusive: true,
    realTimeMs: 3000,
    run: async (context) => {
      const rounds = context.time.choose({ virtual: 4, real: 1 });
      for (let round = 0; round < rounds; round += 1) await racePurge(context, round);
    },
  },
  {
    name: "states/cancel-against-start",
    title: "a queued job cancelled while a worker takes it ends in one legal state",
    covers: ["LIFE-07"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    exclusive: true,
    realTimeMs: 8000,
    run: async (context) => {
      const { api, workers } = context;
      for (let round = 0; round < roundsOf(context); round += 1) {
        const seen: string[] = [];
        const { id } = await workers.whileStalled(async (end) => {
          const job = await submitJob(context, context.jobs.quick("raced"));
          await waitUntilReadable(context, job);
          const cancelAndLook = async (): Promise<void> => {
            await api.cancel(job.id);
            seen.push(stateOf(await api.status(job.id)));
          };
          if (round % 3 === 0) await cancelAndLook();
          else await Promise.all([end(), cancelAndLook()]);
          return job;
        });
        await expectOneEnd(context, id, { seen, allowed: ["COMPLETED", "CANCELLED"], round });
        await runToCompletion(context, "a worker is free");
      }
    },
  },
];

async function raceRetries(context: CheckContext, round: number): Promise<void> {
  const { api, workers, expect } = context;
  const input = context.jobs.failingFirst(1, "again");
  const { id } = await submitJob(context, input);
  await waitUntilOverWithin(context, id);
  const at = `round ${round + 1}, ${crowd} retries at once`;
  await workers.whileStalled(async () => {
    const answers = await atOnce(crowd, async () => api.retry(id));
    const got = statusesOf(answers).join(", ");
    const isAtMostOne = answers.filter(accepted).length <= 1;
    expect.that(isAtMostOne, { at, expected: "at most one accepted", got });
    expectEachAnswered(context, answers, at);
  });
  const end = context.jobs.endAfterRetry;
  await expectOneEnd(context, id, { allowed: [end], round });
  if (end !== "COMPLETED") return;
  const record = readRecord(await api.status(id));
  const output = record.ok ? record.body["output"] : record.got;
  expectOutput(context, output, { input, at: `${at}, output of the one retry` });
}

async function racePurge(context: CheckContext, round: number): Promise<void> {
  const { api, time, workers, expect } = context;
  const workMs = 1000;
  await workers.set(0);
  const jobs = await atOnce(5, async () =>
    // One that cannot be read yet could not be told from a purged one.
    waitUntilReadable(context, await submitJob(context, context.jobs.slow(workMs))),
  );
  await awaitRateLimitSlot(context, "purge-queue");
  let exchange: Exchange;
  if (round % 2 === 0) [, exchange] = await Promise.all([workers.set(2), api.purgeQueue()]);
  else [exchange] = await Promise.all([api.purgeQueue(), workers.set(2)]);
  const at = `round ${round + 1}`;
  const removed = readBody(exchange, "PurgeAnswer");
  await time.pass(4 * workMs);
  const states = await Promise.all(jobs.map(async ({ id }) => stateOf(await api.status(id))));
  const ran = states.filter((state) => state === "COMPLETED").length;
  const unfinished = states.filter((state) => state === "IN_QUEUE" || state === "IN_PROGRESS");
  expect.equal(unfinished, [], `${at}, neither removed nor processed`);
  if (removed.ok) expect.equal(removed.body.removed, jobs.length - ran, `${at}, jobs removed`);
  await time.pass(4 * workMs);
  const later = await Promise.all(jobs.map(async ({ id }) => stateOf(await api.status(id))));
  expect.equal(later, states, `${at}, states some time later`);
}

interface OneEnd {
  /** The states that were seen on the way; absent: nobody looked. */
  readonly seen?: readonly string[];
  readonly allowed: readonly string[];
  readonly round: number;
}

/** Expects a job to reach one of the states, not to have shown another final state before, and to stay there. */
async function expectOneEnd(
  context: CheckContext,
  id: string,
  { seen = [], allowed, round }: OneEnd,
): Promise<void> {
  const { api, time, expect } = context;
  const at = `round ${round + 1}`;
  const exchange = await waitUntilOverWithin(context, id, 1000);
  const end = stateOf(exchange);
  expect.that(allowed.includes(end), { at, expected: allowed.join(" or "), got: end });
  const unlike = seen.filter(
    (state) => state !== end && state !== "IN_PROGRESS" && state !== "IN_QUEUE",
  );
  expect.equal(unlike, [], `${at}, other final states seen before ${end}`);
  const read = readRecord(exchange);
  const output = read.ok ? (read.body["output"] ?? null) : null;
  expect.equal(output !== null, end === "COMPLETED", `${at}, output present when ${end}`);
  await time.advance(5000);
  expect.equal(stateOf(await api.status(id)), end, `${at}, state some time later`);
}

function accepted(exchange: Exchange): boolean {
  return isSuccess(answerOf(exchange));
}

function statusesOf(exchanges: readonly Exchange[]): readonly number[] {
  return exchanges.map((exchange) => answerOf(exchange).status);
}

function expectEachAnswered(
  { expect }: CheckContext,
  exchanges: readonly Exchange[],
  at: string,
): void {
  const statuses = statusesOf(exchanges);
  const holds = statuses.every(
    (status) => (status >= 200 && status < 300) || (status >= 400 && status < 500),
  );
  expect.that(holds, { at, expected: "each accepted or refused", got: statuses.join(", ") });
}
