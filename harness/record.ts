import type { Exchange } from "../client/exchange.ts";
import { answerOf, describeAnswer, isSuccess, readJson } from "./read.ts";
import type { Read } from "./read.ts";

/** The states in which a job has ended (docs/specification.md#states-and-transitions). */
export const finalStates: readonly string[] = ["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"];

/** All states a record may show. */
export const jobStates: readonly string[] = ["IN_QUEUE", "IN_PROGRESS", ...finalStates];

/** A job record of which only id and status are known to be there; what else it holds is for the checks to judge. */
export interface LooseRecord {
  readonly id: string;
  readonly status: string;
  readonly [member: string]: unknown;
}

/** Whether the job has ended. */
export function isFinal({ status }: LooseRecord): boolean {
  return finalStates.includes(status);
}

/** Whether a worker processed the job to its end. */
export function isProcessed({ status }: { readonly status?: unknown }): boolean {
  return status === "COMPLETED" || status === "FAILED" || status === "TIMED_OUT";
}

/** The longest id that is used: common servers accept paths of 8 to 64 kB. */
const idCharactersMax = 65_536;

/**
 * Reads a job record with as few demands as possible: a success whose JSON object has an id and a status. The checks
 * that are about its other members judge those, not every check that reads a record.
 */
export function readRecord(exchange: Exchange): Read<LooseRecord> {
  const read = readJson(exchange);
  if (!read.ok) return read;
  if (!isLooseRecord(read.body)) return { ok: false, got: describeAnswer(answerOf(exchange)) };
  const { length } = read.body.id;
  if (length <= idCharactersMax) return { ok: true, body: read.body };
  return { ok: false, got: `an id of ${length} characters, too long for any path` };
}

/** The record that a success shows; `undefined` where there is none, or no answer. Never throws. */
export function recordShownBy(exchange: Exchange): LooseRecord | undefined {
  if (exchange.answer === undefined || !isSuccess(exchange.answer)) return undefined;
  const read = readRecord(exchange);
  return read.ok ? read.body : undefined;
}

/** Whether an exchange shows a job that has not ended. */
export function showsUnfinished(exchange: Exchange | undefined): boolean {
  const record = exchange === undefined ? undefined : recordShownBy(exchange);
  return record !== undefined && !isFinal(record);
}

/** Whether a value of any origin is a job record: a webhook carries one, too. */
export function isLooseRecord(value: unknown): value is LooseRecord {
  if (typeof value !== "object" || value === null) return false;
  if (!("id" in value) || !("status" in value)) return false;
  return typeof value.id === "string" && value.id !== "" && typeof value.status === "string";
}

/** The members of a record that must stay the same while the job's state does; other members may change with time. */
export function lastingFields({
  id,
  status,
  output,
  delayTime,
  executionTime,
}: LooseRecord): object {
  return { id, status, output, delayTime, executionTime };
}

/** The state a record shows, or what came in its place. */
export function stateOf(exchange: Exchange): string {
  const read = readRecord(exchange);
  return read.ok ? read.body.status : read.got;
}
