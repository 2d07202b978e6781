import { arranged } from "./fixtures.ts";
import type { Place } from "./fixtures.ts";
import { readBody } from "../read.ts";

/**
 * How many jobs health knows of: waiting, in progress, completed and failed. A job that moves from one to the next
 * does not change it, so that only a new job, or a retry, makes it grow.
 * @throws Undecided where health does not answer
 */
export async function countedJobs(place: Pick<Place, "api">): Promise<number> {
  const { completed, failed, inProgress, inQueue } = await jobCounts(place);
  return completed + failed + inProgress + inQueue;
}

/**
 * How many jobs wait in the queue, as health counts them.
 * @throws Undecided where health does not answer
 */
export async function waitingJobs(place: Pick<Place, "api">): Promise<number> {
  return (await jobCounts(place)).inQueue;
}

async function jobCounts({ api }: Pick<Place, "api">) {
  const read = readBody(await api.health(), "HealthAnswer");
  return arranged(read, "jobs had to be counted, but health gave").jobs;
}
