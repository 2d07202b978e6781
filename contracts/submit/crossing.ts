import { finished, heldRunsync, inputs, readRecord, submitted } from "../../harness/index.ts";
import type { Check, LooseRecord, Tools } from "../../harness/index.ts";

const atOnce = 100;
const numbers: readonly number[] = Array.from({ length: atOnce }, (_, index) => index);

/** Checks that every result belongs to its own input (SUBM-08), with many jobs at once. */
export const crossingChecks: readonly Check[] = [
  {
    name: "submit/results-of-run-at-once",
    title: "100 jobs submitted at once to run each end with the output of their own input",
    covers: ["SUBM-08"],
    endpoint: { workers: 8 },
    run: async (tools) => {
      const jobs = await Promise.all(
        numbers.map(async (number) => submitted(tools, inputs.echo({ number }))),
      );
      const records = await Promise.all(
        jobs.map(async (job) => (await finished(tools, job, slowMs)).record),
      );
      for (const [number, record] of records.entries()) {
        expectOwn(tools, record, { number }, `status of job ${String(number)}`);
        tools.expect.equal(record.id, jobs[number]?.id, `id in status of job ${String(number)}`);
      }
    },
  },
  {
    name: "submit/results-of-runsync-at-once",
    title: "100 requests of runsync at once are each answered with the output of their own input",
    covers: ["SUBM-08"],
    endpoint: { workers: 8 },
    run: async (tools) => {
      const answers = await Promise.all(
        numbers.map(async (number) => tools.api.runsync({ input: inputs.echo({ number }) })),
      );
      for (const [number, exchange] of answers.entries()) {
        const at = `runsync ${String(number)}`;
        expectOwn(tools, tools.expect.record(exchange, at), { number }, at);
      }
    },
  },
  {
    name: "submit/results-of-jobs-at-work-together",
    title: "jobs at work together, ending in another order than they began, keep their own results",
    covers: ["SUBM-08"],
    endpoint: { workers: 8 },
    realTimeMs: 10_000,
    run: async (tools) => {
      // The first ones work longest, so that the order of ending is not that of beginning.
      const jobs = await Promise.all(
        numbers
          .slice(0, 40)
          .map(async (number) => submitted(tools, inputs.sleep(10 * (40 - number), { number }))),
      );
      await tools.time.settle();
      for (const [number, job] of jobs.entries()) {
        const { record } = await finished(tools, job, slowMs);
        expectOwn(tools, record, { number }, `status of job ${String(number)}`);
      }
    },
  },
  {
    name: "submit/results-of-runsync-that-wait-together",
    title: "requests of runsync that wait together are each answered with their own job's result",
    covers: ["SUBM-08"],
    endpoint: { workers: 3 },
    realTimeMs: 10_000,
    run: async (tools) => {
      const held = [];
      for (const number of numbers.slice(0, 10)) {
        const input = inputs.sleep(100 * (10 - number), { number });
        held.push(await heldRunsync(tools, { input }, 60_000));
      }
      if (tools.time.virtual) await tools.time.pass(slowMs);
      const ids = new Set<string>();
      for (const [number, { answer }] of held.entries()) {
        const at = `runsync ${String(number)} of those that wait`;
        const record = tools.expect.record(await answer, at);
        expectOwn(tools, record, { number }, at);
        ids.add(record.id);
      }
      tools.expect.equal(ids.size, held.length, "different jobs among the answers");
    },
  },
  {
    name: "submit/each-worker-knows-its-own-job",
    title: "a worker is told the id of the job whose result it gives",
    covers: ["SUBM-08"],
    endpoint: { workers: 8 },
    run: async (tools) => {
      const jobs = await Promise.all(
        numbers.slice(0, 20).map(async () => submitted(tools, inputs.whoami())),
      );
      for (const job of jobs) {
        const { record } = await finished(tools, job, slowMs);
        const { output } = record;
        const isOwn = typeof output === "object" && output !== null && "jobId" in output;
        tools.expect.equal(isOwn ? output.jobId : output, job.id, "jobId in the output of whoami");
      }
    },
  },
  {
    name: "submit/results-of-different-endings",
    title: "a failing job beside a completing one takes nothing of it, and gives nothing to it",
    covers: ["SUBM-08"],
    endpoint: { workers: 8 },
    run: async (tools) => {
      const pairs = await Promise.all(
        numbers.slice(0, 20).map(async (number) => {
          const [good, bad] = await Promise.all([
            submitted(tools, inputs.echo({ number })),
            submitted(tools, inputs.fail(`failure ${String(number)}`)),
          ]);
          return { number, good, bad };
        }),
      );
      for (const { number, good, bad } of pairs) {
        const at = `job ${String(number)} beside a failing one`;
        expectOwn(tools, (await finished(tools, good, slowMs)).record, { number }, at);
        const read = readRecord(await tools.api.status((await finished(tools, bad, slowMs)).id));
        const output = read.ok ? read.body["output"] : undefined;
        tools.expect.equal(output, undefined, `output of the failing job ${String(number)}`);
      }
    },
  },
];

/** More than all the work of a check takes on the fewest workers. */
const slowMs = 60_000;

function expectOwn({ expect }: Tools, record: LooseRecord, value: unknown, at: string): void {
  expect.equal(record["output"], { value }, `output in ${at}`);
}
