import type { OperationName } from "../../openapi/operations.ts";
import { FixedFromFirst, type Limiter } from "../limiters.ts";

/** How a request came to its end; a client may break off before the end of the body. */
export type EndOfRequest = "answered" | "broken-off" | "broken-off-in-body";

/** Why a request is refused: too many are in flight, or too many came in the window. */
export type LimitRefusal = "cap" | "window";

/** How many requests of one operation are in flight. */
export interface InFlightCount {
  count: number;
}

/** The operation of one endpoint that a limit belongs to. */
export interface LimitScope {
  readonly operation: OperationName;
  readonly endpointId: string;
  /** The time of that endpoint. */
  readonly nowMs: () => number;
}

/** What tells requests of one operation apart, and no limit looks at. */
export interface RequestForm {
  /** What the path has below the operation: a job, or one of several paths of openai. */
  readonly below: string;
  /** The query string; empty without one. */
  readonly query: string;
  /** The header with the key. */
  readonly authorization: string;
}

const WINDOW_MS = 10_000;

const requestsPerWindow: Readonly<Partial<Record<OperationName, number>>> = {
  runsync: 2_000,
  run: 1_000,
  status: 2_000,
  stream: 2_000,
  cancel: 100,
  "purge-queue": 2,
  openai: 2_000,
  requests: 10,
};

const inFlightMax: Readonly<Partial<Record<OperationName, number>>> = {
  runsync: 400,
  run: 200,
  status: 400,
  stream: 400,
  cancel: 20,
  openai: 400,
  requests: 2,
};

/** What is limited (docs/specification.md#rate-limits). An operation without a stated limit has none. */
export const limits = {
  requestsPerWindow: (operation: OperationName): number =>
    requestsPerWindow[operation] ?? Number.POSITIVE_INFINITY,
  inFlightMax: (operation: OperationName): number =>
    inFlightMax[operation] ?? Number.POSITIVE_INFINITY,
  effective: (base: number, runningWorkers: number, allowancePerWorker: number): number =>
    Math.max(base, runningWorkers * allowancePerWorker),
  /** Made once for each scope; sharing one among scopes makes them share the limit. */
  limiterOf: (_scope: LimitScope): Limiter => new FixedFromFirst(WINDOW_MS),
  inFlightOf: (_scope: LimitScope): InFlightCount => ({ count: 0 }),
  /** The window and the cap that a request counts for: those of the same name are one, and the operation has one. */
  countedAs: (operation: OperationName, _form: RequestForm): string => operation,
  /** Whether a request of the operation is counted by its window at all. */
  isCounted: (_operation: OperationName): boolean => true,
  /** Whether a request that was answered, or whose client broke off, frees its place; without an answer no status. */
  freesPlace: (
    _operation: OperationName,
    _how: EndOfRequest,
    _status: number | undefined,
  ): boolean => true,
  /** By how much a request that is refused for its cap or its window changes the count of those in flight; 0 is right. */
  refusalCounts: (_operation: OperationName, _why: LimitRefusal): number => 0,
  /** Whether a request takes its place when it comes in, and not once its operation was carried out. */
  countsAtOnce: (_operation: OperationName): boolean => true,
  /** Whether limits are looked at once the whole request is there, and not by its head. */
  waitForTheBody: false,
  /** Whether a request without a valid key counts as well. */
  comeBeforeTheKey: false,
  /** Whether a request that is refused for the cap is counted by its window. */
  countsCapRefusals: false,
  /** Whether an answer of this status empties the count of its window. */
  forgetsAfter: (_operation: OperationName, _status: number): boolean => false,
  refusalStatus: (_operation: OperationName): number => 429,
  /** Whether a request that is refused for a limit is left undone. */
  refusalLeavesUndone: (_operation: OperationName, _why: LimitRefusal): boolean => true,
};
