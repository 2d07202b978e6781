import { answerTable, operationTable } from "./generated/operations.ts";
import type { operations as documentOperations } from "./generated/job-api.ts";
import type { RequirementId } from "./requirements.ts";
import type { SchemaName } from "./schemas.ts";

// k6 runs this file too: it may import nothing that needs Node.

export type OperationName = keyof typeof operationTable;

/** The base limits of an operation and endpoint (docs/specification.md#rate-limits); undefined where none is stated. */
export interface RateLimit {
  readonly requestsPerWindow: number | undefined;
  readonly windowMs: number;
  readonly inFlight: number | undefined;
}

export interface Operation {
  readonly name: OperationName;
  readonly method: "GET" | "POST";
  /** Below {base_url}/v2/<endpoint_id>; a job's id is written {jobId}. */
  readonly path: string;
  readonly rateLimit: RateLimit;
  /** The requirement that states the rate limit. */
  readonly rate: RequirementId | undefined;
  /** The requirement that states how many may be in flight. */
  readonly concurrency: RequirementId | undefined;
}

/** Every operation by its name. */
export const operationNamed: { readonly [Name in OperationName]: Operation } = operationTable;

/** The operations that submit a job. */
export type SubmitOperation = Extract<OperationName, "run" | "runsync">;

/** Whether an operation, by whatever name it was read, is one of these. */
export function isSubmission(operation: string | undefined): operation is SubmitOperation {
  return operation === "run" || operation === "runsync";
}

/** The generated types of parameters and bodies, by operation. */
export type operations = documentOperations;

/** The ten operations, in the order of the document. */
export const operations: readonly Operation[] = Object.values(operationNamed);

export function isOperationName(text: string): text is OperationName {
  return Object.hasOwn(operationNamed, text);
}

/** Tells whether a target need not have an operation: where it has, it offers a capability of the same name. */
export function isOptionalOperation(operation: string): operation is "openai" | "requests" {
  return operation === "openai" || operation === "requests";
}

/** Whether an operation is asked for a job, whose id stands in its path. */
export function namesJob(operation: OperationName): boolean {
  return operationNamed[operation].path.includes("{jobId}");
}

/**
 * Whether a status breaks the contract of an operation whatever its limit: what is there is not found, or the server
 * broke. 502 to 504 may be a gateway's, and refuse.
 */
export function isOwnFault(status: number): boolean {
  return status === 404 || status === 500;
}

/** Whether a status is one with which the cancel of a job is refused that has ended (CANC-06), or is not known any more. */
export function isOfEndedJob(status: number): boolean {
  return [400, 404, 409, 410].includes(status);
}

/** The path of an operation below the endpoint's; the job's id is one encoded segment. */
export function pathOf(operation: OperationName, jobId = ""): string {
  return operationNamed[operation].path.replace("{jobId}", () => jobId);
}

/** The schema of each operation's success. */
export const answerSchema = answerTable satisfies { readonly [Name in OperationName]: SchemaName };

/** One row of the table of limits (docs/specification.md#rate-limits). */
export interface Tier {
  readonly operation: OperationName;
  /** Requests in a window. */
  readonly limit: number;
  readonly rate: RequirementId;
  /** How many may be in flight; absent where none is stated. */
  readonly cap?: number;
  readonly concurrency?: RequirementId;
}

export interface CappedTier extends Tier {
  readonly cap: number;
  readonly concurrency: RequirementId;
}

/** The window of every rate limit. */
export const windowMs: number = operationTable.run.rateLimit.windowMs;

/** The operations with a stated limit, in the order of the requirements. */
export const tiers: readonly Tier[] = operations
  .flatMap(
    ({ name: operation, rateLimit: { requestsPerWindow: limit, inFlight: cap }, ...ids }) => {
      const { rate, concurrency } = ids;
      if (limit === undefined || rate === undefined) return [];
      return cap === undefined || concurrency === undefined
        ? [{ operation, limit, rate }]
        : [{ operation, limit, rate, cap, concurrency }];
    },
  )
  .toSorted((one, other) => (one.rate < other.rate ? -1 : 1));

export const cappedTiers: readonly CappedTier[] = tiers.filter(isCapped);

function isCapped(tier: Tier): tier is CappedTier {
  return tier.cap !== undefined;
}

/** The row of an operation. Throws where it has no stated limit. */
export function tierOf(operation: OperationName): Tier {
  const found = tiers.find((tier) => tier.operation === operation);
  if (found === undefined) throw new Error(`${operation} has no stated limit`);
  return found;
}
