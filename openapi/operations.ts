import { answerTable, operationTable } from "./generated/operations.ts";
import type { operations as documentOperations } from "./generated/job-api.ts";
import type { SchemaName } from "./schemas.ts";

export type OperationName = keyof typeof operationTable;

/** The base limits of an operation and endpoint (docs/specification.md#rate-limits); undefined where none is stated. */
export interface RateLimit {
  readonly requestsPerWindow: number | undefined;
  readonly windowMs: number;
  readonly inFlight: number | undefined;
}

/** One operation of the job API. */
export interface Operation {
  readonly name: OperationName;
  readonly method: "GET" | "POST";
  /** Below {base_url}/v2/<endpoint_id>; a job's id is written {jobId}. */
  readonly path: string;
  readonly rateLimit: RateLimit;
}

const table: { readonly [Name in OperationName]: Operation } = operationTable;

/** The generated types of parameters and bodies, by operation. */
export type operations = documentOperations;

/** The ten operations, in the order of the document. */
export const operations: readonly Operation[] = Object.values(table);

/** Tells whether a text names an operation. */
export function isOperationName(text: string): text is OperationName {
  return Object.hasOwn(table, text);
}

/** The schema of each operation's success. */
export const answerSchema = answerTable satisfies { readonly [Name in OperationName]: SchemaName };
