import { bodyOf } from "../../client/parsed-body.ts";
import type { Exchange } from "../../client/exchange.ts";
import { runToEnd, startJob, submitOperationsOf } from "../../harness/jobs/submit.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { answerOf, isSuccess, describeAnswer } from "../../harness/read.ts";
import {
  runToCompletion,
  runToFailure,
  waitForEnd,
  submitJob,
} from "../../harness/jobs/fixtures.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { Expectations } from "../../harness/expect.ts";
import { StreamReads, expectStreamGives, outputsOf } from "./chunks.ts";
import { isJsonObject } from "../../client/parse-json.ts";

/** Checks of the stream's shape and of what a second read gives (STRM-01, STRM-05). */
export const streamShapeChecks: readonly Check[] = [
  {
    name: "stream/array-of-output-and-metrics",
    title: "a stream is an array whose elements have an object output and an object metrics",
    covers: ["STRM-01"],
    needs: ["streaming"],
    run: async (context) => {
      const { api, expect } = context;
      for (const by of submitOperationsOf(context)) {
        const rows = [context.jobs.streaming(3, 0), inputs.text(30, 3, 0)];
        for (const input of context.jobs.eachOf(rows)) {
          const job = await runToEnd(context, input, { by });
          const exchange = await api.stream(job.id);
          expectArray(context, exchange, `${by}, ${input["op"] === "text" ? "text" : "stream"}`);
          if (context.jobs.exact) expect.body(exchange, "StreamAnswer");
        }
      }
    },
  },
  {
    name: "stream/array-in-progress",
    title: "the stream of a job in progress is an array, before the first chunk and after it",
    covers: ["STRM-01"],
    needs: ["streaming"],
    realTimeMs: 6000,
    run: async (context) => {
      const { api, time } = context;
      const job = await startJob(context, context.jobs.streaming(2, 2000));
      expectArray(context, await api.stream(job.id), "in progress, before the first chunk");
      const look = async (): Promise<Exchange> => api.stream(job.id);
      const { exchange } = await time.after(job.startedAt, 2000, look);
      expectArray(context, exchange, "in progress, after the first chunk");
      await waitForEnd(context, job, 4000);
      expectArray(context, await api.stream(job.id), "finished");
      expectArray(context, await api.stream(job.id), "finished, read again");
    },
  },
  {
    name: "stream/array-while-queued",
    title: "the stream of a job that waits in the queue is an array, and gives every chunk later",
    covers: ["STRM-01", "STRM-02"],
    needs: ["streaming", "slow"],
    stalls: true,
    run: async (context) => {
      const { api, time, jobs, workers, expect } = context;
      const count = 2;
      const job = await workers.whileStalled(async () => {
        const queued = await submitJob(context, jobs.streaming(count, 0));
        expectArray({ jobs, expect: expect.of("STRM-01") }, await api.stream(queued.id), "queued");
        // It waits for a while where that takes no time.
        await time.advance(60_000);
        return queued;
      });
      const { record } = await waitForEnd(context, job);
      const reads = new StreamReads(api, job.id);
      const at = "a stream that was read while its job waited";
      const ofChunks = { ...context, expect: expect.of("STRM-02") };
      await expectStreamGives(ofChunks, reads, { count, record, at });
    },
  },
  {
    name: "stream/array-without-chunks",
    title: "the stream of a job that does not stream, completed or failed, is an array",
    covers: ["STRM-01"],
    needs: ["quick"],
    run: async (context) => {
      const { api, expect } = context;
      // The content of such an array is open: a job that does not stream has no chunks.
      const done = await runToCompletion(context);
      expectAnyArray(expect, await api.stream(done.id), "a completed echo job");
      if (!context.offers("failing")) return;
      const broken = await runToFailure(context);
      expectAnyArray(expect, await api.stream(broken.id), "a failed job");
    },
  },
  {
    name: "stream/second-read-reading",
    title: "a second read of a finished stream gives the whole array again, or an empty one",
    covers: ["STRM-05"],
    needs: ["streaming"],
    run: async (context) => {
      const { api, time, expect } = context;
      const job = await runToEnd(context, context.jobs.streaming(4, 0));
      const first = await time.until(
        async () => api.stream(job.id),
        (exchange) => (outputsOf(exchange)?.length ?? 0) > 0,
      );
      const whole = outputsOf(first) ?? [];
      if (whole.length === 0) throw new Inconclusive("the first read of the stream gave no chunk");

      const again = await api.stream(job.id);
      expect.reading(secondReading(whole, again), "a second read of a finished stream");
    },
  },
];

function secondReading(whole: readonly unknown[], again: Exchange): string {
  const outputs = outputsOf(again);
  if (outputs === undefined) return describeAnswer(answerOf(again));
  if (outputs.length === 0) return "an empty array";
  if (JSON.stringify(outputs) === JSON.stringify(whole)) return "the whole array again";
  return `${outputs.length} of ${whole.length} chunks`;
}

/** Records a difference unless the answer is a success with an array, whose elements it returns. */
function expectAnyArray(expect: Expectations, exchange: Exchange, at: string): readonly unknown[] {
  const answer = answerOf(exchange);
  const parsed = bodyOf(answer);
  const isArray = isSuccess(answer) && parsed.ok && Array.isArray(parsed.value);
  expect.that(isArray, { at, expected: "2xx with a JSON array", got: describeAnswer(answer) });
  return isArray ? parsed.value : [];
}

/** Records a difference unless the answer is a success with an array of elements as a stream has them. */
function expectArray(
  { expect, jobs }: Pick<CheckContext, "expect" | "jobs">,
  exchange: Exchange,
  at: string,
): void {
  const elements = expectAnyArray(expect, exchange, at);
  for (const [index, element] of elements.entries()) {
    // What the handler of a job from a jobs file yields is up to its owner.
    expect.that(isElement(element, jobs.exact), {
      at: `${at}, element ${index}`,
      expected: "an object with an object output and an object metrics",
      got: JSON.stringify(element).slice(0, 160),
    });
  }
}

function isElement(value: unknown, isExact: boolean): boolean {
  if (!isJsonObject(value) || !("output" in value && "metrics" in value)) return false;
  return isJsonObject(value["metrics"]) && (isJsonObject(value["output"]) || !isExact);
}
