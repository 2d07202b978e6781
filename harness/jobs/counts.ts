import type { Exchange } from "../../client/exchange.ts";
import { Inconclusive } from "../outcome.ts";
import { requireRead, submitJob } from "./fixtures.ts";
import type { EndpointHandle } from "../endpoint/clock-modes.ts";
import { readBody } from "../read.ts";

/**
 * How many jobs health knows of: waiting, in progress, completed and failed. A job that moves from one to the next
 * does not change it, so that only a new job, or a retry, makes it grow.
 * @throws Inconclusive where health does not answer
 */
export async function countJobs(handle: EndpointHandle): Promise<number> {
  const { completed, failed, inProgress, inQueue } = await readJobCounts(handle);
  return completed + failed + inProgress + inQueue;
}

/** How many jobs are submitted at most before health has to have counted one of them as one. */
const controlsMax = 3;

/**
 * How many jobs health knows of, once it has counted an accepted one as one more: counts that move by themselves, or
 * after some time, show nothing of a refused one.
 * @throws Inconclusive where health does not count so
 */
export async function countJobsWithControl(handle: EndpointHandle): Promise<number> {
  let before = await countJobs(handle);
  for (let tries = 1; ; tries += 1) {
    await submitJob(handle, handle.jobs.quick("counted before"));
    const now = await countJobsUntil(handle, (count) => count === before + 1);
    if (now === before + 1) return now;
    if (tries === controlsMax) {
      const counted = `health counted ${now - before} jobs more after 1 was accepted`;
      throw new Inconclusive(`${counted}, so its counts prove nothing`);
    }
    before = now;
  }
}

/** How often, and after how many milliseconds each, a count is read again on a real clock that may be late. */
const looksAgain = 7;
const lookEveryMs = 500;

/**
 * The same count, read again for as long as something may be counted late, until it is as wanted. It waits for no job, so
 * that a count which stays wrong shows nothing of workers (unlike `time.until`).
 */
export async function countJobsUntil(
  handle: EndpointHandle,
  isWanted: (count: number) => boolean,
): Promise<number> {
  const { time } = handle;
  await time.settle();
  let count = await countJobs(handle);
  const looks = time.choose({ virtual: 0, real: looksAgain });
  for (let look = 0; look < looks && !isWanted(count); look += 1) {
    await time.pass(lookEveryMs);
    count = await countJobs(handle);
  }
  return count;
}

/**
 * How many jobs wait in the queue, as health counts them.
 * @throws Inconclusive where health does not answer
 */
export async function countQueuedJobs(handle: EndpointHandle): Promise<number> {
  return (await readJobCounts(handle)).inQueue;
}

/** How many jobs wait or are being processed; `undefined` where health does not tell. */
export function unfinishedIn(exchange: Exchange): number | undefined {
  const health = readBody(exchange, "HealthAnswer");
  return health.ok ? health.body.jobs.inQueue + health.body.jobs.inProgress : undefined;
}

async function readJobCounts({ api }: EndpointHandle) {
  const read = readBody(await api.health(), "HealthAnswer");
  return requireRead(read, "could not count the jobs: health answered").jobs;
}
