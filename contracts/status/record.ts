import {
  requireRead,
  runToCompletion,
  everyStateMs,
  waitForEnd,
  inputs,
  isFinal,
  jobStates,
  withJobsInEveryState,
  runSync,
  waitUntilOverAfter,
  isOver,
  stateOf,
  readRecord,
  startJob,
  submitJob,
  waitForCompletion,
} from "../../harness/index.ts";
import type { Check, JobInState, LooseRecord, CheckContext } from "../../harness/index.ts";

/** How often a job is read where reading must change nothing. */
const reads = 12;

/** Long enough for a time in seconds to grow. */
const laterMs = 2000;

/** Longer than any check looks: what works this long has to be cancelled. */
const longJobMs = 60_000;

/** Checks of the record that status shows (docs/specification.md#job-record). */
export const statusRecordChecks: readonly Check[] = [
  {
    name: "status/id-and-state",
    title: "status answers with the job's id and one of the six states, whatever has become of it",
    covers: ["STAT-01"], // status answers with the job's id and one of the six states.
    needs: ["handler"],
    realTimeMs: everyStateMs,
    exclusive: true,
    run: async (context) => {
      const { api, time, workers } = context;
      // No state is taken for granted on the way: a wrong word for one would be hidden by what waits for it.
      const done = await submitJob(context, inputs.echo("done"));
      const failing = await submitJob(context, inputs.fail("failing"));
      const policy = { executionTimeout: 5000 };
      const late = await submitJob(context, inputs.sleep(longJobMs), { policy });
      await time.pass(1000);
      await expectOneOfSix(context, late.id, "a job in progress");
      await time.pass(policy.executionTimeout);
      await time.settle();
      await expectOneOfSix(context, done.id, "a job that completed");
      await expectOneOfSix(context, failing.id, "a job that failed");
      await expectOneOfSix(context, late.id, "a job that timed out");

      const working = await submitJob(context, inputs.sleep(longJobMs));
      await workers.whileStalled(async () => {
        const waiting = await submitJob(context, inputs.sleep(longJobMs));
        await expectOneOfSix(context, waiting.id, "a job in the queue");
        await api.cancel(waiting.id);
        await expectOneOfSix(context, waiting.id, "a job cancelled in the queue");
        await api.cancel(working.id);
        await expectOneOfSix(context, working.id, "a job cancelled in progress");
      });
    },
  },
  {
    name: "status/id-and-state-of-any-job",
    title: "status answers with the id and a state of a job just submitted, by run or runsync",
    covers: ["STAT-01"], // status answers with the job's id and one of the six states.
    run: async (context) => {
      const first = await submitJob(context, inputs.echo("one"));
      const second = await submitJob(context, inputs.echo("two"));
      for (const { id } of [first, second, first]) {
        await expectOneOfSix(context, id, "a job just submitted");
      }
    },
  },
  {
    name: "status/output-only-when-completed",
    title: "status shows an output of a completed job, and of no job in another state",
    covers: ["STAT-02"], // output is present once the job has completed, and in no other state.
    realTimeMs: everyStateMs,
    exclusive: true,
    run: async (context) => {
      await withJobsInEveryState(context, async (jobs) => {
        for (const job of jobs) {
          const record = requireRead(
            readRecord(await context.api.status(job.id)),
            `${job.at}: status gave`,
          );
          expectOutput(context, record, job);
        }
      });
    },
  },
  {
    name: "status/output-of-runsync-jobs",
    title: "status shows an output of a runsync job once it has completed, and not before",
    covers: ["STAT-02"], // output is present once the job has completed, and in no other state.
    realTimeMs: 5000,
    run: async (context) => {
      const { api, expect } = context;
      const workMs = 3000;
      const job = await startJob(context, inputs.sleep(workMs, "slow"), { by: "runsync" });
      const working = requireRead(readRecord(await api.status(job.id)), "at work: status gave");
      expectOutput(context, working, { id: job.id, state: working.status, at: "at work" });
      const { record } = await waitForEnd(context, job, workMs);
      expect.equal(record["output"], { value: "slow" }, "output when it has completed");
      const stopped = await startJob(context, inputs.stream(60, 100), { by: "runsync" });
      await api.cancel(stopped.id);
      const { record: cancelled } = await waitForEnd(context, stopped);
      expectOutput(context, cancelled, { id: stopped.id, state: "CANCELLED", at: "cancelled" });
    },
  },
  {
    name: "status/output-of-any-shape",
    title: "status shows the output of a completed job as the handler gave it",
    covers: ["STAT-02"], // output is present once the job has completed, and in no other state.
    run: async (context) => {
      const rows: readonly (readonly [string, unknown, unknown])[] = [
        ["an object of null", inputs.echo(null), { value: null }],
        ["an object of false", inputs.echo(false), { value: false }],
        ["an object of nothing", inputs.echo({}), { value: {} }],
        ["an empty array", inputs.stream(0, 0), []],
        ["an array", inputs.stream(2, 0), [{ index: 0 }, { index: 1 }]],
      ];
      for (const [at, input, output] of rows) {
        const { record } = await waitForEnd(context, await submitJob(context, input));
        context.expect.equal(record["output"], output, at);
      }
    },
  },
  {
    name: "status/times-of-a-finished-job",
    title: "status of a finished job has delayTime and executionTime, integers of 0 or more",
    covers: ["STAT-03"], // status of a finished job has delayTime and executionTime, integers of 0 or more.
    realTimeMs: everyStateMs,
    exclusive: true,
    run: async (context) => {
      await withJobsInEveryState(context, async (jobs) => {
        for (const { id, at } of jobs) {
          const record = requireRead(
            readRecord(await context.api.status(id)),
            `${at}: status gave`,
          );
          if (isFinal(record)) expectTimes(context, record, at);
        }
      });
    },
  },
  {
    name: "status/reading-changes-no-record",
    title: "reading a job any number of times gives the same record, whatever its state",
    covers: ["STAT-08"], // Reading status without ttl changes nothing: any number of reads give the same unfinished or finished record.
    realTimeMs: everyStateMs + 15_000,
    exclusive: true,
    run: async (context) => {
      const { api, time, expect } = context;
      await withJobsInEveryState(context, async (jobs) => {
        for (const { id, state, at } of jobs) {
          const first = requireRead(readRecord(await api.status(id)), `${at}: status gave`);
          for (let read = 2; read <= reads; read += 1) {
            const again = expect.record(await api.status(id), `${at}, read ${String(read)}`);
            // The times of an unfinished job may grow while it is read.
            const known = isFinal(first)
              ? stable
              : time.choose({ virtual: stable, real: stateOnly });
            expect.equal(known(again), known(first), `${at}, read ${String(read)}`);
          }
          expect.equal(first.status, state, `${at}: state`);
          if (!isFinal(first)) continue;
          await time.pass(laterMs);
          const later = expect.record(await api.status(id), `${at}, read later`);
          expect.equal(stable(later), stable(first), `${at}, read later`);
        }
      });
    },
  },
  {
    name: "status/reading-disturbs-no-job",
    title: "a job that is read again and again while it waits and works ends as any other",
    covers: ["STAT-08"], // Reading status without ttl changes nothing: any number of reads give the same unfinished or finished record.
    realTimeMs: 4000,
    exclusive: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const sleepMs = 2000;
      const { job, resumedAt } = await workers.whileStalled(async () => {
        const queued = await submitJob(context, inputs.sleep(sleepMs, "undisturbed"));
        for (let read = 0; read < reads; read += 1) await api.status(queued.id);
        const { at: lastReadAt } = await time.observe(async () => api.status(queued.id));
        return { job: queued, resumedAt: lastReadAt };
      });
      await time.settle();
      for (let read = 0; read < reads; read += 1) await api.status(job.id);

      const { record } = await waitForCompletion(
        context,
        { ...job, submittedAt: resumedAt },
        sleepMs,
      );
      expect.equal(record.status, "COMPLETED", "status of the job in the end");
      expect.equal(record["output"], { value: "undisturbed" }, "output of the job in the end");
    },
  },
  {
    name: "status/reading-prolongs-no-ttl",
    title: "reading a queued job without ttl leaves the end of its time to live where it was",
    covers: ["STAT-08"], // Reading status without ttl changes nothing: any number of reads give the same unfinished or finished record.
    realTimeMs: 12_000,
    exclusive: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const ttl = 10_000;
      await workers.whileStalled(async () => {
        const policy = { ttl };
        const job = await submitJob(context, inputs.echo("expires"), { policy });
        const read = async () => api.status(job.id);
        for (const ageMs of [3000, 6000, ttl]) {
          const { exchange } = await time.before(job.submittedAt, ageMs, read);
          expect.equal(stateOf(exchange), "IN_QUEUE", `read before ${String(ageMs)} ms`);
        }
        const late = await waitUntilOverAfter(context, job.id, {
          since: job.submittedAt,
          ageMs: ttl,
        });
        expect.that(isOver(late), {
          at: "read after the ttl",
          expected: "no job that waits or is being processed",
          got: stateOf(late),
        });
      });
    },
  },
  {
    name: "status/reading-keeps-the-result",
    title: "reading a finished result takes nothing of it away",
    covers: ["STAT-08"], // Reading status without ttl changes nothing: any number of reads give the same unfinished or finished record.
    run: async (context) => {
      const { api, time, expect } = context;
      const value = { much: ["to", "read"] };
      const jobs = [
        { by: "run", id: (await runToCompletion(context, value)).id },
        { by: "runsync", id: (await runSync(context, inputs.echo(value))).id },
      ];
      for (let read = 1; read <= reads; read += 1) {
        for (const { by, id } of jobs) {
          const at = `${by}, read ${String(read)}`;
          const record = expect.record(await api.status(id), at);
          expect.equal(record["output"], { value }, at);
        }
        await time.pass(time.choose({ virtual: 1000, real: 1 }));
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

function expectOutput({ expect }: CheckContext, record: LooseRecord, job: JobInState): void {
  const { at, state } = job;
  const output = record["output"];
  if (state === "COMPLETED") {
    expect.equal(output, job.output, `${at}: output`);
    return;
  }
  expect.equal(output, undefined, `${at}: output`);
}

function expectTimes({ expect }: CheckContext, record: LooseRecord, at: string): void {
  for (const member of ["delayTime", "executionTime"]) {
    const value = record[member];
    // A cancelled job was stopped rather than finished: it may have no times, but no wrong ones.
    if (value === undefined && record.status === "CANCELLED") continue;
    expect.that(Number.isInteger(value) && Number(value) >= 0, {
      at: `${at}: ${member}`,
      expected: "an integer of 0 or more",
      got: value === undefined ? "nothing" : JSON.stringify(value),
    });
  }
}

/** The members that the specification knows; further ones may say what they like. */
function stable({ id, status, output, delayTime, executionTime }: LooseRecord): unknown {
  return { id, status, output, delayTime, executionTime };
}

function stateOnly({ id, status }: LooseRecord): unknown {
  return { id, status };
}
