import type { TransportResult } from "../client/exchange.ts";
import { requestLineOf } from "../client/transport.ts";
import type { Transport, TransportRequest } from "../client/transport.ts";
import type { Needed, SentLoad } from "./sent-load.ts";
import { overLimitReason } from "../reports/not-run.ts";
import { totalOf } from "./sent-load.ts";

/** Is told of every request while load is sent, so that progress can be shown and the load stopped. */
export interface LoadMeter {
  /** @param request its method and path, such as `POST /v2/abc/run`, or another text that names it. */
  readonly sent: (request: string) => void;
  /**
   * @param status of the answer; 0 where none came.
   * @param request the same text that `sent` was told.
   */
  readonly answered: (status: number, request: string) => void;
  /**
   * To be called when a fault of ours begins: until the function that it returns is called, neither silence nor
   * answers of 5xx say anything about the target.
   */
  readonly excuse?: () => () => void;
  /** Whether the target answers; if it does not, waits until it does or is gone for good. */
  readonly isThere: () => Promise<boolean>;
  /** Why a load of this size may not be sent; absent or undefined where it may. */
  readonly whyTooMuch?: (needed: Needed) => string | undefined;
}

/** What watches over requests of load, as far as anything does. */
export interface LoadSupervision {
  /** Is told of every request. */
  readonly meter?: LoadMeter | undefined;
  /** Nothing is sent or waited for any more once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends by a transport, and tells a meter of each request and of its answer. */
export function meteredSend(
  transport: Transport,
  meter: LoadMeter | undefined,
): (request: TransportRequest) => Promise<TransportResult> {
  return async (request) => {
    const line = requestLineOf(request);
    meter?.sent(line);
    const result = await transport.send(request);
    meter?.answered(result.answer?.status ?? 0, line);
    return result;
  };
}

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
