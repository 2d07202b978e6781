import type { Exchange } from "../../client/index.ts";
import { requireRead } from "./fixtures.ts";
import type { EndpointHandle } from "../endpoint/endpoint-handle.ts";
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
