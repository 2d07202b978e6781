import { expectFreeWorker, waitUntilOverAfter, isOver } from "../../harness/jobs/job-state.ts";
import { openLedger } from "../../harness/jobs/ledger.ts";
import { retryJob, submitJob, waitForEnd } from "../../harness/jobs/fixtures.ts";
import { startJob, submitJobBy, submitOperationsOf } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { Ledger } from "../../harness/jobs/ledger.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";

const ttlMs = 10_000;

/** Every way in which a job leaves the queue without being processed. */
const removals: readonly Removal[] = [
  {
    name: "cancel/ledger-shows-no-work-of-cancelled-jobs",
    title: "no worker reports to process a job that was cancelled in the queue",
    covers: ["CANC-01"],
    policy: {},
    purges: 0,
    realTimeMs: 8000,
    remove: async ({ api }, jobs) => {
      for (const { id } of jobs) await api.cancel(id);
    },
  },
  {
    name: "purge/ledger-shows-no-work-of-purged-jobs",
    title: "no worker reports to process a job that was purged",
    covers: ["PURG-02"],
    policy: {},
    purges: 1,
    realTimeMs: 12_000,
    remove: async ({ endpoint }) => {
      await endpoint.purge();
    },
  },
  {
    name: "policy/ledger-shows-no-work-of-expired-jobs",
    title: "no worker reports to process a job whose ttl ran out in the queue",
    covers: ["POLI-08"],
    policy: { ttl: ttlMs },
    purges: 0,
    realTimeMs: 20_000,
    remove: async (context, jobs) => {
      for (const { id, submittedAt } of jobs) {
        await waitUntilOverAfter(context, id, { since: submittedAt, ageMs: ttlMs });
      }
    },
  },
];

interface Removal extends Pick<Check, "name" | "title" | "covers"> {
  readonly policy: { readonly ttl?: number };
  readonly purges: number;
  readonly realTimeMs: number;
  readonly remove: (context: CheckContext, jobs: readonly SubmittedJob[]) => Promise<void>;
}

/** Checks of what the workers themselves report to have processed. */
export const processedChecks: readonly Check[] = [
  ...removals.map((removal) => neverProcessed(removal)),
  {
    name: "states/ledger-shows-each-job-once",
    title:
      "each job is processed once, however it ends, and no job completes that was not processed",
    covers: ["LIFE-01", "LIFE-03"],
    needs: ["handler", "ledger"],
    realTimeMs: 12_000,
    run: async (context) => {
      const ledger = await openLedger(context);
      const jobs = await submitMixture(context, ledger);
      for (const job of jobs) await waitForEnd(context, job, mixtureMs);
      await passLater(context);
      for (const [at, { id }] of jobs.entries()) {
        await expectProcessedOnce(context, ledger, { id, at: `job ${at}` });
      }
    },
  },
  {
    name: "retry/ledger-shows-one-execution-for-each-attempt",
    title: "a retried job is processed once more, and no more than that",
    covers: ["RETR-03"],
    needs: ["handler", "ledger"],
    realTimeMs: 8000,
    run: async (context) => {
      const ledger = await openLedger(context);
      for (const job of await failOnce(context, ledger)) {
        await retryJob(context, job);
        await waitForEnd(context, job);
        await passLater(context);
        const starts = ledger.startsOf(job.id).length;
        if (starts < 2) await ledger.requireTaken();
        context.expect.equal(starts, 2, "how often a job was begun that was retried once");
      }
    },
  },
  {
    name: "states/ledger-after-a-crash",
    title: "when a worker dies, the jobs that wait are processed once by the next one",
    covers: ["LIFE-01", "LIFE-03"],
    needs: ["handler", "ledger", "crash"],
    realTimeMs: 60_000,
    exclusive: true,
    run: async (context) => {
      const ledger = await openLedger(context);
      const crash = await submitJob(context, ledger.reported({ op: "crash" }));
      const jobs = [];
      for (const at of [0, 1, 2]) {
        jobs.push(await submitJob(context, ledger.reported(context.jobs.quick(at))));
      }
      const within = context.time.choose({ virtual: 0, real: 40_000 });
      const look = async () => context.api.status(crash.id);
      await context.time.until(look, isOver, within);
      for (const job of jobs) await waitForEnd(context, job, within);
      const dead = new Set(ledger.startsOf(crash.id).map(({ worker }) => worker));
      for (const [at, { id }] of jobs.entries()) {
        // A job that a worker held when it died may be processed again (LIFE-05).
        await expectProcessedOnce(context, ledger, { id, at: `job ${at} behind it`, dead });
      }
    },
  },
];

