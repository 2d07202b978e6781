import type { Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import { stateOf, isFinal, readRecord } from "../../harness/record.ts";
import { runToEnd } from "../../harness/jobs/submit.ts";
import { answerOf, describeAnswer } from "../../harness/read.ts";
import {
  runToCompletion,
  runToFailure,
  waitUntilInProgress,
  submitJob,
} from "../../harness/jobs/fixtures.ts";
import { countJobsUntil, countJobsWithControl } from "../../harness/jobs/counts.ts";
import { awaitRateLimitSlot } from "../../harness/endpoint/rate-limit-slot.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { StreamReads, expectStreamGives, indexesIn } from "../stream/chunks.ts";
import type { Expectations } from "../../harness/expect.ts";
import { expectCompletion } from "../../harness/jobs/job-state.ts";

/** Nothing listens at this webhook, and nothing calls it, because the submission is refused. */
const options = {
  policy: { executionTimeout: 60_000, ttl: 600_000 },
  webhook: "http://127.0.0.1:9/hook",
};

/** Checks that a request answered 401 has no effect (AUTH-06): each looks afterwards for what was asked. */
export const authEffectChecks: readonly Check[] = [
  {
    name: "auth/refused-submission-makes-no-job",
    title: "run and runsync answered 401 submit no job",
    covers: ["AUTH-06"],
    exclusive: true,
    run: async (context) => {
      const { expect } = context;
      const before = await countJobsWithControl(context);
      let isWrong = false;
      const expectAtMost = async (most: number, at: string): Promise<void> => {
        // Where one was counted too many, it stays so: it is waited for once.
        const after = await countJobsUntil(context, (count) => isWrong || count <= most);
        isWrong ||= after > most;
        expect.that(after <= most, { at, expected: atMost(most), got: String(after) });
      };
      const input = context.jobs.quick("refused");
      const bodies = [
        { body: { input }, besides: "" },
        { body: { input, ...options }, besides: ", with a policy and a webhook" },
      ];
      for (const { label, client } of refusedKeys(context)) {
        for (const { body, besides } of bodies) {
          for (const submit of [
            async () => client.run(body),
            async () => client.runsync(body, { wait: 1000 }),
          ]) {
            const exchange = await submit();
            require401(exchange, label);
            const at = `jobs counted after ${exchange.operation} with ${label}${besides}`;
            await expectAtMost(before, at);
          }
        }
      }
      // A refused job that is counted late is counted at the latest with a job submitted after it.
      await submitJob(context, context.jobs.quick("counted after"));
      await expectAtMost(before + 1, "jobs counted after one more that was accepted");
    },
  },
  {
    name: "auth/refused-cancel-of-queued-job",
    title: "cancel answered 401 leaves a queued job in the queue, and it completes",
    covers: ["AUTH-06"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const { workers } = context;
      await runToCompletion(context);
      const job = await workers.whileStalled(async () => {
        const queued = await submitJob(context, context.jobs.quick("kept"));
        for (const { label, client } of refusedKeys(context)) {
          require401(await client.cancel(queued.id), label);
          await expectUnended(context, queued, `queued job after cancel with ${label}`);
        }
        return queued;
      });
      await expectCompletion(context, job, "queued job after refused cancels");
    },
  },
  {
    name: "auth/refused-cancel-of-running-job",
    title: "cancel answered 401 leaves a job in progress at work, and it completes",
    covers: ["AUTH-06"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    realTimeMs: 2000,
    run: async (context) => {
      await runToCompletion(context);
      const { atMostMs } = context.jobs.lengthOf(1500);
      const job = await submitJob(context, context.jobs.slow(1500, "kept"));
      await waitUntilInProgress(context, job);
      for (const { label, client } of refusedKeys(context)) {
        require401(await client.cancel(job.id), label);
      }
      await expectCompletion(context, job, "job in progress after refused cancels", atMostMs);
    },
  },
  {
    name: "auth/refused-retry",
    title: "retry answered 401 leaves a failed job FAILED",
    covers: ["AUTH-06"],
    needs: ["failing"],
    run: async (context) => {
      const { api, time, expect } = context;
      await runToFailure(context);
      // The second attempt completes, so that a retry with an effect would be seen.
      const job = await runToEnd(context, context.jobs.failingFirst(1, "retried"));
      if (job.record.status !== "FAILED")
        throw new Inconclusive("the flaky job did not fail at first");
      for (const { label, client } of refusedKeys(context)) {
        require401(await client.retry(job.id), label);
        await time.settle();
        const got = stateOf(await api.status(job.id));
        const at = `failed job after retry with ${label}`;
        expect.that(got === "FAILED", { at, expected: "FAILED", got });
      }
    },
  },
  {
    name: "auth/refused-purge",
    title: "purge-queue answered 401 leaves the queue as it was, and its jobs complete",
    covers: ["AUTH-06"],
    needs: ["quick", "slow"],
    slowMs: 6000,
    exclusive: true,
    purges: 2,
    run: async (context) => {
      const { workers } = context;
      await runToCompletion(context);
      // Two purges are allowed in 10 s, and refused ones may count. Only a virtual clock is moved on for a third.
      const keys = refusedKeys(context).slice(context.time.choose({ virtual: 0, real: -2 }));
      for (let slot = 0; slot < 2; slot += 1) await awaitRateLimitSlot(context, "purge-queue");
      const jobs = await workers.whileStalled(async () => {
        const waiting = [
          await submitJob(context, context.jobs.quick("first")),
          await submitJob(context, context.jobs.quick("second")),
        ];
        for (const [sent, { label, client }] of keys.entries()) {
          if (sent >= 2) await awaitRateLimitSlot(context, "purge-queue");
          require401(await client.purgeQueue(), label);
          for (const job of waiting) {
            await expectUnended(context, job, `queued job after purge-queue with ${label}`);
          }
        }
        return waiting;
      });
      for (const job of jobs)
        await expectCompletion(context, job, "queued job after refused purges");
    },
  },
  {
    name: "auth/refused-status-sets-no-ttl",
    title: "status with a ttl answered 401 does not shorten the job's life",
    covers: ["AUTH-06"],
    needs: ["quick", "slow"],
    slowMs: 10000,
    realTimeMs: 9000,
    stalls: true,
    run: async (context) => {
      const { time, workers } = context;
      await runToCompletion(context);
      const job = await workers.whileStalled(async () => {
        const queued = await submitJob(context, context.jobs.quick("kept"));
        for (const { label, client } of refusedKeys(context)) {
          require401(await client.status(queued.id, { ttl: 6000 }), label);
        }
        await time.pass(8000);
        return queued;
      });
      await expectCompletion(context, job, "queued job after refused reads with ttl 6000");
    },
  },
  {
    name: "auth/refused-stream-takes-no-chunks",
    title: "stream answered 401 uses up none of the chunks",
    covers: ["AUTH-06"],
    needs: ["streaming"],
    run: async (context) => {
      const { api, jobs, expect } = context;
      const asked = await runToEnd(context, jobs.streaming(3, 0));
      for (const { label, client } of refusedKeys(context)) {
        require401(await client.stream(asked.id), label);
      }
      const at = "stream after refused reads";
      if (!jobs.exact) {
        const reads = new StreamReads(api, asked.id);
        await expectStreamGives(context, reads, { count: 3, record: asked.record, at });
        return;
      }
      const untouched = await runToEnd(context, jobs.streaming(3, 0));
      const expected = answerOf(await api.stream(untouched.id)).rawText();
      const got = answerOf(await api.stream(asked.id)).rawText();
      const same = indexesIn(expected).join() === indexesIn(got).join();
      expect.that(same, { at, expected, got });
    },
  },
];

interface RefusedKey {
  readonly label: string;
  readonly client: JobClient;
}

function refusedKeys({ api, endpoint }: CheckContext): readonly RefusedKey[] {
  const { foreignKey } = endpoint;
  const keys: RefusedKey[] = [
    { label: "no key", client: api.with({ apiKey: undefined }) },
    { label: "a wrong key", client: api.withMadeUpKey("queueproof-wrong-key") },
  ];
  if (foreignKey !== undefined) {
    keys.push({ label: "a key without permission", client: api.with({ apiKey: foreignKey }) });
  }
  return keys;
}

/** @throws Inconclusive where the answer is not 401: other checks judge that, and here no refusal can be examined */
function require401(exchange: Exchange, label: string): void {
  const answer = answerOf(exchange);
  if (answer.status === 401) return;
  throw new Inconclusive(
    `${exchange.operation} with ${label} had to answer 401: ${describeAnswer(answer)}`,
    ["AUTH-01", "AUTH-02", "AUTH-05"],
  );
}

/** Records a difference where a job ended without completing. A worker of a shared endpoint may take it any time. */
async function expectUnended(
  { api, time, expect }: CheckContext,
  job: SubmittedJob,
  at: string,
): Promise<void> {
  const read = await time.until(
    async () => readRecord(await api.status(job.id)),
    ({ ok }) => ok,
  );
  const holds = read.ok && (!isFinal(read.body) || read.body.status === "COMPLETED");
  expect.that(holds, { at, expected: "IN_QUEUE", got: read.ok ? read.body.status : read.got });
}

function atMost(count: number): string {
  return `at most ${count}`;
}

/** Records a difference where a key was refused; the request may be refused for another reason. */
export function expectLetIn(expect: Expectations, exchange: Exchange, at: string): void {
  const answer = answerOf(exchange);
  const expected = "to be let in";
  expect.that(answer.status !== 401, { at, expected, got: describeAnswer(answer) });
}
