import { waitMsIn } from "../client/job-client.ts";
import type { Discovery } from "./discovery/discovery.ts";
import { timeoutsIgnored } from "./discovery/ignored-timeouts.ts";
import { runsyncHolds } from "./discovery/runsync-wait.ts";
import type { EndpointLease } from "./endpoint/endpoint-lease.ts";
import { executionTimeoutOf, workMsOfSubmission } from "./inputs/conformance-jobs.ts";
import type { SendRequest } from "./new-jobs.ts";
import { Unsupported } from "./outcome.ts";

/** A job may work for so long beyond its wait, and its answer is still awaited, in milliseconds. */
const bearableMs = 5000;

/**
 * Sends as `send` does, but nothing that would be waited for in vain. Where runsync holds its answers until the job has
 * ended: no runsync whose job waits while the workers are stalled, or works for long. Where no executionTimeout ends a
 * job: no job that would have to be ended by one.
 * @throws Unsupported in place of sending it
 */
export function withoutVainWaits(
  send: SendRequest,
  { discovery }: { readonly discovery: Pick<Discovery, "knows"> },
  lease: Pick<EndpointLease, "isStalled">,
): SendRequest {
  return async (request, context) => {
    const { operation, hasOwnTimeout } = context;
    if (discovery.knows(timeoutsIgnored) && outlivesItsTimeout(request.body)) {
      throw new Unsupported("no executionTimeout would end the job", timeoutsIgnored);
    }
    // A check that sets its own time-out judges the wait itself.
    if (operation === "runsync" && !hasOwnTimeout && discovery.knows(runsyncHolds)) {
      const tooLongMs = waitMsIn(request.url) + bearableMs;
      if (lease.isStalled || workMsOfSubmission(request.body) > tooLongMs) {
        throw new Unsupported(
          "runsync would hold its answer until the job has ended",
          runsyncHolds,
        );
      }
    }
    return send(request, context);
  };
}

function outlivesItsTimeout(body: string | Buffer | undefined): boolean {
  const timeoutMs = executionTimeoutOf(body);
  return timeoutMs !== undefined && workMsOfSubmission(body) > timeoutMs;
}
