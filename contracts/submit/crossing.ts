import { requireState, submitJob, waitForEnd } from "../../harness/jobs/fixtures.ts";
import { valueAt } from "../../openapi/departures.ts";
import { sendHeldRunsync } from "../../harness/jobs/submit.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import { readRecord } from "../../harness/record.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import { Inconclusive, Unsupported } from "../../harness/outcome.ts";
import type { Check } from "../../harness/check.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import type { LooseRecord } from "../../harness/record.ts";
import type { CheckContext } from "../../harness/check-context.ts";

const atOnce = 60;
const numbers: readonly number[] = Array.from({ length: atOnce }, (_, index) => index);

/** Checks that every result belongs to its own input (SUBM-08), with many jobs at once. */
export const crossingChecks: readonly Check[] = [
  {
    name: "submit/results-of-run-at-once",
    title: "many jobs submitted at once to run each end with the output of their own input",
    covers: ["SUBM-08"],
    needs: ["known"],
    endpoint: { workers: 8 },
    run: async (context) => {
      const inputsAtOnce = differentInputs(context);
      const jobs = await Promise.all(
        inputsAtOnce.map(async (input) => ({ input, job: await submitJob(context, input) })),
      );
      const ended = await Promise.all(
        jobs.map(async ({ input, job }) => ({
          input,
          id: job.id,
          record: (await waitForEnd(context, job, allWorkMsMax)).record,
        })),
      );
      for (const [number, { input, id, record }] of ended.entries()) {
        const at = `status of job ${number}`;
        expectOutput(context, record["output"], { input, at: `output in ${at}` });
        context.expect.equal(record.id, id, `id in ${at}`);
      }
    },
  },
  {
    name: "submit/results-of-runsync-at-once",
    title: "many requests of runsync at once are each answered with the output of their own input",
    covers: ["SUBM-08"],
    needs: ["known"],
    endpoint: { workers: 8 },
    run: async (context) => {
      const answers = await Promise.all(
        differentInputs(context).map(async (input) => ({
          input,
          exchange: await context.api.runsync({ input }),
        })),
      );
      for (const [number, { input, exchange }] of answers.entries()) {
        const at = `runsync ${number}`;
        const { output } = context.expect.record(exchange, at);
        expectOutput(context, output, { input, at: `output in ${at}` });
      }
    },
  },
  {
    name: "submit/results-of-jobs-at-work-together",
    title: "jobs at work together, ending in another order than they began, keep their own results",
    covers: ["SUBM-08"],
    endpoint: { workers: 8 },
    realTimeMs: 10_000,
    run: async (context) => {
      // The first jobs work longest, so that jobs end in another order than they began.
      const jobs = await Promise.all(
        numbers
          .slice(0, 40)
          .map(async (number) =>
            submitJob(context, context.jobs.slow(10 * (40 - number), { number })),
          ),
      );
      await context.time.settle();
      for (const [number, job] of jobs.entries()) {
        const { record } = await waitForEnd(context, job, allWorkMsMax);
        expectOwn(context, record, { number }, `status of job ${number}`);
      }
    },
  },
  {
    name: "submit/results-of-runsync-that-wait-together",
    title: "requests of runsync that wait together are each answered with their own job's result",
    covers: ["SUBM-08"],
    endpoint: { workers: 3 },
    realTimeMs: 10_000,
    run: async (context) => {
      const held = [];
      for (const number of numbers.slice(0, 10)) {
        const input = context.jobs.slow(100 * (10 - number), { number });
        held.push(await sendHeldRunsync(context, { input }, 60_000));
      }
      await context.time.advance(allWorkMsMax);
      const ids = new Set<string>();
      for (const [number, { answer }] of held.entries()) {
        const at = `runsync ${number} of those that wait`;
        const record = context.expect.record(await answer, at);
        expectOwn(context, record, { number }, at);
        ids.add(record.id);
      }
      context.expect.equal(ids.size, held.length, "different jobs among the answers");
    },
  },
  {
    name: "submit/results-of-runsync-that-waited",
    title:
      "requests of runsync whose jobs waited for a worker are each answered with their own job's result",
    covers: ["SUBM-08"],
    needs: ["known", "slow"],
    slowMs: 4000,
    realTimeMs: 4000,
    stalls: true,
    endpoint: { workers: 2 },
    run: async (context) => {
      const { time, workers, jobs } = context;
      const held = await workers.whileStalled(async () => {
        const requests = [];
        for (const input of differentInputs(context).slice(0, waitingJobs)) {
          requests.push({ input, request: await sendHeldRunsync(context, { input }, 120_000) });
        }
        return requests;
      });
      await time.advance(waitingJobs * (jobs.quickMs + 1));
      for (const [number, { input, request }] of held.entries()) {
        const at = `runsync ${number} of those that waited`;
        const record = context.expect.record(await request.answer, at);
        // A worker may have taken longer than the request waits.
        if (record.status !== "COMPLETED") throw new Inconclusive(`${at} is ${record.status}`);
        expectOutput(context, record["output"], { input, at: `output in ${at}` });
      }
    },
  },
  {
    name: "submit/each-worker-knows-its-own-job",
    title: "a worker is told the id of the job whose result it gives",
    covers: ["SUBM-08"],
    endpoint: { workers: 8 },
    run: async (context) => {
      const jobs = await Promise.all(
        numbers.slice(0, 20).map(async () => submitJob(context, inputs.whoami())),
      );
      for (const job of jobs) {
        const { record } = await waitForEnd(context, job, allWorkMsMax);
        const { output } = record;
        const isOwn = typeof output === "object" && output !== null && "jobId" in output;
        const told: unknown = isOwn ? output.jobId : output;
        // Where ids are numbers, the worker is told a number.
        const id = typeof told === "number" ? String(told) : told;
        context.expect.equal(id, job.id, "jobId in the output of whoami");
      }
    },
  },
  {
    name: "submit/results-of-different-endings",
    title: "a failing job beside a completing one takes nothing of it, and gives nothing to it",
    covers: ["SUBM-08"],
    endpoint: { workers: 8 },
    run: async (context) => {
      const pairs = await Promise.all(
        numbers.slice(0, 20).map(async (number) => {
          const [good, bad] = await Promise.all([
            submitJob(context, context.jobs.quick({ number })),
            submitJob(context, context.jobs.failing(`failure ${number}`)),
          ]);
          return { number, good, bad };
        }),
      );
      for (const { number, good, bad } of pairs) {
        const at = `job ${number} beside a failing one`;
        expectOwn(context, (await waitForEnd(context, good, allWorkMsMax)).record, { number }, at);
        const failed = await waitForEnd(context, bad, allWorkMsMax);
        const read = readRecord(await context.api.status(failed.id));
        const output = read.ok ? read.body["output"] : undefined;
        // What a job has that did not fail is its own, where it is not of the kind that the other one has.
        if (valueAt(output, "number") === undefined) requireState(failed, "FAILED");
        context.expect.equal(output, undefined, `output of the failing job ${number}`);
      }
    },
  },
];

/** How many requests of runsync wait together, so that not all of them have the same output. */
const waitingJobs = 4;

/** More than all the work of a check takes on the fewest workers. */
const allWorkMsMax = 60_000;

/** How many jobs from a jobs file are submitted: fewer than of the conformance handler's. */
const ownAtOnce = 12;

/** Inputs that do not all have the same output. @throws Unsupported where the known jobs allow none */
function differentInputs({ jobs }: CheckContext): readonly JobInput[] {
  const used = jobs.exact ? numbers : numbers.slice(0, ownAtOnce);
  const all = used.map((number) => jobs.quick({ number }));
  if (new Set(all).size > 1) return all;
  throw new Unsupported(
    "one known job alone cannot show it: give two or more with different outputs",
  );
}

function expectOwn(
  { expect }: CheckContext,
  record: LooseRecord,
  value: unknown,
  at: string,
): void {
  expect.equal(record["output"], { value }, `output in ${at}`);
}
