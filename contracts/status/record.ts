import { requireRead, waitForEnd, submitJob } from "../../harness/jobs/fixtures.ts";
import {
  everyStateMs,
  everyStateSlowMs,
  withJobsInEveryState,
} from "../../harness/jobs/every-state.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import { runToEnd, startJob, submitJobBy } from "../../harness/jobs/submit.ts";
import { jobStates, readRecord, lastingFields, isFinal } from "../../harness/record.ts";
import { longJobMs } from "../../harness/inputs/jobs.ts";
import type { Check } from "../../harness/check.ts";
import type { JobInState } from "../../harness/jobs/every-state.ts";
import type { LooseRecord } from "../../harness/record.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { requireYounger } from "../../harness/endpoint/time.ts";

/** Checks of the record that status shows (docs/specification.md#job-record). */
export const statusRecordChecks: readonly Check[] = [
  {
    name: "status/id-and-state",
    title: "status answers with the job's id and one of the six states, whatever has become of it",
    covers: ["STAT-01"],
    needs: ["quick", "slow"],
    slowMs: 7000,
    realTimeMs: everyStateMs,
    stalls: true,
    run: async (context) => {
      const { api, time, workers, offers } = context;
      // Nothing here waits for a state: that would hide a target which uses a wrong word for it.
      const done = await submitJob(context, context.jobs.quick("done"));
      const failing = offers("failing")
        ? [await submitJob(context, context.jobs.failing("failing"))]
        : [];
      const policy = { executionTimeout: 5000 };
      const late = await submitJob(context, context.jobs.slow(longJobMs), { policy });
      await time.pass(1000);
      await expectOneOfSix(context, late.id, "a job in progress");
      await time.pass(policy.executionTimeout);
      await time.settle();
      await expectOneOfSix(context, done.id, "a job that completed");
      for (const { id } of failing) await expectOneOfSix(context, id, "a job that failed");
      await expectOneOfSix(context, late.id, "a job that timed out");

      const working = await submitJob(context, context.jobs.slow(longJobMs));
      await time.pass(1000);
      await api.cancel(working.id);
      await expectOneOfSix(context, working.id, "a job cancelled in progress");
      await workers.whileStalled(async () => {
        const waiting = await submitJob(context, context.jobs.slow(longJobMs));
        await expectOneOfSix(context, waiting.id, "a job in the queue");
        await api.cancel(waiting.id);
        await expectOneOfSix(context, waiting.id, "a job cancelled in the queue");
      });
    },
  },
  {
    name: "status/id-and-state-of-any-job",
    title: "status answers with the id and a state of a job just submitted, by run or runsync",
    covers: ["STAT-01"],
    run: async (context) => {
      const first = await submitJob(context, context.jobs.quick("one"));
      const second = await submitJobBy(context, context.jobs.quick("two"), { by: "runsync" });
      for (const { id } of [first, second, first]) {
        await expectOneOfSix(context, id, "a job just submitted");
      }
    },
  },
  {
    name: "status/output-of-runsync-jobs",
    title: "status shows an output of a runsync job once it has completed, and not before",
    covers: ["STAT-02"],
    needs: ["slow"],
    slowMs: 3000,
    realTimeMs: 5000,
    run: async (context) => {
      const { api } = context;
      const workMs = 3000;
      const input = context.jobs.slow(workMs, "slow");
      const job = await startJob(context, input, { by: "runsync" });
      const working = requireRead(
        readRecord(await api.status(job.id)),
        "could not read the job while it worked: status answered",
      );
      expectOutputOnceCompleted(context, working, { state: working.status, at: "at work" });
      const { record } = await waitForEnd(context, job, workMs);
      expectOutput(context, record["output"], { input, at: "output when it has completed" });
      const stopping = context.jobs.slowYielding(60, 100);
      const stopped = await startJob(context, stopping, { by: "runsync" });
      await api.cancel(stopped.id);
      const { record: cancelled } = await waitForEnd(context, stopped);
      expectOutputOnceCompleted(context, cancelled, { state: "CANCELLED", at: "cancelled" });
    },
  },
  {
    name: "status/output-of-any-shape",
    title: "status shows the output of a completed job as the handler gave it",
    covers: ["STAT-02"],
    needs: ["quick"],
    run: async (context) => {
      const { jobs } = context;
      const rows = [
        ["an object of null", jobs.quick(null)],
        ["an object of false", jobs.quick(false)],
        ["an object of nothing", jobs.quick({})],
        ...(jobs.exact
          ? ([
              ["an empty array", jobs.streaming(0, 0)],
              ["an array", jobs.streaming(2, 0)],
            ] as const)
          : []),
      ] as const;
      for (const [at, input] of rows) {
        const { record } = await runToEnd(context, input);
        expectOutput(context, record["output"], { input, at });
      }
    },
  },
  {
    name: "status/records-in-every-state",
    title:
      "status shows an output and times where the state has them, and the same however often it is read",
    covers: ["STAT-02", "STAT-03", "STAT-08"],
    needs: ["quick", "slow"],
    slowMs: everyStateSlowMs,
    realTimeMs: everyStateMs + 15_000,
    stalls: true,
    run: async (context) => {
      const { api, time, expect } = context;
      await withJobsInEveryState(context, async (jobs) => {
        const finished: { readonly job: JobInState; readonly first: LooseRecord }[] = [];
        for (const job of jobs) {
          const first = requireRead(
            readRecord(await api.status(job.id)),
            `${job.at}: status answered`,
          );
          const again = await readAgain(context, job, first);
          expectOutputOnceCompleted({ expect: expect.of("STAT-02") }, first, job);
          expect.of("STAT-08").equal(again.status, job.state, `${job.at}: state`);
          if (!isFinal(first)) continue;
          // A cancelled job was stopped rather than finished: it may have no times, but no wrong ones.
          const mayLack = first.status === "CANCELLED";
          const shown = timeMembers.filter((name) => !mayLack || first[name] !== undefined);
          expectTimes(expect.of("STAT-03"), first, job.at, shown);
          finished.push({ job, first });
        }
        if (finished.length > 0) await time.pass(laterMs);
        for (const { job, first } of finished) {
          const at = `${job.at}, read later`;
          const later = expect.of("STAT-08").record(await api.status(job.id), at);
          expect.of("STAT-08").equal(lastingFields(later), lastingFields(first), at);
        }
      });
    },
  },
];