function neverProcessed({ policy, remove, ...header }: Removal): Check {
  return {
    ...header,
    needs: ["handler", "ledger"],
    stalls: true,
    run: async (context) => {
      const ledger = await openLedger(context);
      const failed = policy.ttl === undefined ? await failOnce(context, ledger) : [];
      const jobs = await context.workers.whileStalled(async () => {
        const waiting = await submitEach(context, ledger, policy);
        for (const job of failed) await retryJob(context, job);
        await remove(context, [...waiting, ...failed]);
        return waiting;
      });
      await expectFreeWorker(context, "a quick job, once workers are free");
      await passLater(context);
      const wanted = [...jobs.map(() => 0), ...failed.map(() => 1)];
      const starts = [...jobs, ...failed].map(({ id }) => ledger.startsOf(id).length);
      if (starts.some((count, at) => count < (wanted[at] ?? 0))) await ledger.requireTaken();
      context.expect.equal(starts, wanted, "how often each job was begun");
    },
  };
}

/** Lets more time pass than any lease on a job lasts that a service may have forgotten to end. */
async function passLater({ time }: CheckContext): Promise<void> {
  await time.pass(time.choose({ virtual: 90_000_000, real: 2000 }));
}

async function submitEach(
  context: CheckContext,
  { reported }: Ledger,
  policy: Removal["policy"],
): Promise<readonly SubmittedJob[]> {
  const jobs: SubmittedJob[] = [];
  for (const by of submitOperationsOf(context)) {
    for (const input of [context.jobs.quick("never"), context.jobs.slow(2000, "never")]) {
      jobs.push(await submitJobBy(context, reported(input), { by, extra: { policy } }));
    }
  }
  const extra = { policy: { ...policy, lowPriority: true } };
  jobs.push(await submitJobBy(context, reported(context.jobs.quick("never")), { extra }));
  return jobs;
}

/** Lets a job fail that would complete if it were retried. */
async function failOnce(context: CheckContext, ledger: Ledger): Promise<readonly SubmittedJob[]> {
  const input = ledger.reported(context.jobs.failingFirst(1, "again"));
  const job = await submitJob(context, input);
  await waitForEnd(context, job);
  return [job];
}

const mixtureMs = 7_200_000;

/** Submits jobs of several kinds; on a virtual clock one of them works for two hours. */
async function submitMixture(
  context: CheckContext,
  { reported }: Ledger,
): Promise<readonly SubmittedJob[]> {
  const { jobs, time } = context;
  const slowMs = time.choose({ virtual: mixtureMs, real: 1000 });
  const unheard = (await context.receiver()).hook(500);
  const extra = { policy: { executionTimeout: 2 * mixtureMs } };
  const again = reported(jobs.quick("again"));
  const inputs = [again, again, jobs.failing("asked to"), jobs.streaming(3, 100)];
  // On a real clock these jobs would take as long as all others.
  const stopped = time.choose({ virtual: stopAtWork, real: async () => Promise.resolve([]) });
  const submitted = await stopped(context, { reported });
  for (const input of inputs) submitted.push(await submitJob(context, reported(input)));
  const hooked = { webhook: unheard.url };
  submitted.push(await submitJob(context, reported(jobs.quick("unheard")), hooked));
  submitted.push(await submitJobBy(context, reported(jobs.quick("sync")), { by: "runsync" }));
  submitted.push(await submitJob(context, reported(jobs.slow(slowMs)), extra));
  return submitted;
}

/** Jobs that ended while they were at work: one was cancelled, one ran past its executionTimeout. */
async function stopAtWork(
  context: CheckContext,
  { reported }: Pick<Ledger, "reported">,
): Promise<SubmittedJob[]> {
  const input = reported(context.jobs.slow(60_000));
  const cancelled = await startJob(context, input);
  await context.api.cancel(cancelled.id);
  const extra = { policy: { executionTimeout: 5000 } };
  const timed = await startJob(context, input, { extra });
  await waitForEnd(context, timed, 5000);
  return [cancelled, timed];
}

async function expectProcessedOnce(
  { expect }: CheckContext,
  ledger: Ledger,
  { id, at, dead = new Set() }: { id: string; at: string; dead?: ReadonlySet<string> },
): Promise<void> {
  const starts = ledger.startsOf(id);
  if (starts.length === 0) await ledger.requireTaken();
  const counted = starts.filter(
    ({ worker }, index) => index === starts.length - 1 || !dead.has(worker),
  );
  expect.of("LIFE-03").that(starts.length > 0, {
    at,
    expected: "a worker that reports to process it",
    got: "none",
  });
  expect.of("LIFE-01").that(counted.length <= 1, {
    at,
    expected: "one execution",
    got: `${starts.length} executions`,
  });
}
