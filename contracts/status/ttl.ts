import { answerOf, isSuccess } from "../../harness/read.ts";
import {
  isOver,
  waitUntilOverAfter,
  statusBefore,
  expectNot,
  unfinishedOrCompleted,
} from "../../harness/jobs/job-state.ts";
import { Unsupported } from "../../harness/outcome.ts";
import { startJob, submitOperationsOf } from "../../harness/jobs/submit.ts";
import { stateOf } from "../../harness/record.ts";
import { submitJob } from "../../harness/jobs/fixtures.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { Interval } from "../../harness/interval.ts";
import type { Observation } from "../../harness/endpoint/time.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";

/** The ttl that the specification's sample sends (STAT-06). */
export const sampleMs = 6000;
const dayMs = 86_400_000;
/** One ttl within the default of a submission, and one beyond it. */
const longTtlsMs = [5 * 3_600_000, 2 * dayMs];
/** The shortest ttl of a submission (POLI-02). */
const policyTtlMs = 10_000;

const refusedTtls: readonly (readonly [string, string | number])[] = [
  ["0", 0],
  ["negative", -1],
  ["the sample's, negative", -sampleMs],
  ["a fraction", "1.5"],
  ["the sample's with a fraction", "6000.5"],
  ["a word", "long"],
  ["a number with a unit", "6000ms"],
  ["a number with a separator", "6,000"],
  ["a number with an underscore", "6_000"],
  ["NaN", "NaN"],
  ["Infinity", "Infinity"],
  ["null", "null"],
  ["true", "true"],
  ["nothing", ""],
];

