import type { Answer } from "../../client/exchange.ts";
import type { TransportRequest } from "../../client/transport.ts";
import type { SendContext } from "../../client/job-client.ts";
import { operationNamed } from "../../openapi/operations.ts";
import type { SendRequest } from "../new-jobs.ts";
import type { Pace, Refusal } from "./pace.ts";

/** How often a request is sent, at most, where it is refused each time. */
const sendsMax = 4;
/** The same once the target is known to refuse what comes too fast. */
const sendsMaxPaced = 12;

export interface PacedSender {
  readonly pace: Pace;
  readonly send: SendRequest;
  /** How many requests of each operation to each endpoint the target has answered; absent: not counted. */
  readonly counts?: RequestCounts | undefined;
  /** Called where a request is refused for its haste, before it is sent again. */
  readonly onRefused?: () => void;
}

/**
 * Sends a request, and again where it is refused although the limit of its operation allows it: that is about the pace
 * of the run, and says nothing of what was asked.
 */
export function sendAtPace({ pace, send, counts, onRefused }: PacedSender): SendRequest {
  return async (request, context) => {
    for (let times = 0; ; times += 1) {
      const result = await send(request, context);
      const { answer, sentAtMs } = result;
      if (answer === undefined) return result;
      if (!isRefusal(answer)) {
        counts?.add(context);
        pace.taken(sentAtMs, times > 0);
        return result;
      }
      if (isOfLimit(answer, context, { pace, counts })) return result;
      onRefused?.();
      if (!(await waited(pace, { operation: context.operation, sentAtMs, answer, times }, request)))
        return result;
    }
  };
}

/** Whether an answer says that the target has no place for the request now. */
export function isRefusal(answer: Answer | undefined): boolean {
  return answer?.status === 429 || answer?.status === 503;
}

/** Whether the limit of its operation may be why a request was refused. */
function isOfLimit(
  answer: Answer,
  context: AskedOperation,
  { pace, counts }: Pick<PacedSender, "pace" | "counts">,
): boolean {
  return counts?.isFull(context) === true && !pace.looksLikeRefusal(answer);
}

/** Waits until a refused request may be sent again; false where that is in vain, or it was broken off. */
async function waited(
  pace: Pace,
  refusal: Refusal,
  { signal }: TransportRequest,
): Promise<boolean> {
  const { operation, times } = refusal;
  if (signal?.aborted === true || pace.givesUpOn(operation)) return false;
  if (times + 1 >= (pace.isConfirmed || pace.isAtRandom ? sendsMaxPaced : sendsMax)) {
    pace.refusedForGood(operation);
    return false;
  }
  return pace.backOff(refusal, signal).then(
    () => true,
    () => false,
  );
}

/** How often each operation of each endpoint was asked. */
export class RequestCounts {
  readonly #counts = new Map<string, number>();

  add({ operation, endpointId }: AskedOperation): void {
    const key = `${operation} ${endpointId}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Whether one more may exceed the limit of its operation, however little time has passed. */
  isFull({ operation, endpointId }: AskedOperation): boolean {
    const { requestsPerWindow = Infinity } = operationNamed[operation].rateLimit;
    return (this.#counts.get(`${operation} ${endpointId}`) ?? 0) >= requestsPerWindow;
  }
}

type AskedOperation = Pick<SendContext, "operation" | "endpointId">;
