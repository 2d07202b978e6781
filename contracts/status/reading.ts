import { lastingFields, isFinal, stateOf, readRecord } from "../../harness/record.ts";
import { runToCompletion, submitJob } from "../../harness/jobs/fixtures.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import { runSync, waitForCompletion } from "../../harness/jobs/endings.ts";
import {
  waitUntilOverAfter,
  isOver,
  statusBefore,
  waitUntilOverWithin,
} from "../../harness/jobs/job-state.ts";
import { Inconclusive, Unsupported } from "../../harness/outcome.ts";
import type { Check } from "../../harness/check.ts";

/** How often a job is read where reading must change nothing. */
const reads = 12;
/** How often a finished job is read where reading takes no time. */
const manyReads = 100;

/** Checks that reading a job changes nothing of it (STAT-08). */
export const statusReadingChecks: readonly Check[] = [
  {
    name: "status/reading-changes-no-job-of-any-kind",
    title:
      "reading a job of which nothing is known any number of times gives the same final record",
    covers: ["STAT-08"],
    run: async (context) => {
      const { api, expect } = context;
      const job = await submitJob(context, context.jobs.quick("read"));
      const ended = readRecord(await waitUntilOverWithin(context, job.id));
      if (!ended.ok || !isFinal(ended.body)) {
        throw new Unsupported(
          "the job, of which nothing is known, has not ended; a quick one would",
        );
      }
      const record = ended.body;
      for (let read = 2; read <= reads; read += 1) {
        const again = expect.record(await api.status(job.id), `read ${read}`);
        expect.equal(lastingFields(again), lastingFields(record), `read ${read}`);
      }
    },
  },
  {
    name: "status/reading-disturbs-no-job",
    title: "a job that is read again and again while it waits and works ends as any other",
    covers: ["STAT-08"],
    needs: ["slow"],
    slowMs: 4000,
    realTimeMs: 4000,
    exclusive: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const sleepMs = 2000;
      const input = context.jobs.slow(sleepMs, "undisturbed");
      const { job, resumedAt } = await workers.whileStalled(async () => {
        const queued = await submitJob(context, input);
        for (let read = 0; read < reads; read += 1) await api.status(queued.id);
        const { at: lastReadAt } = await time.observe(async () => api.status(queued.id));
        return { job: queued, resumedAt: lastReadAt };
      });
      await time.settle();
      for (let read = 0; read < reads; read += 1) await api.status(job.id);

      const { record } = await waitForCompletion(
        context,
        { ...job, submittedAt: resumedAt },
        context.jobs.lengthOf(sleepMs).atLeastMs,
      );
      expect.equal(record.status, "COMPLETED", "status of the job in the end");
      expectOutput(context, record["output"], { input, at: "output of the job in the end" });
    },
  },
  {
    name: "status/reading-prolongs-no-ttl",
    title: "reading a queued job without ttl leaves the end of its time to live where it was",
    covers: ["STAT-08"],
    needs: ["quick", "slow"],
    slowMs: 12000,
    realTimeMs: 12_000,
    stalls: true,
    run: async (context) => {
      const { workers, expect } = context;
      const ttl = 10_000;
      await workers.whileStalled(async () => {
        const policy = { ttl };
        const job = await submitJob(context, context.jobs.quick("expires"), { policy });
        const unread = await submitJob(context, context.jobs.quick("expires unread"), { policy });
        for (const ageMs of [3000, 6000, ttl]) {
          const exchange = await statusBefore(context, job.id, job.submittedAt, ageMs);
          expect.equal(stateOf(exchange), "IN_QUEUE", `read before ${ageMs} ms`);
        }
        const late = await waitUntilOverAfter(context, job.id, {
          since: job.submittedAt,
          ageMs: ttl,
        });
        if (!isOver(late) && !isOver(await context.api.status(unread.id))) {
          throw new Inconclusive("a job that was never read outlives its ttl, too");
        }
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
    covers: ["STAT-08"],
    needs: ["quick"],
    run: async (context) => {
      const { api, time, expect } = context;
      const value = { much: ["to", "read"] };
      const input = context.jobs.quick(value);
      const jobs = [
        { by: "run", job: await runToCompletion(context, value) },
        { by: "runsync", job: await runSync(context, input) },
      ] as const;
      for (let read = 1; read <= reads; read += 1) {
        for (const { by, job } of jobs) {
          const at = `${by}, read ${read}`;
          const record = expect.record(await api.status(job.id), at);
          expect.equal(record["output"], job.record["output"], at);
          expectOutput(context, record["output"], { input, at });
        }
        await time.pass(time.choose({ virtual: 1000, real: 1 }));
      }
      const [first] = jobs;
      const more = time.choose({ virtual: manyReads, real: 0 });
      for (let read = 0; read < more; read += 1) await api.status(first.job.id);
      expect.record(await api.status(first.job.id), `after ${reads + more} reads`);
    },
  },
];
