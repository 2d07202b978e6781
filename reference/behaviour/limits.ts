import type { OperationName } from "../../openapi/index.ts";
import { FixedFromFirst, type Limiter } from "../limiters.ts";

/** How many requests of one operation are in flight. */
export interface InFlight {
  count: number;
}

/** The operation of one endpoint that a limit belongs to. */
export interface LimitScope {
  readonly operation: OperationName;
  readonly endpointId: string;
}

/** SPEC.md "Rate limits". An operation without a stated limit has none. */
export interface LimitsBehaviour {
  readonly requestsPerWindow: (operation: OperationName) => number;
  readonly inFlightMax: (operation: OperationName) => number;
  readonly effective: (base: number, runningWorkers: number, allowancePerWorker: number) => number;
  /** Made once for each scope; sharing one among scopes makes them share the limit. */
  readonly limiterOf: (scope: LimitScope) => Limiter;
  readonly inFlightOf: (scope: LimitScope) => InFlight;
  /** Whether a request of the operation is counted by its window at all. */
  readonly isCounted: (operation: OperationName) => boolean;
  /** Whether a request that was answered, or whose client broke off, frees its place. */
  readonly freesPlace: (operation: OperationName, how: "answered" | "broken-off") => boolean;
  readonly refusalStatus: (operation: OperationName) => number;
  /** Whether a request that is refused for a limit is left undone. */
  readonly refusalLeavesUndone: (operation: OperationName) => boolean;
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

export const limits: LimitsBehaviour = {
  requestsPerWindow: (operation) => requestsPerWindow[operation] ?? Number.POSITIVE_INFINITY,
  inFlightMax: (operation) => inFlightMax[operation] ?? Number.POSITIVE_INFINITY,
  effective: (base, runningWorkers, allowancePerWorker) =>
    Math.max(base, runningWorkers * allowancePerWorker),
  limiterOf: () => new FixedFromFirst(WINDOW_MS),
  inFlightOf: () => ({ count: 0 }),
  isCounted: () => true,
  freesPlace: () => true,
  refusalStatus: () => 429,
  refusalLeavesUndone: () => true,
};
