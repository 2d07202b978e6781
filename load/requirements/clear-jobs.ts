import type { AnswerForm } from "../../openapi/departures.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { ProbeExchange } from "../probe/connection.ts";
import { removedBy } from "./job-answers.ts";
import { isAccepted } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** How many jobs were taken out of the queue, and how many were cancelled. */
export interface Cleared {
  readonly purged: number;
  readonly cancelled: number;
}

export const nothingCleared: Cleared = { purged: 0, cancelled: 0 };

/** The most jobs that are cancelled: the purge takes those in the queue, and few workers can be busy with others. */
export const cancelledMax = 100;

/** The part of an endpoint that clearing jobs needs. */
interface Clearing {
  readonly answers: AnswerForm | undefined;
  waitUntilRested(...operations: readonly OperationName[]): Promise<void>;
  send(operation: OperationName, count: number): Promise<Tally>;
  readStatus(jobId: string): Promise<string>;
  cancel(jobIds: readonly string[]): Promise<Tally>;
}

/** Purges the queue, and cancels those of the jobs that are still there. */
export async function clearJobs(endpoint: Clearing, jobIds: readonly string[]): Promise<Cleared> {
  await endpoint.waitUntilRested("purge-queue", "cancel", "status");
  const purge = await endpoint.send("purge-queue", 1);
  const left: string[] = [];
  for (const jobId of jobIds) {
    const status = await endpoint.readStatus(jobId);
    if (status === "IN_QUEUE" || status === "IN_PROGRESS") left.push(jobId);
  }
  const { exchanges } = await endpoint.cancel(left.slice(0, cancelledMax));
  return clearedBy(purge.exchanges, exchanges, endpoint.answers);
}

export function clearedBy(
  purges: readonly ProbeExchange[],
  cancels: readonly ProbeExchange[],
  form: AnswerForm | undefined,
): Cleared {
  return {
    purged: purges.reduce((sum, exchange) => sum + removedBy(exchange, form), 0),
    cancelled: cancels.filter(isAccepted).length,
  };
}

/** The sum of several clearings. */
export function clearedTogether(all: readonly Cleared[]): Cleared {
  return {
    purged: all.reduce((sum, { purged }) => sum + purged, 0),
    cancelled: all.reduce((sum, { cancelled }) => sum + cancelled, 0),
  };
}
