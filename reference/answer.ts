import type { OperationName } from "../openapi/operations.ts";
import type { Behaviour } from "./behaviour.ts";
import type { AnswerContext } from "./behaviour/operations.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Job } from "./job.ts";

export interface OperationAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The only job it tells of; undefined where it may tell of others. */
  readonly job?: Job | undefined;
  /** In place of a body: server-sent events, as they are written. */
  readonly events?: AsyncIterable<string>;
}

/** A request that passed authentication and limits. */
export interface OperationRequest {
  readonly endpoint: Endpoint;
  readonly operation: OperationName;
  /** Empty where the path has none. */
  readonly jobId: string;
  /** What the path of an openai request has below its operation, such as `v1/models`. */
  readonly path: string;
  readonly method: "GET" | "POST";
  /** How long a read waits for something to tell, on the endpoint's clock; 0: not at all. */
  readonly holdMs: number;
  readonly query: Readonly<Record<string, unknown>>;
  readonly contentType: string | undefined;
  /** Whether the body came in chunks, without its length. */
  readonly isChunked: boolean;
  /** The payload of a submission; undefined where it was larger than allowed. */
  readonly body: Buffer | undefined;
  /** Registers what to forget when the client breaks off. */
  readonly onBrokenOff: (forget: () => void) => void;
  /** Tells that an answer which was waited for is about to be written. */
  readonly onDue: () => void;
}

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  409: "Conflict",
  413: "Payload Too Large",
  429: "Too Many Requests",
  500: "Internal Server Error",
};

export function problem(
  { operations }: Behaviour,
  status: number,
  detail: string,
): OperationAnswer {
  return { status, body: operations.errorBody(status, titles[status] ?? "Error", detail) };
}

/** The answer to a request that was done, with the shape a behaviour gives it. */
export function success(request: OperationRequest, body: unknown, job?: Job): OperationAnswer {
  const { endpoint, operation } = request;
  const { operations } = endpoint.behaviour;
  const context: AnswerContext = { operation, job, nowMs: endpoint.clock.nowMs() };
  const status = operations.successStatus(operation);
  return { status, body: operations.shape(body, context), job };
}

/** Settles when those who wait are told, or the wait is over; `isOver` is called in that case alone. */
export function whenTold(
  request: Pick<OperationRequest, "endpoint" | "onBrokenOff" | "onDue">,
  waiters: Set<() => void>,
  waitMs: number,
  isOver: () => void = () => {},
): Promise<void> {
  const { clock } = request.endpoint;
  return new Promise((resolve) => {
    const due = (): void => {
      forget();
      request.onDue();
      resolve();
    };
    const timer = clock.schedule(clock.nowMs() + waitMs, () => {
      due();
      isOver();
    });
    const forget = (): void => {
      timer.cancel();
      waiters.delete(due);
    };
    waiters.add(due);
    request.onBrokenOff(forget);
  });
}
