import { waitMsDefault, waitMsMax, waitMsMin } from "../../client/job-client.ts";
import { holdRunsync } from "../../harness/jobs/held-request.ts";
import { sendHeldRunsync } from "../../harness/jobs/submit.ts";
import { stateOf } from "../../harness/record.ts";
import { recordAtEnd } from "../../harness/jobs/fixtures.ts";
import { waitForCompletion } from "../../harness/jobs/endings.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import { Unsupported } from "../../harness/outcome.ts";
import type { Check } from "../../harness/check.ts";
import type { JobInput, WorkLength } from "../../harness/inputs/jobs.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { expectRecordOrRefusal, expectUnfinishedAfter } from "./waits-beside.ts";

/** Well within the bounds: another check judges whether the bounds themselves are accepted. */
const shortWaitMs = 2000;
const longWaitMs = 250_000;
/** Beyond the shortest ttl (POLI-02) and the shortest executionTimeout (POLI-01). */
const waitPastTtlMs = 12_000;

const refusedWaits: readonly (readonly [string, string | number])[] = [
  ["1 below the least", waitMsMin - 1],
  ["1", 1],
  ["0", 0],
  ["negative", -waitMsMin],
  ["1 above the most", waitMsMax + 1],
  ["10 times the most", 10 * waitMsMax],
  ["what 32 bits would make 2000", 2 ** 32 + 2000],
  ["far beyond any integer", "9".repeat(30)],
  ["a fraction", "1000.5"],
  ["a fraction at the upper bound", "299999.5"],
  ["a word", "soon"],
  ["a number with a unit", "2000ms"],
  ["a number with a separator", "2,000"],
  ["a number with an underscore", "2_000"],
  ["NaN", "NaN"],
  ["Infinity", "Infinity"],
  ["null", "null"],
  ["true", "true"],
  ["nothing", ""],
];

