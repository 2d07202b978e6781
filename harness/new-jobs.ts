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
  /** By endpoint and id. */
  readonly #submittedAtMs = new Map<string, number>();
  readonly #unreadableMsMax: number;

  /** @param learnedMs how long a job was seen to be unknown after its submission, in milliseconds */
  constructor(learnedMs = 0) {
    this.#unreadableMsMax = Math.max(unreadableMsMax, learnedMs);
  }

  /** Has to be called with every exchange. */
  note(exchange: Exchange): void {
    const { operation, request, answer, answeredAtMs } = exchange;
    if (answer === undefined || !isSuccess(answer)) return;
    // What was purged may be unknown from now on.
    if (operation === "purge-queue") this.#submittedAtMs.clear();
    if (isRead(operation)) this.#submittedAtMs.delete(keyOf(request));
    const jobId = givenJobId(exchange);
    if (jobId === undefined) return;
    this.#submittedAtMs.set(keyOf({ endpointId: request.endpointId, jobId }), answeredAtMs);
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
      if (!this.#isNew(keyOf(context)) || !isOfUnknownJob(request, context, result)) return result;
      await sleep(pauseMs);
    }
  }

  #isNew(key: string): boolean {
    const submittedAtMs = this.#submittedAtMs.get(key);
    if (submittedAtMs === undefined) return false;
    if (monotonicNowMs() - submittedAtMs < this.#unreadableMsMax) return true;
    this.#submittedAtMs.delete(key);
    return false;
  }
}

function keyOf({ endpointId, jobId = "" }: Pick<SendContext, "endpointId" | "jobId">): string {
  return `${endpointId} ${jobId}`;
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
  if (status === 404) return operation !== "retry";
  const isPlainRead = isRead(operation) && !url.includes("?");
  return isPlainRead && status >= 400 && status < 500 && status !== 401 && status !== 429;
}
