import { waitMsIn } from "../client/job-client.ts";
import type { Discovery } from "./discovery/discovery.ts";
import { runsyncHolds } from "./discovery/runsync-wait.ts";
import type { EndpointLease } from "./endpoint/endpoint-lease.ts";
import { workMsOfSubmission } from "./inputs/conformance-jobs.ts";
import type { SendRequest } from "./new-jobs.ts";
import { Unsupported } from "./outcome.ts";

/** A job may work for so long beyond its wait, and its answer is still awaited, in milliseconds. */
const bearableMs = 5000;

/**
 * Sends as `send` does, but no runsync that a target which holds its answers until the job has ended would not answer in
 * time: its job waits while the workers are stalled, or works for long.
 * @throws Unsupported in place of sending it
 */
export function withoutHeld(
  send: SendRequest,
  discovery: Pick<Discovery, "knows">,
  lease: Pick<EndpointLease, "isStalled">,
): SendRequest {
  return async (request, context) => {
    const { operation, hasOwnTimeout } = context;
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
