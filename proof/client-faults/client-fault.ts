import type { RequirementId } from "../../openapi/requirements.ts";

/** A bug that somebody would write, as a change of the example's text. */
export interface ProgramFault {
  readonly name: string;
  readonly caughtBy: RequirementId;
  /** In job-client.ts, or in main.ts where that is named; the first text is there exactly once. */
  readonly changes: readonly (readonly [from: string, to: string])[];
}

/** A fault of one change. */
export function fault(
  caughtBy: RequirementId,
  name: string,
  from: string,
  to: string,
): ProgramFault {
  return { name, caughtBy, changes: [[from, to]] };
}

/** A fault that has one more statement where an answer is neither a success nor worth another try. */
export function beforeThrowing(
  caughtBy: RequirementId,
  name: string,
  statement: string,
): ProgramFault {
  return fault(caughtBy, name, throws, `${statement}\n      ${throws}`);
}

// Parts of examples/client that several faults or variations change.

export const key = "authorization: `Bearer ${apiKey}`";
export const polls = "waitMs = Math.min(2 * waitMs, 5_000)";
export const throws = "if (answer.status !== 429 && !isWorthIt) {";
export const mayRead =
  'const mayRead = method === "GET" && (answer.status === 0 || answer.status >= 500);';
export const wait = "answer.retryAfterMs ?? 500 * 2 ** tries * (0.75 + Math.random() / 2)";
export const failed = 'if (status === "COMPLETED") return output;';
export const body = "body: body === undefined ? null : JSON.stringify(body),";
export const run = '"/run", { input }';
export const runsync = '"/runsync", { input }';
export const followed =
  "return outputOf(finalStates.has(record.status) ? record : await this.waitFor(record.id));";
export const yields = "for (const chunk of chunksIn(answer)) yield chunk.output;";
export const streamEnds = "if (finalStates.has(status)) return;";
export const cancelled = "return (await client.cancel(id)).status;";
export const ended =
  "if (wanted.has(record.status) || finalStates.has(record.status)) return record;";
export const printed = "console.error(String(error));";
export const path = "`/status/${encodeURIComponent(id)}`";
export const signal = "signal: AbortSignal.timeout(Math.max(1, this.#deadlineMs - Date.now())),";
export const submitted = "return outputOf(await this.waitFor((await this.submit(input)).id));";
