import { answerOf, isSuccess, readBody } from "../../harness/read.ts";
import { runToEnd } from "../../harness/jobs/submit.ts";
import { requireRead, requireState, submitJob } from "../../harness/jobs/fixtures.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { Exchange } from "../../client/exchange.ts";
import { readCounts } from "../health/counts.ts";
import { stateOrGone } from "./race-effects.ts";
import { atOnce } from "./volume.ts";

/** Checks of purges that race with other operations. */
export const purgeRaceChecks: readonly Check[] = [
  {
    name: "states/purge-races",
    title:
      "of jobs that are submitted, cancelled, retried or purged again beside a purge each is accounted for",
    covers: ["PURG-01", "PURG-02", "HLTH-02", "LIFE-07", "LIFE-08"],
    needs: ["handler", "workers", "endpoints", "clock"],
    endpoint: { workers: 1 },
    run: async (context) => {
      for (const race of purgeRaces) await runPurgeRace(context, race);
    },
  },
];

/** Something that happens to waiting jobs beside a purge. */
interface PurgeRace {
  readonly name: string;
  /** Whether there are failed jobs besides those that wait. */
  readonly hasFailed?: true;
  /** Sends what races with the purge. Returns the ids of jobs that it made, and how many jobs it may have removed. */
  readonly beside: (context: CheckContext, jobs: PurgedJobs) => Promise<Beside>;
}

/** The ids of the jobs that wait when the purge comes, and of those that have failed. */
interface PurgedJobs {
  readonly waiting: readonly string[];
  readonly failed: readonly string[];
}

interface Beside {
  readonly made?: readonly string[];
  readonly taken?: number;
}

const waitingCount = 4;

const purgeRaces: readonly PurgeRace[] = [
  {
    name: "submissions",
    beside: async (context) => {
      const submit = async (at: number) => submitJob(context, context.jobs.quick(at));
      return { made: (await atOnce(waitingCount, submit)).map(({ id }) => id) };
    },
  },
  {
    name: "cancels",
    beside: async ({ api }, { waiting }) => {
      const exchanges = await Promise.all(waiting.map(async (id) => api.cancel(id)));
      return { taken: exchanges.filter((exchange) => isSuccess(answerOf(exchange))).length };
    },
  },
  {
    name: "retries",
    hasFailed: true,
    beside: async ({ api }, { failed }) => {
      const exchanges = await Promise.all(failed.map(async (id) => api.retry(id)));
      return { made: failed.filter((_, at) => isAccepted(exchanges[at])) };
    },
  },
  {
    name: "a second purge",
    beside: async ({ api }) => ({ taken: removedBy(await api.purgeQueue()) }),
  },
];

function isAccepted(exchange: Exchange | undefined): boolean {
  return exchange !== undefined && isSuccess(answerOf(exchange));
}

/** Lets jobs fail that complete when they are retried, and returns their ids. */
async function failedJobIds(context: CheckContext): Promise<readonly string[]> {
  const input = context.jobs.failingFirst(1, "again");
  await context.workers.set(1);
  const ended = await atOnce(waitingCount, async () => runToEnd(context, input));
  return ended.map((job) => requireState(job, "FAILED").id);
}

function removedBy(exchange: Exchange): number {
  return requireRead(readBody(exchange, "PurgeAnswer"), "purge-queue answered").removed;
}

async function runPurgeRace(context: CheckContext, race: PurgeRace): Promise<void> {
  const { api, time, workers, expect } = context;
  const { name, hasFailed = false, beside } = race;
  const failed = hasFailed ? await failedJobIds(context) : [];
  await workers.set(0);
  // Only two purges are allowed in a window, so the windows of earlier ones have to pass.
  await time.pass(20_000);
  const input = context.jobs.quick("waits");
  const jobs = await atOnce(waitingCount, async () => submitJob(context, input));
  const waiting = jobs.map(({ id }) => id);
  const [exchange, { made = [], taken = 0 }] = await Promise.all([
    api.purgeQueue(),
    beside(context, { waiting, failed }),
  ]);
  const at = `a purge beside ${name}`;
  const removed = removedBy(exchange);
  const all = [...waiting, ...made];
  const readStates = async () =>
    Promise.all(all.map(async (id) => stateOrGone(await api.status(id))));
  const states = await readStates();
  const left = states.filter((state) => state === "IN_QUEUE").length;
  const { inQueue, completed } = await readCounts(context);
  expect.of("HLTH-02").equal(inQueue, left, `inQueue after ${at}`);
  const fewest = all.length - left - taken;
  // A cancel of a purged job may be answered with success: then both have counted the job.
  const most = name === "cancels" ? all.length - left : fewest;
  const words = { at: `removed, ${at}`, expected: `${fewest} to ${most}` };
  expect
    .of("PURG-01")
    .that(removed >= fewest && removed <= most, { ...words, got: String(removed) });
  const kept = states.slice(0, waitingCount).filter((state) => state === "IN_QUEUE");
  expect.of("LIFE-07").equal(kept, [], `jobs that waited before ${at}`);
  await workers.set(1);
  await time.pass(1000);
  const later = await readStates();
  const ran = later.filter((state) => state === "COMPLETED").length;
  expect.of("LIFE-08").equal(ran >= left, true, `jobs that were left by ${at} complete`);
  expect.of("PURG-02").equal(ran <= left, true, `jobs that were removed by ${at} do not complete`);
  const grown = (await readCounts(context)).completed - completed;
  expect.of("LIFE-08").equal(grown, left, `growth of completed after ${at}`);
}