/** Checks of how long runsync waits (SYNC-02 to SYNC-05). */
export const runsyncWaitChecks: readonly Check[] = [
  {
    name: "runsync/wait-refused",
    title: "a wait below 1000, above 300000 or not an integer answers 400",
    covers: ["SYNC-03"],
    run: async ({ api, jobs, expect }) => {
      for (const [at, wait] of refusedWaits) {
        const exchange = await api.runsync({ input: jobs.quick("no") }, { wait });
        expect.status(exchange, 400, `wait=${String(wait)} (${at})`);
      }
    },
  },
  {
    name: "runsync/wait-accepted",
    title: "a wait of 1000, of 300000 and of anything between is accepted",
    covers: ["SYNC-03"],
    needs: ["quick"],
    run: async ({ api, jobs, expect }) => {
      const accepted = [waitMsMin, waitMsMin + 1, waitMsDefault, waitMsMax - 1, waitMsMax];
      for (const wait of accepted) {
        const exchange = await api.runsync({ input: jobs.quick("yes") }, { wait });
        expect.accepted(exchange, `wait=${wait}`);
      }
    },
  },
  {
    name: "runsync/waits-for-the-job",
    title: "runsync answers when its job has ended, and not before",
    covers: ["SYNC-02"],
    needs: ["slow"],
    insists: true,
    realTimeMs: 3000,
    run: async (context) => {
      const rows = context.time.choose<readonly WaitRow[]>({
        virtual: [
          { wait: shortWaitMs, jobMs: shortWaitMs - 1 },
          { wait: 45_000, jobMs: 10 },
          { wait: longWaitMs, jobMs: longWaitMs - 1 },
          { wait: undefined, jobMs: 5000 },
        ],
        real: [{ wait: 60_000, jobMs: 2000 }],
      });
      for (const row of context.jobs.eachOf(rows)) await expectCompletion(context, row);
    },
  },
  {
    name: "runsync/waits-for-a-queued-job",
    title: "runsync waits while its job is in the queue, and on while a worker has it",
    covers: ["SYNC-02"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    insists: true,
    realTimeMs: 4000,
    exclusive: true,
    run: async (context) => {
      const { time, workers, jobs, expect } = context;
      const workMs = jobs.exact ? 1000 : jobs.lengthOf(1000).atMostMs;
      // A quick job may take no time, so that nobody sees it at work.
      const input = jobs.exact ? jobs.short(workMs, "queued") : jobs.slow(workMs, "queued");
      const held = await workers.whileStalled(async () => {
        const request = await holdRunsync(context, input, { wait: 60_000 + workMs });
        if (time.virtual)
          await request.expectHeld(expect, 30_000, "answered while the job waits in the queue");
        await time.pass(time.choose({ virtual: 0, real: 500 }));
        return request;
      });
      await time.settle();

      const at = "a job that waited";
      const record = expect.record(await held.answer(expect, at, workMs + time.marginMs), at);
      expect.equal(record.status, "COMPLETED", at);
    },
  },
  {
    name: "runsync/answers-when-the-wait-is-over",
    title: "when the wait is over runsync answers with an unfinished status, and the job goes on",
    covers: ["SYNC-04"],
    needs: ["slow"],
    slowMs: 3000,
    insists: true,
    realTimeMs: 5000,
    run: async (context) => {
      const rows = context.time.choose<readonly WaitRow[]>({
        virtual: [
          { wait: shortWaitMs, jobMs: shortWaitMs + 2 },
          { wait: waitMsMin, jobMs: 5000 },
          { wait: 45_000, jobMs: 60_000 },
          { wait: longWaitMs, jobMs: longWaitMs + 2 },
        ],
        real: [{ wait: shortWaitMs, jobMs: 4000 }],
      });
      for (const row of context.jobs.eachOf(rows)) {
        await expectUnfinished(context, row, row.wait ?? waitMsDefault);
      }
    },
  },
  {
    name: "runsync/queued-job-goes-on-after-the-wait",
    title: "a runsync job that is still queued when the wait is over completes later",
    covers: ["SYNC-04"],
    needs: ["quick", "slow"],
    slowMs: 6000,
    insists: true,
    exclusive: true,
    run: async (context) => {
      const { workers, expect } = context;
      const input = context.jobs.quick("later");
      const { id } = await workers.whileStalled(async () => {
        const held = await holdRunsync(context, input, { wait: shortWaitMs });
        return expectUnfinishedAfter(context, held, { waitMs: shortWaitMs, at: "in the queue" });
      });
      const ended = await recordAtEnd(context, id);
      expect.equal(ended.status, "COMPLETED", "status once a worker is free");
      expectOutput(context, ended["output"], { input, at: "output once a worker is free" });
    },
  },
  {
    name: "runsync/no-completion-of-terminated-work",
    title: "runsync does not answer COMPLETED where its job times out or expires within the wait",
    covers: ["POLI-04", "POLI-09", "ENDP-05"],
    needs: ["slow"],
    slowMs: waitPastTtlMs + 1000,
    realTimeMs: waitPastTtlMs + 2000,
    run: async (context) => {
      const { time, expect, jobs } = context;
      const rows = [
        { id: "POLI-04", policy: { executionTimeout: 5000 } },
        { id: "POLI-09", policy: { ttl: 10_000 } },
      ] as const;
      const input = jobs.slow(60_000, "never");
      const sent = [];
      for (const { id, policy } of rows) {
        const held = await sendHeldRunsync(context, { input, policy }, waitPastTtlMs);
        sent.push({ id, held });
      }
      await time.advance(waitPastTtlMs + 1);
      for (const { id, held } of sent) {
        const exchange = await held.answer;
        const state = stateOf(exchange);
        const words = { at: "the answer of runsync", expected: "no completion", got: state };
        expect.of(id).that(state !== "COMPLETED", words);
        // A job that has expired is gone, and any answer tells that.
        if (id === "POLI-04") expectRecordOrRefusal(expect.of("ENDP-05"), exchange);
      }
    },
  },
  {
    name: "runsync/waits-90-seconds",
    title: "runsync without wait waits 90 seconds for its job, and not longer",
    covers: ["SYNC-05"],
    needs: ["slow"],
    slowMs: waitMsDefault + 4000,
    insists: true,
    run: async (context) => {
      const { api, jobs, time } = context;
      // The wait of one request is not the default of the next.
      if (jobs.exact) await api.runsync({ input: jobs.quick("before") }, { wait: shortWaitMs });
      // On a real clock the second job alone shows both: an answer that does not come early has waited.
      for (const jobMs of time.choose({ virtual: [waitMsDefault - 1], real: [] })) {
        await expectCompletion(context, { jobMs });
      }
      const jobMs = waitMsDefault + time.choose({ virtual: 2, real: 4000 });
      await expectUnfinished(context, { jobMs }, waitMsDefault);
    },
  },
];

interface WaitRow {
  /** Absent: the parameter is not sent. */
  readonly wait?: number | undefined;
  readonly jobMs: number;
}

/** Expects the record of a job that ends within the wait, when the job ends. */
async function expectCompletion(context: CheckContext, row: WaitRow): Promise<void> {
  const { time, expect } = context;
  const { input, atLeastMs, atMostMs, at } = jobOf(context, row);
  const wait = context.jobs.exact ? waitOf(row) : { wait: waitBeyond(atMostMs) };
  const held = await holdRunsync(context, input, wait);
  await held.expectHeld(expect, atLeastMs, `${at}: answered before the job ended`);
  const restMs = atMostMs - atLeastMs + time.marginMs;
  const record = expect.record(await held.answer(expect, at, restMs), at);
  expect.equal(record.status, "COMPLETED", `${at}: status`);
  expectOutput(context, record["output"], { input, at: `${at}: output` });
}

/** Expects an unfinished record at the end of the wait where the job works longer, and the job to end later. */
async function expectUnfinished(
  context: CheckContext,
  row: WaitRow,
  waitMs: number,
): Promise<void> {
  const { api, expect } = context;
  const { input, atLeastMs, at } = jobOf(context, row);
  const held = await holdRunsync(context, input, waitOf(row));
  const record = await expectUnfinishedAfter(context, held, { waitMs, at });

  expect.accepted(await api.status(record.id), `${at}: status of the id`);
  const job = { id: record.id, submittedAt: held.takenAt };
  const { record: ended } = await waitForCompletion(context, job, atLeastMs);
  expect.equal(ended.status, "COMPLETED", `${at}: status of the job in the end`);
  expectOutput(context, ended["output"], { input, at: `${at}: output of the job in the end` });
}

interface WaitedJob extends WorkLength {
  readonly input: JobInput;
  readonly at: string;
}

/** The job of a row, and how long it works. */
function jobOf({ jobs }: CheckContext, row: WaitRow): WaitedJob {
  const at = describe(row);
  return { input: jobs.slow(row.jobMs, at), ...jobs.lengthOf(row.jobMs), at };
}

/**
 * A wait that is surely longer than a job of this length.
 * @throws Unsupported where no allowed wait is
 */
function waitBeyond(atMostMs: number): number {
  const waitMs = atMostMs + 30_000;
  if (waitMs <= waitMsMax) return waitMs;
  throw new Unsupported(
    `the slow job may work for ${atMostMs} ms, and runsync waits for ${waitMsMax} ms at most`,
  );
}

function waitOf({ wait }: WaitRow): { readonly wait?: number } {
  return wait === undefined ? {} : { wait };
}

function describe({ wait, jobMs }: WaitRow): string {
  const parameter = wait === undefined ? "no wait" : `wait=${wait}`;
  return `${parameter}, a job of ${jobMs} ms`;
}