async function expectOneOfSix(
  { api, time, expect }: CheckContext,
  id: string,
  at: string,
): Promise<void> {
  const exchange = await time.until(
    async () => api.status(id),
    (seen) => readRecord(seen).ok,
  );
  const record = expect.record(exchange, at);
  expect.equal(record.id, id, `${at}: id`);
  expect.that(jobStates.includes(record.status), {
    at: `${at}: status`,
    expected: `one of ${jobStates.join(", ")}`,
    got: record.status,
  });
}

/** Records a difference unless a job has an output only if COMPLETED, and then the known one where it is known. */
export function expectOutputOnceCompleted(
  { expect }: Pick<CheckContext, "expect">,
  record: LooseRecord,
  { at, state, output: known }: Pick<JobInState, "at" | "state" | "output">,
): void {
  const output = record["output"];
  if (state === "COMPLETED" && known === undefined) {
    expect.that(output !== undefined, { at: `${at}: output`, expected: "an output", got: "none" });
    return;
  }
  expect.equal(output, state === "COMPLETED" ? known?.output : undefined, `${at}: output`);
}

/** The members of a record that tell times. */
export const timeMembers = ["delayTime", "executionTime"] as const;

/** Records a difference for each of the times that is no integer of 0 or more. */
export function expectTimes(
  expect: CheckContext["expect"],
  record: LooseRecord,
  at: string,
  members: readonly string[] = timeMembers,
): void {
  for (const member of members) {
    const value = record[member];
    expect.that(Number.isInteger(value) && Number(value) >= 0, {
      at: `${at}: ${member}`,
      expected: "an integer of 0 or more",
      got: value === undefined ? "nothing" : JSON.stringify(value),
    });
  }
}

/** How often a job is read where reading must change nothing. */
const reads = 12;
/** Long enough for a time in seconds to grow. */
const laterMs = 2000;

/** Reads a job many times more, expects the same record each time, and returns the last one. */
async function readAgain(
  context: CheckContext,
  { id, at, lasts }: JobInState,
  first: LooseRecord,
): Promise<LooseRecord> {
  const expect = context.expect.of("STAT-08");
  // The times of an unfinished job may grow while it is read.
  const known = isFinal(first)
    ? lastingFields
    : context.time.choose({ virtual: lastingFields, real: stateOnly });
  let again = first;
  for (let read = 2; read <= reads; read += 1) {
    const exchange = await context.api.status(id);
    if (lasts !== undefined) requireYounger(context, lasts.since, lasts.ageMs);
    again = expect.record(exchange, `${at}, read ${read}`);
    expect.equal(known(again), known(first), `${at}, read ${read}`);
  }
  return again;
}

function stateOnly({ id, status }: LooseRecord): unknown {
  return { id, status };
}
