import { requireRead, waitForEnd, submitJob } from "../../harness/jobs/fixtures.ts";
import { everyStateMs } from "../../harness/jobs/every-state.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import { runToEnd, startJob, submitJobBy } from "../../harness/jobs/submit.ts";
import { jobStates, readRecord } from "../../harness/record.ts";
import { longJobMs } from "../../harness/inputs/jobs.ts";
import type { Check } from "../../harness/check.ts";
import type { JobInState } from "../../harness/jobs/every-state.ts";
import type { LooseRecord } from "../../harness/record.ts";
import type { CheckContext } from "../../harness/check-context.ts";

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
