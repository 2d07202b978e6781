import { overLimitReason } from "../reports/not-run.ts";
import { totalOf } from "./sent-load.ts";
import type { Needed, SentLoad } from "./sent-load.ts";

/** The most that a run may send; absent: as much as it takes. */
export interface LoadLimits {
  readonly maxJobs?: number | undefined;
  readonly maxRequests?: number | undefined;
}

/** Why something does not fit into what is left of the limits; undefined where it does. */
export function whyTooMuch(
  { requests, jobs }: Needed,
  sent: Pick<SentLoad, "cost" | "jobsMax">,
  { maxJobs = Infinity, maxRequests = Infinity }: LoadLimits,
): string | undefined {
  const jobsLeft = Math.max(0, maxJobs - sent.jobsMax);
  if (jobs > jobsLeft)
    return overLimitReason("jobs", { takes: jobs, left: jobsLeft, most: maxJobs });
  const left = Math.max(0, maxRequests - totalOf(sent.cost.requests));
  if (requests <= left) return undefined;
  return overLimitReason("requests", { takes: requests, left, most: maxRequests });
}
