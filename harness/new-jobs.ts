import { setTimeout as sleep } from "node:timers/promises";

import { monotonicNowMs } from "../client/exchange.ts";
import type { Exchange, TransportResult } from "../client/exchange.ts";
import type { JobClientOptions, SendContext } from "../client/job-client.ts";
import type { TransportRequest } from "../client/transport.ts";
import type { OperationName } from "../openapi/operations.ts";
import { givenJobId } from "./evidence/failing.ts";
import { isSuccess } from "./read.ts";

/** How long after its submission a job may still be unknown, in milliseconds. */
const unreadableMsMax = 2000;
const pauseMs = 100;

/** How a client sends its requests. */
export type SendRequest = NonNullable<JobClientOptions["send"]>;

/**
 * The jobs of a run that were submitted a moment ago and have not been read. On a real clock a new id may take a moment
 * to be readable (docs/specification.md#moments), so a request that finds such a job unknown is sent again.
 */
export class NewJobs {
  /** For each endpoint, when each of its jobs was submitted, by the job's id. */
  readonly #submittedAtMs = new Map<string, Map<string, number>>();
  readonly #unreadableMsMax: number;
  /** Whether jobs were seen to be unknown at first, so that retry may find them so, too. */
  readonly #isLearned: boolean;

  /**
   * @param learnedMs how long a job was seen to be unknown after its submission, in milliseconds; absent: it was not
   * @param virtual whether the clocks are virtual: an id is readable at once there, unless something else was seen
   */
  constructor(learnedMs: number | undefined, virtual: boolean) {
    this.#isLearned = learnedMs !== undefined;
    this.#unreadableMsMax = Math.max(virtual ? 0 : unreadableMsMax, learnedMs ?? 0);
  }

  /** Has to be called with every exchange. */
  note(exchange: Exchange): void {
    const { operation, request, answer, answeredAtMs } = exchange;
    if (this.#unreadableMsMax === 0 || answer === undefined || !isSuccess(answer)) return;
    const { endpointId, jobId = "" } = request;
    // What was purged may be unknown from now on.
    if (operation === "purge-queue") this.#submittedAtMs.delete(endpointId);
    if (isRead(operation)) this.#submittedAtMs.get(endpointId)?.delete(jobId);
    const given = givenJobId(exchange);
    if (given === undefined) return;
    const ofEndpoint = this.#submittedAtMs.get(endpointId) ?? new Map<string, number>();
    this.#submittedAtMs.set(endpointId, ofEndpoint.set(given, answeredAtMs));
  }

  /** Sends a request until it finds the job that it names, for as long as that may be too new to be found. */
  async sendUntilFound(
    send: SendRequest,
    request: TransportRequest,
    context: SendContext,
  ): Promise<TransportResult> {
    for (;;) {
      const result = await send(request, context);
      if (request.signal?.aborted === true) return result;
      const mayBeUnknown = context.operation !== "retry" || this.#isLearned;
      if (!mayBeUnknown || !this.#isNew(context)) return result;
      if (!isOfUnknownJob(request, context, result)) return result;
      await sleep(pauseMs);
    }
  }

  #isNew({ endpointId, jobId = "" }: SendContext): boolean {
    const ofEndpoint = this.#submittedAtMs.get(endpointId);
    const submittedAtMs = ofEndpoint?.get(jobId);
    if (submittedAtMs === undefined) return false;
    if (monotonicNowMs() - submittedAtMs < this.#unreadableMsMax) return true;
    ofEndpoint?.delete(jobId);
    return false;
  }
}

function isRead(operation: OperationName): boolean {
  return operation === "status" || operation === "stream";
}

/**
 * Whether an answer may be that for an unknown job (STAT-09): a 404, or another refusal of a read that can be refused
 * for nothing else.
 */
function isOfUnknownJob(
  { url }: TransportRequest,
  { operation }: SendContext,
  { answer }: TransportResult,
): boolean {
  const status = answer?.status ?? 0;
  if (status === 404) return true;
  const isPlainRead = isRead(operation) && !url.includes("?");
  return isPlainRead && status >= 400 && status < 500 && status !== 401 && status !== 429;
}
