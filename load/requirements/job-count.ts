import { isSubmission } from "../../openapi/operations.ts";
import { setTimeout as pause } from "node:timers/promises";

import type { Tier } from "../../openapi/operations.ts";
import type { LoadEndpoint } from "./endpoint.ts";

/**
 * How many jobs were accepted meanwhile, and how many more health shows. On an endpoint that checks share there may be
 * more, for submissions under way, and fewer, for jobs that were cancelled.
 */
export interface CreatedJobs {
  readonly accepted: number;
  readonly more: number;
  /** The bounds within which `more` shows nothing. */
  readonly least: number;
  readonly most: number;
}

/** How long the counts of health may take to follow. */
const followMsMax = 3_000;
const followEveryMs = 20;

/** Whether jobs are counted during a burst: where the operation makes jobs and all checks share the endpoint. */
export function countsJobs({ access: { isFresh } }: LoadEndpoint, { operation }: Tier): boolean {
  return !isFresh && isSubmission(operation);
}

/**
 * Begins to count new jobs by health, and beside them the accepted submissions of all checks. The function that it
 * returns tells both counts, once they agree or have had enough time to.
 */
export async function countNewJobs(endpoint: LoadEndpoint): Promise<() => Promise<CreatedJobs>> {
  const { access, usage } = endpoint;
  const acceptedBefore = usage.acceptedJobs;
  const totalBefore = await totalOf(endpoint);
  return async () => {
    const giveUpMs = performance.now() + (access.isVirtual ? 0 : followMsMax);
    for (;;) {
      const underWay = usage.submissionsUnderWay;
      const more = (await totalOf(endpoint)) - totalBefore;
      const accepted = usage.acceptedJobs - acceptedBefore;
      const least = access.isFresh ? accepted : 0;
      const most = accepted + Math.max(underWay, usage.submissionsUnderWay);
      const created = { accepted, more, least, most };
      if (more === accepted || performance.now() >= giveUpMs) return created;
      await pause(followEveryMs);
    }
  };
}

/** How many jobs there are or have been; counters need not start at 0. */
async function totalOf(endpoint: LoadEndpoint): Promise<number> {
  const { completed, failed, inProgress, inQueue } = (await endpoint.health()).jobs;
  return completed + failed + inProgress + inQueue;
}

/** Both counts in words: the same words where they agree. */
export function jobsInWords({ accepted, more, least, most }: CreatedJobs): {
  readonly expected: string;
  readonly got: string;
} {
  const expected = most > accepted ? `${accepted} to ${most} more` : `${accepted} more`;
  return { expected, got: more >= least && more <= most ? expected : `${more} more` };
}
