import { isDeepStrictEqual } from "node:util";

import type { Exchange } from "../../client/exchange.ts";
import { waitForEnd, waitUntilInProgress, readJob, retryJob } from "../../harness/jobs/fixtures.ts";
import { isOver, waitUntilOverWithin, statusAfter } from "../../harness/jobs/job-state.ts";
import { spanning } from "../../harness/interval.ts";
import { startJob } from "../../harness/jobs/submit.ts";
import { stateOf } from "../../harness/record.ts";
import { shortestTimeoutMs } from "../../harness/inputs/conformance-jobs.ts";
import { runToTimeout } from "../../harness/jobs/endings.ts";
import type { Check } from "../../harness/check.ts";
import type { Interval } from "../../harness/interval.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { StreamReads } from "../stream/chunks.ts";
import { expectRanAgain, runToFailureBy } from "./endings.ts";
import { awaitCompletions } from "../webhook/calls.ts";
import { retriedToCompletion } from "./webhooks.ts";
import { expectTimeout } from "../endings.ts";

/** Late, but before the 30 minutes of a run job are over (RETR-07). */
const lateMs = 20 * 60_000;

/** Checks of what a retried job leaves behind and what it gets anew (RETR-04, RETR-08). */
export const anewRetryChecks: readonly Check[] = [
  {
    name: "retry/removes-the-output",
    title: "a retried job shows no output until it has completed again, and then the new one",
    covers: ["RETR-04"],
    needs: ["failing", "slow"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const { workers, expect } = context;
      const input = context.jobs.failingFirst(1, "new");
      const job = await runToFailureBy(context, input);
      await workers.whileStalled(async () => {
        const answer = await retryJob(context, job);
        expect.that(!("output" in answer), noOutput("retry", answer["output"]));
        const waiting = await readJob(context, job.id);
        expect.that(!("output" in waiting), noOutput("status after it", waiting["output"]));
      });
      const seen = await waitUntilOverWithin(context, job.id);
      expectRanAgain(context, seen, { input, at: "the retried job" });
    },
  },
  {
    name: "retry/removes-the-chunks",
    title: "what a job yielded before it timed out is gone from its stream after each retry",
    covers: ["RETR-04"],
    realTimeMs: 16_000,
    stalls: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const job = await runToTimeout(context, context.jobs.streaming(4, 2000));
      await workers.whileStalled(async () => {
        await retryJob(context, job);
        const waiting = new StreamReads(api, job.id);
        await waiting.read();
        const got = waiting.unreadable ?? JSON.stringify(waiting.latest);
        const empty = waiting.unreadable === undefined && waiting.latest.length === 0;
        expect.that(empty, { at: "stream after the retry", expected: "an empty array", got });
      });
      for (const attempt of time.choose({ virtual: ["second", "third"], real: ["second"] })) {
        if (attempt !== "second") await retryJob(context, job);
        await waitForEnd(context, job, shortestTimeoutMs + 1);
        const again = new StreamReads(api, job.id);
        await again.readAll(time, 2);
        expect.that(again.gaveExactly([{ index: 0 }, { index: 1 }]), {
          at: `stream after the ${attempt} attempt`,
          expected: "the two chunks of that attempt",
          got: again.unreadable ?? JSON.stringify(again.latest),
        });
      }
    },
  },
  {
    name: "retry/removes-chunks-that-were-read",
    title: "chunks that were read before a retry do not come back, and those of the new attempt do",
    covers: ["RETR-04", "STRM-02"],
    realTimeMs: 14_000,
    run: async (context) => {
      const { api, time, expect } = context;
      const job = await runToTimeout(context, context.jobs.streaming(4, 2000));
      await new StreamReads(api, job.id).read();
      await retryJob(context, job);
      await waitUntilInProgress(context, job);
      const { at: since } = await time.observe(async () => api.status(job.id));
      const reads = new StreamReads(api, job.id);
      await statusAfter(context, job.id, since, 2000);
      await time.until(
        async () => reads.read(),
        () => reads.latest.length > 0,
      );
      const got = reads.unreadable ?? JSON.stringify(reads.latest);
      const at = "stream 2000 ms into the second attempt";
      // On a real clock a second chunk may have come by then, but no chunk may come twice.
      const countMax = time.choose({ virtual: 1, real: 2 });
      const fresh = reads.latest.length <= countMax && isCounting(reads.latest);
      expect.that(fresh, { at, expected: "no chunk of the first attempt", got });
      const first = JSON.stringify(reads.latest[0]) === JSON.stringify({ index: 0 });
      expect.of("STRM-02").that(first, { at, expected: "the first chunk", got });
      await api.cancel(job.id);
    },
  },
  {
    name: "retry/execution-timeout-anew",
    title:
      "a retried job has its own executionTimeout again, whole, from the start of its new attempt",
    covers: ["RETR-08"],
    needs: ["slow"],
    slowMs: 6000,
    realTimeMs: 18_000,
    run: async (context) => {
      const job = await runToTimeout(context);
      const attempts = context.time.choose({ virtual: ["second", "third"], real: ["second"] });
      for (const attempt of attempts) {
        const from = context.time.now();
        await retryJob(context, job);
        await expectWholeTimeout(context, { id: job.id, from, at: `${attempt} attempt` });
      }
    },
  },
  {
    name: "retry/queue-uses-no-execution-timeout",
    title: "the time a retried job waits does not use up its executionTimeout",
    covers: ["RETR-08"],
    needs: ["slow"],
    slowMs: 9000,
    realTimeMs: 20_000,
    stalls: true,
    stallMsMax: 7000,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const job = await runToTimeout(context);
      const from = await workers.whileStalled(async () => {
        await retryJob(context, job);
        await time.pass(6000);
        expect.equal(stateOf(await api.status(job.id)), "IN_QUEUE", "after 6000 ms in the queue");
        return time.now();
      });
      await expectWholeTimeout(context, { id: job.id, from, at: "the new attempt" });
    },
  },
  {
    name: "retry/low-priority-anew",
    title: "a lowPriority job still adds no worker after a retry, and another job still does",
    covers: ["RETR-08"],
    needs: ["handler", "scaling", "endpoints"],
    endpoint: { scaling: { min: 1, max: 6 } },
    run: async (context) => {
      const { api, time, expect } = context;
      const low = await runToFailureBy(context, context.jobs.failing("low"), {
        extra: { policy: { lowPriority: true } },
      });
      const plain = await runToFailureBy(context, context.jobs.failing("plain"));
      const policy = { lowPriority: true, executionTimeout: shortestTimeoutMs };
      const timed = await startJob(context, context.jobs.slow(100_000), { extra: { policy } });
      await waitForEnd(context, timed, shortestTimeoutMs);
      await startJob(context, context.jobs.slow(100_000));
      await retryJob(context, low);
      await retryJob(context, timed);
      await time.settle();
      expect.equal(stateOf(await api.status(timed.id)), "IN_QUEUE", "one that timed out, retried");
      expect.equal(stateOf(await api.status(low.id)), "IN_QUEUE", "the lowPriority job, retried");
      await retryJob(context, plain);
      // The worker that it adds may first take the jobs that have waited for longer.
      const seen = await time.until(() => api.status(plain.id), isOver, shortestTimeoutMs);
      expect.equal(stateOf(seen), "FAILED", "the other job, retried: it runs and fails again");
    },
  },
  {
    name: "retry/late-retry-starts-anew",
    title: "a job that is retried late in its retention has its executionTimeout and webhook again",
    covers: ["RETR-08"],
    needs: ["handler", "webhook", "clock"],
    run: async (context) => {
      const { time, expect } = context;
      const hook = (await context.receiver()).hook();
      const job = await runToFailureBy(context, context.jobs.failingFirst(1, "hooked"), {
        extra: { webhook: hook.url },
      });
      const timed = await runToTimeout(context);
      await time.pass(lateMs);
      await retriedToCompletion(context, job);
      const calls = await awaitCompletions(context, hook);
      expect.about(hook).equal(calls, 1, "calls with the completed record");
      const from = time.now();
      await retryJob(context, timed);
      await expectWholeTimeout(context, { id: timed.id, from, at: "an attempt 20 minutes later" });
    },
  },
];

function noOutput(at: string, output: unknown): { at: string; expected: string; got: string } {
  return { at, expected: "no output", got: JSON.stringify(output) ?? "output" };
}

/** Records a difference unless a job that a worker takes after `from` is IN_PROGRESS for 5000 ms, and TIMED_OUT then. */
async function expectWholeTimeout(
  context: CheckContext,
  { id, from, at }: { readonly id: string; readonly from: Interval; readonly at: string },
): Promise<void> {
  const { api, time } = context;
  const look = async (): Promise<Exchange> => api.status(id);
  await time.until(look, (exchange) => stateOf(exchange) !== "IN_QUEUE");
  const startedAt = spanning(from, time.now());
  await expectTimeout(context, { id, startedAt }, shortestTimeoutMs, `5000 ms, ${at}`);
}

/** Whether the chunks are those of one attempt, beginning with its first. */
function isCounting(chunks: readonly unknown[]): boolean {
  return isDeepStrictEqual(
    chunks,
    chunks.map((_, index) => ({ index })),
  );
}
