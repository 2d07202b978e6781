import { waitForEnd, sendHeldRunsync, inputs, readRecord, submitJob } from "../../harness/index.ts";
import type { Check, LooseRecord, CheckContext } from "../../harness/index.ts";

const atOnce = 100;
const numbers: readonly number[] = Array.from({ length: atOnce }, (_, index) => index);

/** Checks that every result belongs to its own input (SUBM-08), with many jobs at once. */
export const crossingChecks: readonly Check[] = [
  {
    name: "submit/results-of-run-at-once",
    title: "100 jobs submitted at once to run each end with the output of their own input",
    covers: ["SUBM-08"], // Results never cross: each job's output comes from its own input, also when many jobs run at once.
    endpoint: { workers: 8 },
    run: async (context) => {
      const jobs = await Promise.all(
        numbers.map(async (number) => submitJob(context, inputs.echo({ number }))),
      );
      const records = await Promise.all(
        jobs.map(async (job) => (await waitForEnd(context, job, slowMs)).record),
      );
      for (const [number, record] of records.entries()) {
        expectOwn(context, record, { number }, `status of job ${String(number)}`);
        context.expect.equal(record.id, jobs[number]?.id, `id in status of job ${String(number)}`);
      }
    },
  },
  {
    name: "submit/results-of-runsync-at-once",
    title: "100 requests of runsync at once are each answered with the output of their own input",
    covers: ["SUBM-08"], // Results never cross: each job's output comes from its own input, also when many jobs run at once.
    endpoint: { workers: 8 },
    run: async (context) => {
      const answers = await Promise.all(
        numbers.map(async (number) => context.api.runsync({ input: inputs.echo({ number }) })),
      );
      for (const [number, exchange] of answers.entries()) {
        const at = `runsync ${String(number)}`;
        expectOwn(context, context.expect.record(exchange, at), { number }, at);
      }
    },
  },
  {
    name: "submit/results-of-jobs-at-work-together",
    title: "jobs at work together, ending in another order than they began, keep their own results",
    covers: ["SUBM-08"], // Results never cross: each job's output comes from its own input, also when many jobs run at once.
    endpoint: { workers: 8 },
    realTimeMs: 10_000,
    run: async (context) => {
      // The first ones work longest, so that the order of ending is not that of beginning.
      const jobs = await Promise.all(
        numbers
          .slice(0, 40)
          .map(async (number) => submitJob(context, inputs.sleep(10 * (40 - number), { number }))),
      );
      await context.time.settle();
      for (const [number, job] of jobs.entries()) {
        const { record } = await waitForEnd(context, job, slowMs);
        expectOwn(context, record, { number }, `status of job ${String(number)}`);
      }
    },
  },
  {
    name: "submit/results-of-runsync-that-wait-together",
    title: "requests of runsync that wait together are each answered with their own job's result",
    covers: ["SUBM-08"], // Results never cross: each job's output comes from its own input, also when many jobs run at once.
    endpoint: { workers: 3 },
    realTimeMs: 10_000,
    run: async (context) => {
      const held = [];
      for (const number of numbers.slice(0, 10)) {
        const input = inputs.sleep(100 * (10 - number), { number });
        held.push(await sendHeldRunsync(context, { input }, 60_000));
      }
      await context.time.advance(slowMs);
      const ids = new Set<string>();
      for (const [number, { answer }] of held.entries()) {
        const at = `runsync ${String(number)} of those that wait`;
        const record = context.expect.record(await answer, at);
        expectOwn(context, record, { number }, at);
        ids.add(record.id);
      }
      context.expect.equal(ids.size, held.length, "different jobs among the answers");
    },
  },
  {
    name: "submit/each-worker-knows-its-own-job",
    title: "a worker is told the id of the job whose result it gives",
    covers: ["SUBM-08"], // Results never cross: each job's output comes from its own input, also when many jobs run at once.
    endpoint: { workers: 8 },
    run: async (context) => {
      const jobs = await Promise.all(
        numbers.slice(0, 20).map(async () => submitJob(context, inputs.whoami())),
      );
      for (const job of jobs) {
        const { record } = await waitForEnd(context, job, slowMs);
        const { output } = record;
        const isOwn = typeof output === "object" && output !== null && "jobId" in output;
        context.expect.equal(
          isOwn ? output.jobId : output,
          job.id,
          "jobId in the output of whoami",
        );
      }
    },
  },
  {
    name: "submit/results-of-different-endings",
    title: "a failing job beside a completing one takes nothing of it, and gives nothing to it",
    covers: ["SUBM-08"], // Results never cross: each job's output comes from its own input, also when many jobs run at once.
    endpoint: { workers: 8 },
    run: async (context) => {
      const pairs = await Promise.all(
        numbers.slice(0, 20).map(async (number) => {
          const [good, bad] = await Promise.all([
            submitJob(context, inputs.echo({ number })),
            submitJob(context, inputs.fail(`failure ${String(number)}`)),
          ]);
          return { number, good, bad };
        }),
      );
      for (const { number, good, bad } of pairs) {
        const at = `job ${String(number)} beside a failing one`;
        expectOwn(context, (await waitForEnd(context, good, slowMs)).record, { number }, at);
        const read = readRecord(
          await context.api.status((await waitForEnd(context, bad, slowMs)).id),
        );
        const output = read.ok ? read.body["output"] : undefined;
        context.expect.equal(output, undefined, `output of the failing job ${String(number)}`);
      }
    },
  },
];

/** More than all the work of a check takes on the fewest workers. */
const slowMs = 60_000;

function expectOwn(
  { expect }: CheckContext,
  record: LooseRecord,
  value: unknown,
  at: string,
): void {
  expect.equal(record["output"], { value }, `output in ${at}`);
}
