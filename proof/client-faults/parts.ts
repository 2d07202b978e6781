// Parts of examples/client that faults change.

export const key = "authorization: `Bearer ${apiKey}`";
export const polls = "waitMs = Math.min(2 * waitMs, 5_000)";
export const throws = "if (answer.status !== 429 && !isWorthIt) {";
export const mayRead =
  'const mayRead = method === "GET" && (answer.status === 0 || answer.status >= 500);';
export const wait =
  "const waitMs = answer.retryAfterMs ?? 500 * 2 ** tries * (0.75 + Math.random() / 2);";
export const giveUp = "if (Date.now() + waitMs > this.#deadlineMs) {";
export const failed = 'if (status === "COMPLETED") return output;';
export const body = "body: body === undefined ? null : JSON.stringify(body),";
export const run = 'return asRecord(await this.#ask("POST", "/run", { input }));';
export const runsync = 'const record = asRecord(await this.#ask("POST", "/runsync", { input }));';
export const followed =
  "return outputOf(finalStates.has(record.status) ? record : await this.waitFor(record.id));";
export const yields = "for (const chunk of chunksIn(answer)) yield chunk.output;";
export const streamEnds = "if (finalStates.has(status)) return;";
export const retried = 'if (record.status === "COMPLETED") return record.output;';
export const cancelled = "return (await client.cancel(id)).status;";
export const ended =
  "if (wanted.has(record.status) || finalStates.has(record.status)) return record;";
export const unknownState =
  "if (!waitingStates.has(record.status)) throw new JobError(`unknown state ${record.status}`);";
export const printed = "console.error(String(error));";
export const path = "`/status/${encodeURIComponent(id)}`";
export const url = "await fetch(`${baseUrl}/v2/${endpointId}${path}`, {";
export const isNewJob =
  "const isNewJob = answer.status === 404 && Date.now() - startedMs < newJobMs;";
export const signal = "signal: AbortSignal.timeout(Math.max(1, this.#deadlineMs - Date.now())),";
export const result = 'console.log(JSON.stringify((await doTask(told("TASK"))) ?? null));';
export const submitted = "return outputOf(await this.waitFor((await this.submit(input)).id));";
