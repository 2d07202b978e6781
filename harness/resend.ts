import { requestLineOf } from "../client/transport.ts";
import type { SendContext } from "../client/job-client.ts";
import type { Transport, TransportRequest } from "../client/transport.ts";
import type { TransportResult } from "../client/exchange.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import type { TargetWatch, WatchedCall } from "./target-watch.ts";
import { sendAtPace } from "./endpoint/send-at-pace.ts";
import type { RequestCounts } from "./endpoint/send-at-pace.ts";
import type { Pace } from "./endpoint/pace.ts";
import type { NewJobs, SendRequest } from "./new-jobs.ts";
import type { RunBound } from "./run-bound.ts";

/** How often a request is sent, at most, where no whole answer comes. */
const sendsMax = 3;

/** The parts that send a request and decide when it counts as unanswered. */
export interface Sender {
  readonly transport: Transport;
  readonly watch: TargetWatch;
  readonly breaker: CircuitBreaker;
  /** The check whose request it is. */
  readonly check: string;
}

/**
 * Sends a request. If no whole answer comes while the target answers other requests, sends it up to twice more on new
 * connections. A request that is never answered has the failure `unanswered`; one that is answered later lists the
 * failures of its earlier attempts.
 */
export async function sendUntilAnswered(
  { transport, watch, breaker, check }: Sender,
  request: TransportRequest,
  { operation, hasOwnTimeout }: SendContext,
): Promise<TransportResult> {
  const call: WatchedCall = { request: requestLineOf(request), check, operation };
  const lost: TransportResult[] = [];
  for (;;) {
    const isAgain = lost.length > 0;
    const settle = watch.sent(call);
    const result = await transport.send({ ...request, newConnection: isAgain });
    settle(result);
    demandSent(call, result);
    breaker.note(operation, result);
    const failure = failureOf(result);
    const [first = result] = lost;
    const { sentAtMs } = first;
    const unanswered = lost.flatMap((each) => each.failure ?? []);
    if (failure === undefined || (failure.kind === "timeout" && hasOwnTimeout)) {
      return isAgain ? { ...result, sentAtMs, unanswered } : result;
    }
    lost.push(result);
    if (!(await watch.isThere(call, result.answeredAtMs, failure.message)))
      return { ...result, sentAtMs };
    const isEnough = lost.length === sendsMax || breaker.failureOf(operation) !== undefined;
    if (!isEnough && request.signal?.aborted !== true) continue;
    const times = `${lost.length} of ${lost.length} times`;
    const message = `${failure.message}, ${times}`;
    return { ...result, sentAtMs, failure: { kind: "unanswered", message } };
  }
}

/** @throws Error where HTTP has no such request: the target was not asked, which says nothing of it */
function demandSent({ request }: WatchedCall, { failure }: TransportResult): void {
  if (failure?.kind !== "unsendable") return;
  throw new Error(`${request} could not be sent: ${failure.message}`);
}

/** Why no whole answer came; `undefined` where one came, or where this side broke the request off. */
function failureOf({ failure }: TransportResult): TransportResult["failure"] {
  const isOurs = failure?.kind === "aborted" || failure?.kind === "too-large";
  return isOurs ? undefined : failure;
}

/** What decides how a request of a check is sent, and when it is sent again. */
export interface SenderParts extends Sender {
  readonly bound: RunBound;
  readonly pace: Pace;
  /** Absent where time takes requests out of the windows of their limits. */
  readonly counts: RequestCounts | undefined;
  readonly newJobs: NewJobs;
  /** Called where a request is refused for its haste, before it is sent again. */
  readonly onRefused: () => void;
}

/** Sends requests until they are answered, at the target's pace, and where they name a job, until that is found. */
export function senderOf({
  bound,
  pace,
  counts,
  newJobs,
  onRefused,
  ...sender
}: SenderParts): SendRequest {
  const send = sendAtPace({
    pace,
    counts,
    onRefused,
    send: async (request, context) => {
      const result = await sendUntilAnswered(sender, request, context);
      if (result.answer !== undefined && !context.hasOwnTimeout) {
        bound.answered(result.sentAtMs, result.answeredAtMs);
      }
      return result;
    },
  });
  return async (request, context) => newJobs.sendUntilFound(send, request, context);
}
