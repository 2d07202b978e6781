import { isSubmission } from "../openapi/operations.ts";
import { waitMsIn } from "../client/job-client.ts";
import type { Discovery } from "./discovery/discovery.ts";
import { timeoutsIgnored } from "./discovery/ignored-timeouts.ts";
import { ttlIgnored } from "./discovery/ignored-ttl.ts";
import { runWaits } from "./discovery/run-waits.ts";
import { runsyncHolds } from "./discovery/runsync-wait.ts";
import type { EndpointLease } from "./endpoint/endpoint-lease.ts";
import { executionTimeoutOf, ttlOf, workMsOfSubmission } from "./inputs/conformance-jobs.ts";
import type { SendRequest } from "./new-jobs.ts";
import { Unsupported } from "./outcome.ts";

/** A job may work for so long beyond its wait, and its answer is still awaited, in milliseconds. */
const bearableMs = 5000;

/**
 * Sends as `send` does, but nothing that would be waited for in vain. Where runsync holds its answers until the job has
 * ended: no runsync whose job waits while the workers are stalled, or works for long; where run does, no run of such a job
 * either. Where no executionTimeout ends a job, or no ttl: no job that would have to be ended by one.
 * @throws Unsupported in place of sending it
 */
export function withoutVainWaits(
  send: SendRequest,
  { discovery }: { readonly discovery: Pick<Discovery, "knows"> },
  lease: Pick<EndpointLease, "isStalled">,
): SendRequest {
  return async (request, context) => {
    const { operation } = context;
    if (discovery.knows(timeoutsIgnored) && outlivesItsTimeout(request.body)) {
      throw new Unsupported("no executionTimeout would end the job", timeoutsIgnored);
    }
    if (discovery.knows(ttlIgnored) && outlivesItsTtl(request.body)) {
      throw new Unsupported("no ttl would end the job", ttlIgnored);
    }
    const held = isSubmission(operation) ? holding[operation] : undefined;
    // A check that sets its own time-out judges the wait itself.
    if (held !== undefined && !context.hasOwnTimeout && discovery.knows(held.cause)) {
      const outlasts = workMsOfSubmission(request.body) > held.waitMs(request.url) + bearableMs;
      if (lease.isStalled || outlasts) {
        throw new Unsupported(`${operation} would answer only when the job has ended`, held.cause);
      }
    }
    return send(request, context);
  };
}

/** The causes by which an operation holds its answer until its job has ended, and how long it may. */
const holding = {
  run: { cause: runWaits, waitMs: () => 0 },
  runsync: { cause: runsyncHolds, waitMs: waitMsIn },
};

function outlivesItsTtl(body: string | Buffer | undefined): boolean {
  const ttlMs = ttlOf(body);
  if (ttlMs === undefined || workMsOfSubmission(body) <= ttlMs) return false;
  return (executionTimeoutOf(body) ?? Infinity) > ttlMs;
}

function outlivesItsTimeout(body: string | Buffer | undefined): boolean {
  const timeoutMs = executionTimeoutOf(body);
  return timeoutMs !== undefined && workMsOfSubmission(body) > timeoutMs;
}
