import { answerOf, isSuccess, describeAnswer } from "../../harness/read.ts";
import { answerToOversized } from "../../harness/jobs/payload.ts";
import { holdRunsync } from "../../harness/jobs/held-request.ts";
import { isFinal, stateOf } from "../../harness/record.ts";
import { readJob } from "../../harness/jobs/fixtures.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import type { Check } from "../../harness/check.ts";
import type { JobInput, Jobs } from "../../harness/inputs/jobs.ts";
import type { LooseRecord } from "../../harness/record.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { Exchange } from "../../client/exchange.ts";
import { expectTimes, timeMembers } from "../status/record.ts";
import { expectProcessed } from "../submit/expect-processed.ts";

/** 20 MB in the smaller reading, and the first byte above the larger one (docs/specification.md#sizes). */
const acceptedBytes = 20_000_000;
const refusedBytes = 20_971_521;

/** Checks of what runsync answers (docs/specification.md#runsync). */
export const runsyncAnswerChecks: readonly Check[] = [
  {
    name: "runsync/answers-the-completed-record",
    title: "runsync answers with id, COMPLETED, output, delayTime and executionTime",
    covers: ["SYNC-01"],
    needs: ["quick"],
    run: async (context) => {
      const { api, expect } = context;
      const { jobs } = context;
      const rows: readonly (readonly [string, JobInput])[] = [
        ["an object", jobs.quick({ deep: [1, "two", null] })],
        ["an object of null", jobs.quick(null)],
        ...(jobs.exact ? arraysOf(jobs) : []),
      ];
      const ids: string[] = [];
      for (const [at, input] of rows) {
        const record = expect.record(await api.runsync({ input }), at);
        expectCompleted(context, record, input, at);
        ids.push(record.id);
        const read = await api.status(record.id);
        expect.accepted(read, `${at}: status of the id`);
        if (jobs.exact) continue;
        const { output } = expect.record(read, `${at}: status of the id`);
        expect.equal(output, record["output"], `${at}: output in status`);
      }
      expect.equal(new Set(ids).size, rows.length, "how many ids differ");
    },
  },
  {
    name: "runsync/answers-the-record-of-a-job-that-took-time",
    title: "runsync answers the whole record also of a job that waited and worked for some time",
    covers: ["SYNC-01"],
    needs: ["quick", "slow"],
    slowMs: 3000,
    realTimeMs: 3000,
    exclusive: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const input = context.jobs.short(1000, "slept");
      const held = await workers.whileStalled(async () => {
        const request = await holdRunsync(context, input);
        await time.pass(500);
        return request;
      });

      const at = "a job that waited and worked";
      const record = expect.record(await held.answer(expect, at, 1000), at);
      expectCompleted(context, record, input, at);
      const read = expect.record(await api.status(record.id), `${at}: status of the id`);
      for (const member of timeMembers) {
        expect.equal(read[member], record[member], `${at}: ${member} in status, as in runsync`);
      }
    },
  },
  {
    name: "runsync/answers-each-request-with-its-own-job",
    title: "runsync requests that wait at the same time each get the record of their own job",
    covers: ["SYNC-01"],
    needs: ["known"],
    endpoint: { workers: 2 },
    realTimeMs: 3000,
    run: async (context) => {
      const { time, expect } = context;
      const sleepsMs = [600, 200, 400];
      const held = [];
      for (const ms of sleepsMs) {
        const input = context.jobs.short(ms, `slept ${ms}`);
        const request = await holdRunsync(context, input);
        held.push({ input, request, at: `slept ${ms}` });
      }
      await time.pass(sleepsMs.reduce((sum, ms) => sum + ms));
      for (const { input, request, at } of held) {
        const record = expect.record(await request.answer(expect, at), at);
        expectCompleted(context, record, input, at);
      }
    },
  },
  {
    name: "runsync/payload-limit",
    title: "runsync accepts a payload of 20 MB and refuses a larger one with 400 or 413",
    covers: ["SYNC-06", "RUNA-03"],
    megabytes: 21,
    run: async (context) => {
      const { api, expect, payloads } = context;
      const accepted = await api.runsync(payloads.plain(acceptedBytes), { wait: 2000 });
      // A worker of unknown kind may fail on this input, and a failed job may be answered with 500 (SYNC-10).
      const fails = answerOf(accepted).status === 500 && !context.offers("handler");
      if (fails) throw new Inconclusive(`20,000,000 bytes: ${describeAnswer(answerOf(accepted))}`);
      const { id } = expect.record(accepted, "20,000,000 bytes");
      await expectProcessed(context, id, "the job of 20,000,000 bytes");

      const larger = await api.runsync(payloads.wide(refusedBytes), { wait: 2000 });
      const answer = answerToOversized(larger);
      expect.refused(larger, "20,971,521 bytes");
      if (!isSuccess(answer)) {
        expect.of("RUNA-03").reading(String(answer.status), "runsync of 20,971,521 bytes");
      }
    },
  },
  {
    name: "runsync/failed-job",
    title: "runsync of a job that fails answers 200 with the FAILED record, or 500",
    covers: ["SYNC-10"],
    needs: ["failing"],
    run: async ({ api, jobs, expect }) => {
      const rows: readonly (readonly [string, unknown])[] = [
        ["a handler that raises", jobs.failing("asked to fail")],
        ["an op that the handler does not know", { op: "no such op" }],
      ];
      for (const [at, input] of jobs.eachOf(rows)) {
        expect.reading(failureReadingOf(await api.runsync({ input })), at);
      }
    },
  },
  {
    name: "runsync/waits-in-queue",
    title: "a runsync job that finds no free worker is IN_QUEUE until one is free",
    covers: ["SYNC-11"],
    needs: ["quick", "slow"],
    slowMs: 5000,
    realTimeMs: 3000,
    exclusive: true,
    run: async (context) => {
      const { time, workers, expect } = context;
      const record = await workers.whileStalled(async () => {
        const held = await holdRunsync(context, context.jobs.quick("waited"), { wait: 2000 });
        const at = "no worker is free";
        const unfinished = expect.record(await held.answer(expect, at, 2001), at);
        expect.equal(unfinished.status, "IN_QUEUE", "runsync whose wait is over");
        const read = await readJob(context, unfinished.id);
        expect.equal(read.status, "IN_QUEUE", "status of the job");
        return unfinished;
      });
      const later = await time.until(
        async () => readJob(context, record.id),
        (seen) => isFinal(seen),
      );
      expect.equal(later.status, "COMPLETED", "status once a worker is free");
    },
  },
];

function arraysOf(jobs: Jobs): readonly (readonly [string, JobInput])[] {
  return [
    ["an array", jobs.streaming(2, 0)],
    ["an empty array", jobs.streaming(0, 0)],
  ];
}

/** Records what differs from a completed job's record, member by member. */
function expectCompleted(
  context: CheckContext,
  record: LooseRecord,
  input: JobInput,
  at: string,
): void {
  const { expect } = context;
  expect.equal(record.status, "COMPLETED", `${at}: status`);
  expectOutput(context, record["output"], { input, at: `${at}: output` });
  expectTimes(expect, record, at);
}

function failureReadingOf(exchange: Exchange): string {
  const answer = answerOf(exchange);
  if (answer.status === 500) return "500";
  if (!isSuccess(answer)) return describeAnswer(answer);
  const state = stateOf(exchange);
  return state === "FAILED" ? "200 with the FAILED record" : `a success with ${state}`;
}
