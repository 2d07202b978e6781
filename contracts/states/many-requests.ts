import { Inconclusive } from "../../harness/outcome.ts";
import { stateOf } from "../../harness/record.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { StreamReads } from "../stream/chunks.ts";
import { recordIn, requireCountableCalls, spacingMs } from "../webhook/calls.ts";
import { inBatches } from "../../harness/jobs/in-batches.ts";
import { atOnce, healthOf, submitMany } from "./volume.ts";

/** More than a pool usually allows, and below every stated cap. */
const many = 66;
const needs = ["handler", "workers", "endpoints", "clock"] as const;

/** Checks that each of many jobs is answered, streamed and reported to its webhook as the first one is. */
export const manyRequestsChecks: readonly Check[] = [
  {
    name: "runsync/many-wait-at-once",
    title: "each of many runsync that wait at once is answered when its job has ended",
    covers: ["SYNC-02"],
    needs,
    endpoint: { workers: many },
    run: async (context) => {
      const { api, time, expect, jobs } = context;
      const input = jobs.slow(500, "waited for");
      const answers = atOnce(many, async () => api.runsync({ input }, { wait: 60_000 }));
      // The promise is awaited below; a rejection before that must not count as unhandled.
      answers.catch(() => undefined);
      await untilAtWork(context);
      await time.pass(501);
      const states = (await answers).map((exchange) => stateOf(exchange));
      const early = states.filter((state) => state !== "COMPLETED");
      expect.equal(early, [], "states in answers that are not COMPLETED");
    },
  },
  {
    name: "stream/each-of-many-jobs",
    title: "the stream of each of many jobs gives every chunk, in order and once",
    covers: ["STRM-02"],
    needs,
    endpoint: { workers: 4 },
    run: async (context) => {
      const { api, time, expect, jobs } = context;
      const submitted = await submitMany(context, {
        count: many,
        input: () => jobs.streaming(2, 0),
      });
      await time.settle();
      const streams = await inBatches(submitted, async ({ id }) => {
        const reads = new StreamReads(api, id);
        const isWhole = (): boolean => reads.gaveExactly([{ index: 0 }, { index: 1 }]);
        // Whether one read gives all there is, or the same again, is open.
        for (const _ of ["first", "second"]) await reads.read();
        if (!isWhole()) await reads.read();
        return isWhole();
      });
      const wrong = streams.flatMap((isWhole, at) => (isWhole ? [] : [`job ${at + 1}`]));
      expect.equal(wrong, [], "jobs whose stream is not just their two chunks");
    },
  },
  {
    name: "webhook/many-fail-at-once",
    title: "each of many webhooks that fail at once is called 3 times",
    covers: ["HOOK-04"],
    needs: [...needs, "webhook"],
    endpoint: { workers: 0 },
    run: async (context) => {
      const { time, workers, expect, jobs } = context;
      const hook = (await context.receiver()).hook(500);
      const submitted = await submitMany(context, {
        count: many,
        input: jobs.quick,
        extra: () => ({ webhook: hook.url }),
      });
      await workers.set(4);
      await time.settle();
      for (const _ of [2, 3]) await time.pass(spacingMs + 1);
      const calls = new Map<unknown, number>();
      for (const attempt of hook.attempts) {
        const id = recordIn(attempt)?.["id"];
        calls.set(id, (calls.get(id) ?? 0) + 1);
      }
      const wrong = submitted.flatMap(({ id }, at) => {
        const count = calls.get(id) ?? 0;
        return count === 3 ? [] : [`job ${at + 1}: ${count}`];
      });
      if (wrong.length > 0) await requireCountableCalls(context, hook);
      expect.about(hook).equal(wrong, [], "jobs with another number of calls than 3");
    },
  },
];

/** Waits until the jobs are all in progress: virtual time must not move on before. */
async function untilAtWork(context: CheckContext): Promise<void> {
  for (let looks = 0; looks < 500; looks += 1) {
    const { inProgress } = (await healthOf(context)).jobs;
    if (inProgress >= many) return;
  }
  throw new Inconclusive("not all of many submissions were seen in health");
}
