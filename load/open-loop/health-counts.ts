import { bodyOf } from "../../client/parsed-body.ts";
import { validators } from "../../openapi/generated/validators.ts";
import type { BookedClient } from "./booked-client.ts";

/** The counts of health that are compared. */
export interface ShownCounts {
  readonly completed: number;
  readonly inProgress: number;
  readonly inQueue: number;
}

/** What health shows: the counts, and how many workers there are; undefined where it cannot be read. */
export async function healthShown<Role extends string>(
  client: BookedClient<Role>,
): Promise<(ShownCounts & { readonly workers: number; readonly idle: number }) | undefined> {
  const { answer } = await client.health();
  const parsed = answer === undefined ? undefined : bodyOf(answer);
  const body = parsed?.ok === true ? parsed.value : undefined;
  if (!validators.HealthAnswer(body)) return undefined;
  const { completed, inProgress, inQueue } = body.jobs;
  const { idle, running } = body.workers;
  return { completed, inProgress, inQueue, workers: idle + running, idle };
}