/** Checks of the query parameter ttl of status (STAT-06, STAT-07). */
export const statusTtlChecks: readonly Check[] = [
  {
    name: "status/ttl-ends-a-queued-job",
    title: "a queued job that was read with ttl=6000 is there for 6 seconds and not kept past them",
    covers: ["STAT-06", "SUBM-05"],
    needs: ["quick", "slow"],
    slowMs: 8000,
    stalls: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const job = await workers.whileStalled(async () => {
        const queued = await submitJob(context, context.jobs.quick("expires"));
        const { exchange, at } = await readWithTtl(context, queued, sampleMs);
        const { id } = expect.record(exchange, `ttl=${sampleMs}`);
        expect.equal(id, queued.id, `the id in the answer to ttl=${sampleMs}`);
        await expectUnfinishedBefore(context, queued, sampleMs);
        await expectOverAfter(context, queued, at, sampleMs);
        const next = await submitJob(context, context.jobs.quick("comes after it"));
        const [expected, got] = [`another id than ${queued.id}`, next.id];
        expect.of("SUBM-05").that(next.id !== queued.id, { at: "the next job", expected, got });
        return queued;
      });
      await time.settle();
      const late = await api.status(job.id);
      expect.that(stateOf(late) !== "COMPLETED", {
        at: "status once a worker is free",
        expected: "a job that was not processed",
        got: stateOf(late),
      });
    },
  },
  {
    name: "status/ttl-ends-a-job-in-progress",
    title: "a job in progress that was read with ttl=6000 is not kept past 6 seconds",
    covers: ["STAT-06"],
    needs: ["slow"],
    slowMs: 7500,
    realTimeMs: 16_000,
    run: async (context) => {
      const { api, expect } = context;
      for (const by of submitOperationsOf(context)) {
        const job = await startJob(context, context.jobs.slow(5 * sampleMs), { by });
        const { exchange, at } = await readWithTtl(context, job, sampleMs);
        expect.accepted(exchange, `ttl=${sampleMs}`);
        await expectUnfinishedBefore(context, job, sampleMs);
        await expectOverAfter(context, job, at, sampleMs);
        await api.cancel(job.id);
      }
    },
  },
  {
    name: "status/ttl-read-later",
    title: "a job that was read with ttl=6000 when it had begun is not kept 6 seconds longer",
    covers: ["STAT-06"],
    needs: ["slow"],
    slowMs: 9000,
    realTimeMs: 8500,
    run: async (context) => {
      const { api, time, expect } = context;
      const job = await startJob(context, context.jobs.slow(60_000));
      // On a real clock it may have waited for a worker, and it has to be looked at before it is 6 seconds old.
      await time.pass(time.choose({ virtual: 2000, real: 1000 }));
      const { exchange, at } = await readWithTtl(context, job, sampleMs);
      expect.accepted(exchange, `ttl=${sampleMs}`);
      // The ttl may count from the submission or from this read: both are allowed.
      await expectUnfinishedBefore(context, job, sampleMs);
      await expectOverAfter(context, job, at, sampleMs);
      await api.cancel(job.id);
    },
  },
  {
    name: "status/ttl-takes-the-place-of-the-policy",
    title:
      "a ttl read with status takes the place of the one in the job's policy, longer or shorter",
    covers: ["STAT-06"],
    needs: ["quick", "slow"],
    slowMs: 15500,
    realTimeMs: 15_000,
    stalls: true,
    run: async (context) => {
      const { api, workers, expect } = context;
      await workers.whileStalled(async () => {
        const policy = { ttl: policyTtlMs };
        const longer = await submitJob(context, context.jobs.quick("longer"), { policy });
        const shorter = await submitJob(context, context.jobs.quick("shorter"), { policy });
        const ttlMs = policyTtlMs + 1500;
        await api.status(longer.id, { ttl: sampleMs });
        const { at } = await readWithTtl(context, longer, ttlMs);
        // The last ttl counts.
        await api.status(shorter.id, { ttl: 10 * sampleMs });
        const last = await readWithTtl(context, shorter, sampleMs);
        expect.accepted(last.exchange, `ttl=${sampleMs} as the second one`);

        await expectOverAfter(context, shorter, last.at, sampleMs);
        await expectUnfinishedBefore(context, longer, ttlMs);
        await expectOverAfter(context, longer, at, ttlMs);
      });
    },
  },
  {
    name: "status/ttl-goes-on-into-the-work",
    title: "a ttl that status gave a queued job ends it at work as well",
    covers: ["STAT-06"],
    needs: ["handler", "workers", "endpoints", "clock"],
    endpoint: { workers: 0 },
    run: async (context) => {
      const job = await submitJob(context, context.jobs.slow(10 * sampleMs));
      const { at } = await readWithTtl(context, job, sampleMs);
      await context.workers.set(1);
      await expectUnfinishedBefore(context, job, sampleMs);
      await expectOverAfter(context, job, at, sampleMs);
    },
  },
  {
    name: "status/ttl-of-hours-and-days",
    title:
      "a queued job that was read with a ttl of hours or days is there for as long, and gone after",
    covers: ["STAT-06"],
    needs: ["handler", "workers", "clock"],
    run: async (context) => {
      await context.workers.whileStalled(async () => {
        for (const ttlMs of longTtlsMs) {
          const job = await submitJob(context, context.jobs.quick("waits"));
          const { exchange, at } = await readWithTtl(context, job, ttlMs);
          // The largest ttl that is accepted is open.
          if (!isSuccess(answerOf(exchange))) throw new Unsupported(`ttl=${ttlMs} is refused`);
          await expectUnfinishedBefore(context, job, ttlMs);
          await expectOverAfter(context, job, at, ttlMs);
        }
      });
    },
  },
  {
    name: "status/ttl-of-weeks",
    title:
      "a queued job that was read with a ttl of weeks is refused it, or there for its first day",
    covers: ["STAT-06"],
    needs: ["handler", "workers", "clock"],
    run: async (context) => {
      const { api, workers } = context;
      await workers.whileStalled(async () => {
        const job = await submitJob(context, context.jobs.quick("waits"));
        // The largest ttl is open, and so is whether a larger one is cut or refused.
        await api.status(job.id, { ttl: 30 * dayMs });
        await expectUnfinishedBefore(context, job, dayMs);
        await api.cancel(job.id);
      });
    },
  },
  {
    name: "status/ttl-refused",
    title: "a ttl that is no positive integer answers 400",
    covers: ["STAT-07", "STAT-08"],
    run: async (context) => {
      const { api, time, expect, offers } = context;
      // The jobs are unfinished where the target offers slow jobs, because a finished job has no ttl to set.
      const input = offers("slow") ? context.jobs.slow(60_000) : context.jobs.quick("any");
      // On an endpoint of its own the first works, and the other waits.
      const jobs: SubmittedJob[] = [];
      const count = time.choose({ virtual: 2, real: 1 });
      while (jobs.length < count) jobs.push(await submitJob(context, input));
      for (const [index, [at, ttl]] of refusedTtls.entries()) {
        const exchange = await api.status(jobs[index % jobs.length]?.id ?? "", { ttl });
        expect.status(exchange, 400, `ttl=${String(ttl)} (${at})`);
      }
      await time.advance(2000);
      // On a real clock they may have ended by themselves.
      const mayHaveEnded = time.choose({ virtual: !offers("slow"), real: true });
      const allowed = ["IN_QUEUE", "IN_PROGRESS", ...(mayHaveEnded ? ["COMPLETED", "FAILED"] : [])];
      for (const { id } of jobs) {
        const state = stateOf(await api.status(id));
        const words = { expected: allowed.join(" or "), got: state };
        const at = "the job after refused values of ttl";
        expect.of("STAT-08").that(allowed.includes(state), { at, ...words });
        await api.cancel(id);
      }
    },
  },
];

/** Reads a job with a ttl, and says when. */
async function readWithTtl(
  { api, time }: CheckContext,
  { id }: SubmittedJob,
  ttl: number,
): Promise<Observation> {
  return time.observe(async () => api.status(id, { ttl }));
}

async function expectUnfinishedBefore(
  context: CheckContext,
  job: SubmittedJob,
  ttlMs: number,
): Promise<void> {
  const exchange = await statusBefore(context, job.id, job.submittedAt, ttlMs);
  context.expect.that(!isOver(exchange), {
    at: `just within ${ttlMs} ms of the submission`,
    expected: "a job that waits or is being processed",
    got: stateOf(exchange),
  });
}

async function expectOverAfter(
  context: CheckContext,
  { id }: SubmittedJob,
  since: Interval,
  ageMs: number,
): Promise<void> {
  const exchange = await waitUntilOverAfter(context, id, { since, ageMs });
  expectNot(context, stateOf(exchange), unfinishedOrCompleted, "just after the ttl");
}
