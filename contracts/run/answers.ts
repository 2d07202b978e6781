import { answerToOversized } from "../../harness/jobs/payload.ts";
import { countJobs } from "../../harness/jobs/counts.ts";
import { holdSubmission } from "../../harness/jobs/held-request.ts";
import { isSuccess } from "../../harness/read.ts";
import type { Check } from "../../harness/check.ts";
import { s3ConfigOf } from "../s3/config.ts";
import { expectProcessed } from "../submit/expect-processed.ts";

/** 10 MB in the smaller reading, and the first byte above the larger one (docs/specification.md#sizes). */
const acceptedBytes = 10_000_000;
const refusedBytes = 10_485_761;

const policy = { executionTimeout: 60_000, ttl: 3_600_000, lowPriority: true };

/** Far longer than an answer "at once" may take, on any network. */
const longJobMs = 20_000;

/** Checks of what run answers (RUNA-01, RUNA-02, RUNA-03). */
export const runAnswerChecks: readonly Check[] = [
  {
    name: "run/answers-id-and-in-queue",
    title: "run answers with an id of its own and status IN_QUEUE, whatever options a job has",
    covers: ["RUNA-01"],
    run: async (context) => {
      const { api, expect } = context;
      const ids: string[] = [];
      const rows = [
        { at: "without options", options: {} },
        { at: "with a policy", options: { policy } },
        ...(context.offers("failing")
          ? [{ at: "of a job that fails", input: context.jobs.failing("at once"), options: {} }]
          : []),
        ...(context.offers("slow")
          ? [
              {
                at: "of long work with a policy",
                input: context.jobs.slow(4000),
                options: { policy },
              },
            ]
          : []),
        // A worker of unknown kind may try to write there.
        ...(context.offers("handler")
          ? [{ at: "with an s3Config", options: { s3Config: s3ConfigOf(context.random) } }]
          : []),
      ];
      for (const { at, input = context.jobs.quick(at), options } of rows) {
        const exchange = await api.run({ input, ...options });
        const record = expect.record(exchange, at);
        expect.equal(record.status, "IN_QUEUE", `${at}: status`);
        ids.push(record.id);
      }
      expect.equal(new Set(ids).size, ids.length, "how many ids differ");
      // The one that works may keep the worker from the jobs of others.
      if (context.offers("slow") && !context.lacks("cancel"))
        for (const id of ids) await api.cancel(id);
    },
  },
  {
    name: "run/answers-without-waiting",
    title: "run answers IN_QUEUE at once while its job, or another one, works for long",
    covers: ["RUNA-01"],
    needs: ["slow"],
    slowMs: 4000,
    insists: true,
    run: async (context) => {
      const { api, time, expect } = context;
      const { atLeastMs } = context.jobs.lengthOf(longJobMs);
      const ids: string[] = [];
      // The first job finds a free worker where there is one, the second finds it busy.
      for (const at of ["a job on a free worker", "a job behind another one"]) {
        const held = await holdSubmission(context, async (options) =>
          api.run({ input: context.jobs.slow(longJobMs) }, options),
        );
        const exchange = await held.answer(
          expect,
          at,
          time.choose({ virtual: 0, real: atLeastMs / 4 }),
        );
        const record = expect.record(exchange, at);
        expect.equal(record.status, "IN_QUEUE", at);
        const tookMs = exchange.answeredAtMs - exchange.sentAtMs;
        // An answer takes no time on a virtual clock, however long it takes to come.
        const tooLateMs = time.choose({ virtual: Number.POSITIVE_INFINITY, real: atLeastMs });
        expect.that(tookMs < tooLateMs, {
          at,
          expected: `an answer in less than the job's ${atLeastMs} ms`,
          got: `one after ${Math.round(tookMs)} ms`,
        });
        ids.push(record.id);
      }
      for (const id of ids.toReversed()) await api.cancel(id);
    },
  },
  {
    name: "run/payload-limit",
    title: "run accepts a payload of 10 MB and refuses a larger one with 400 or 413",
    covers: ["RUNA-02", "RUNA-03"],
    megabytes: 11,
    run: async (context) => {
      const { api, time, expect, payloads, offers } = context;
      // Only on an endpoint of its own nobody else's jobs are counted.
      const before = offers("endpoints") ? await countJobs(context) : undefined;
      const { id } = expect.record(
        await api.run(payloads.plain(acceptedBytes)),
        "10,000,000 bytes",
      );
      await expectProcessed(context, id, "the job of 10,000,000 bytes");

      const larger = await api.run(payloads.wide(refusedBytes));
      const answer = answerToOversized(larger);
      expect.refused(larger, "10,485,761 bytes");
      if (before !== undefined) {
        const count = async (): Promise<number> => countJobs(context);
        const counted = await time.until(count, (jobs) => jobs <= before + 1);
        const [expected, got] = [`at most ${before + 1}`, String(counted)];
        expect.that(counted <= before + 1, { at: "jobs after 10,485,761 bytes", expected, got });
      }
      if (!isSuccess(answer)) {
        expect.of("RUNA-03").reading(String(answer.status), "run of 10,485,761 bytes");
      }
    },
  },
];
