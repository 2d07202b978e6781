import type { RequirementId } from "../../openapi/requirements.ts";

/** A bug that somebody would write, as a change of the example's text. */
export interface ClientFault {
  readonly name: string;
  readonly caughtBy: RequirementId;
  /** In job-client.ts, or in main.ts where that is named; the first text is there exactly once. */
  readonly changes: readonly (readonly [from: string, to: string])[];
}

const key = "authorization: `Bearer ${apiKey}`";
const polls = "waitMs = Math.min(2 * waitMs, 5_000)";
const throws = "if (answer.status !== 429 && !isWorthIt) {";
const mayRead =
  'const mayRead = method === "GET" && (answer.status === 0 || answer.status >= 500);';
const wait = "const waitMs = answer.retryAfterMs ?? 500 * 2 ** tries * (0.75 + Math.random() / 2);";
const giveUp = "if (Date.now() + waitMs > this.#deadlineMs) {";
const failed = 'if (status === "COMPLETED") return output;';
const body = "body: body === undefined ? null : JSON.stringify(body),";
const sent = "{ input }";
const run = 'return asRecord(await this.#ask("POST", "/run", { input }));';
const runsync = 'const record = asRecord(await this.#ask("POST", "/runsync", { input }));';
const followed =
  "return outputOf(finalStates.has(record.status) ? record : await this.waitFor(record.id));";
const yields = "for (const chunk of chunksIn(answer)) yield chunk.output;";
const streamEnds = "if (finalStates.has(status)) return;";
const retried = 'if (record.status === "COMPLETED") return record.output;';
const cancelled = "return (await client.cancel(id)).status;";
const ended = "if (wanted.has(record.status) || finalStates.has(record.status)) return record;";
const unknownState =
  "if (!waitingStates.has(record.status)) throw new JobError(`unknown state ${record.status}`);";
const printed = "console.error(String(error));";
const path = "`/status/${encodeURIComponent(id)}`";
const url = "await fetch(`${baseUrl}/v2/${endpointId}${path}`, {";
const isNewJob = "const isNewJob = answer.status === 404 && Date.now() - startedMs < newJobMs;";
const signal = "signal: AbortSignal.timeout(Math.max(1, this.#deadlineMs - Date.now())),";
const result = 'console.log(JSON.stringify((await doTask(told("TASK"))) ?? null));';
const submitted = "return outputOf(await this.waitFor((await this.submit(input)).id));";

/** One change. */
function fault(caughtBy: RequirementId, name: string, from: string, to: string): ClientFault {
  return { name, caughtBy, changes: [[from, to]] };
}

export const clientFaults: readonly ClientFault[] = [
  fault("CLNT-01", "key-missing", key, "x: ``"),
  fault("CLNT-01", "key-as-token", key, "authorization: `Token ${apiKey}`"),
  fault("CLNT-01", "key-quoted", key, 'authorization: `Bearer "${apiKey}"`'),
  fault(
    "CLNT-02",
    "key-in-query",
    url,
    "await fetch(`${baseUrl}/v2/${endpointId}${path}?key=${apiKey}`, {",
  ),
  fault(
    "CLNT-02",
    "key-in-body",
    body,
    "body: body === undefined ? null : JSON.stringify({ ...body, apiKey }),",
  ),
  fault(
    "CLNT-02",
    "key-in-second-header",
    key,
    "authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey",
  ),
  {
    name: "key-follows-redirect",
    caughtBy: "CLNT-02",
    changes: [
      [
        "const text = await response.text();",
        'const text = response.headers.get("location") ?? (await response.text());',
      ],
      [
        throws,
        "if (answer.status === 307) await fetch(answer.text, { method, headers: { authorization: apiKey } });\n      if (answer.status !== 429 && !isWorthIt) {",
      ],
    ],
  },
  fault(
    "CLNT-03",
    "status-by-post",
    'await this.#ask("GET", `/status',
    'await this.#ask("POST", `/status',
  ),
  fault(
    "CLNT-03",
    "cancel-by-delete",
    'await this.#ask("POST", `/cancel',
    'await this.#ask("DELETE" as "POST", `/cancel',
  ),
  fault("CLNT-03", "jobs-path", path, "`/jobs/${encodeURIComponent(id)}`"),
  fault("CLNT-04", "no-content-type", ', "content-type": "application/json" }', " }"),
  fault(
    "CLNT-04",
    "input-as-text",
    run,
    'return asRecord(await this.#ask("POST", "/run", { input: JSON.stringify(input) }));',
  ),
  fault(
    "CLNT-04",
    "input-in-a-list",
    run,
    'return asRecord(await this.#ask("POST", "/run", { input: [input] }));',
  ),
  fault(
    "CLNT-04",
    "input-not-wrapped",
    run,
    'return asRecord(await this.#ask("POST", "/run", input));',
  ),
  fault(
    "CLNT-05",
    "ttl-in-seconds",
    run,
    'return asRecord(await this.#ask("POST", "/run", { input, policy: { ttl: 600 } }));',
  ),
  fault(
    "CLNT-05",
    "timeout-as-text",
    run,
    'return asRecord(await this.#ask("POST", "/run", { input, policy: { executionTimeout: "60000" } }));',
  ),
  fault(
    "CLNT-05",
    "wait-in-seconds",
    runsync,
    'const record = asRecord(await this.#ask("POST", "/runsync?wait=90", { input }));',
  ),
  fault(
    "CLNT-05",
    "priority-as-number",
    run,
    'return asRecord(await this.#ask("POST", "/run", { input, policy: { lowPriority: 0 } }));',
  ),
  fault(
    "CLNT-06",
    "body-padded",
    body,
    'body: body === undefined ? null : JSON.stringify(body) + " ".repeat(12_000_000),',
  ),
  fault("CLNT-07", "id-not-encoded", path, "`/status/${id}`"),
  fault(
    "CLNT-08",
    "input-wrapped-twice",
    run,
    'return asRecord(await this.#ask("POST", "/run", { input: { input } }));',
  ),
  fault(
    "CLNT-08",
    "input-with-more",
    run,
    'return asRecord(await this.#ask("POST", "/run", { input: { ...input, client: "mine" } }));',
  ),
  fault("CLNT-10", "refused-resent-at-once", wait, "const waitMs = answer.retryAfterMs ?? 10;"),
  fault(
    "CLNT-10",
    "refused-resent-faster",
    wait,
    "const waitMs = answer.retryAfterMs ?? 8_000 / 2 ** tries;",
  ),
  fault("CLNT-11", "retry-after-ignored", wait, "const waitMs = 500;"),
  fault(
    "CLNT-11",
    "retry-after-as-ms",
    wait,
    "const waitMs = (answer.retryAfterMs ?? 500_000) / 1000 + 250;",
  ),
  fault(
    "CLNT-12",
    "refused-is-no-output",
    throws,
    "if (answer.status === 429) process.exit(0);\n      if (!isWorthIt) {",
  ),
  fault(
    "CLNT-13",
    "bad-request-resent",
    throws,
    "if (answer.status !== 429 && answer.status !== 400 && !isWorthIt) {",
  ),
  fault(
    "CLNT-13",
    "key-refused-resent",
    throws,
    "if (answer.status !== 429 && (answer.status !== 401 || tries > 3) && !isWorthIt) {",
  ),
  fault(
    "CLNT-13",
    "refusal-not-told",
    'throw new JobError(`${method} ${path}: ${answer.status || "no answer"} ${answer.text}`);',
    'throw new JobError("something went wrong");',
  ),
  fault(
    "CLNT-14",
    "error-is-no-output",
    throws,
    "if (answer.status === 500) return { id: '', status: 'COMPLETED' };\n      if (answer.status !== 429 && !isWorthIt) {",
  ),
  fault(
    "CLNT-14",
    "error-in-a-loop",
    throws,
    "if (answer.status === 500 && tries < 50) continue;\n      if (answer.status !== 429 && !isWorthIt) {",
  ),
  fault(
    "CLNT-14",
    "error-forever",
    throws,
    "if (answer.status === 500) { await pause(1000); continue; }\n      if (answer.status !== 429 && !isWorthIt) {",
  ),
  fault("CLNT-15", "new-job-given-up", isNewJob, "const isNewJob = false;"),
  fault(
    "CLNT-16",
    "read-failure-resubmits",
    submitted,
    "for (;;) {\n      try {\n        return outputOf(await this.waitFor((await this.submit(input)).id));\n      } catch (error) {\n        if (!String(error).includes('/status')) throw error;\n      }\n    }",
  ),
  fault("CLNT-17", "refused-forever", giveUp, "if (waitMs < 0) {"),
  fault(
    "CLNT-17",
    "refusal-hidden",
    "throw new JobError(`${method} ${path}: given up, ${answer.status} ${answer.text}`);",
    'throw new JobError("no luck");',
  ),
  fault(
    "CLNT-20",
    "gives-up-after-four-reads",
    ended,
    `if (waitMs > 1_500) throw new JobError("the job takes too long");\n      ${ended}`,
  ),
  fault(
    "CLNT-20",
    "in-progress-is-the-end",
    'const waitingStates = new Set(["IN_QUEUE", "IN_PROGRESS"]);',
    'const waitingStates = new Set(["IN_QUEUE"]);',
  ),
  fault(
    "CLNT-21",
    "empty-output-lost",
    failed,
    'if (status === "COMPLETED") return Object.keys(output ?? {}).length === 0 ? null : output;',
  ),
  fault("CLNT-21", "output-as-text", result, 'console.log(String(await doTask(told("TASK"))));'),
  fault(
    "CLNT-21",
    "first-item-of-a-list",
    failed,
    'if (status === "COMPLETED") return Array.isArray(output) ? output[0] : output;',
  ),
  fault(
    "CLNT-21",
    "not-unicode",
    "const text = await response.text();",
    "const text = Buffer.from(await response.arrayBuffer()).toString('latin1');",
  ),
  fault("CLNT-22", "failed-is-an-output", failed, "return output;"),
  fault(
    "CLNT-22",
    "cause-lost",
    'throw new JobError(`the job is ${status}: ${JSON.stringify(error ?? "no cause was told")}`);',
    'throw new JobError("no result");',
  ),
  {
    name: "timed-out-polled-forever",
    caughtBy: "CLNT-22",
    changes: [
      [
        'new Set(["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"])',
        'new Set(["COMPLETED", "FAILED"])',
      ],
      [
        'new Set(["IN_QUEUE", "IN_PROGRESS"])',
        'new Set(["IN_QUEUE", "IN_PROGRESS", "TIMED_OUT", "CANCELLED"])',
      ],
    ],
  },
  fault("CLNT-23", "error-state-polled-forever", unknownState, ""),
  fault(
    "CLNT-24",
    "polls-after-the-end",
    ended,
    "if (wanted.has(record.status) || finalStates.has(record.status)) {\n        for (let more = 0; more < 3; more += 1) await this.status(id);\n        return record;\n      }",
  ),
  fault("CLNT-25", "polls-without-a-pause", "await this.#pause(waitMs);", "await pause(5);"),
  fault(
    "CLNT-26",
    "expired-is-empty",
    throws,
    "if (answer.status === 404 && path.startsWith('/status') && tries > 1) return { id: '', status: 'COMPLETED' };\n      if (answer.status !== 429 && !isWorthIt) {",
  ),
  fault("CLNT-26", "pauses-of-100-s", polls, "waitMs = waitMs < 5_000 ? 2 * waitMs : 100_000"),
  fault(
    "CLNT-27",
    "unknown-member-refused",
    'if (typeof record?.id === "string"',
    'if (!("worker" in record) && typeof record?.id === "string"',
  ),
  {
    name: "delay-time-demanded",
    caughtBy: "CLNT-27",
    changes: [
      [
        "function outputOf({ status, output, error }: JobRecord): unknown {",
        "function outputOf(record: JobRecord): unknown {\n  const { status, output, error } = record;",
      ],
      [failed, 'if (status === "COMPLETED" && "delayTime" in record) return output;'],
    ],
  },
  fault(
    "CLNT-28",
    "newest-of-the-machine",
    submitted,
    "const own = (await this.submit(input)).id;\n    const { writeFileSync, readFileSync } = await import('node:fs');\n    const file = `/tmp/queueproof-shared-${process.ppid}`;\n    writeFileSync(file, own);\n    await pause(1000);\n    return outputOf(await this.waitFor(readFileSync(file, 'utf8')));",
  ),
  fault(
    "CLNT-29",
    "key-in-an-error",
    printed,
    'console.error(String(error), process.env["JOB_API_KEY"]);',
  ),
  fault(
    "CLNT-29",
    "request-logged",
    "const startedMs = Date.now();",
    "const startedMs = Date.now();\n    console.error(method, path, { authorization: apiKey });",
  ),
  fault("CLNT-30", "runsync-not-followed", followed, "return outputOf(record);"),
  fault(
    "CLNT-30",
    "runsync-resubmitted",
    followed,
    "return finalStates.has(record.status) ? outputOf(record) : this.runsync(input);",
  ),
  fault(
    "CLNT-31",
    "runsync-broken-off",
    signal,
    'signal: AbortSignal.timeout(path === "/runsync" ? 30_000 : Math.max(1, this.#deadlineMs - Date.now())),',
  ),
  fault(
    "CLNT-32",
    "runsync-failure-is-an-output",
    followed,
    "return finalStates.has(record.status) ? record.output : outputOf(await this.waitFor(record.id));",
  ),
  fault(
    "CLNT-40",
    "lost-read-gives-up",
    mayRead,
    'const mayRead = method === "GET" && answer.status >= 500;',
  ),
  fault("CLNT-40", "half-answer-gives-up", "return asNoAnswer(error);", "throw error;"),
  fault(
    "CLNT-41",
    "lost-submission-resent-often",
    mayRead,
    "const mayRead = answer.status === 0 || answer.status >= 500;",
  ),
  fault("CLNT-42", "no-timeout", signal, ""),
  fault(
    "CLNT-42",
    "silence-is-a-result",
    printed,
    "if (String(error).includes('no answer')) process.exit(0);\n  console.error(String(error));",
  ),
  fault(
    "CLNT-43",
    "five-seconds-for-an-answer",
    signal,
    "signal: AbortSignal.timeout(method === 'POST' ? 5_000 : 60_000),",
  ),
  fault(
    "CLNT-50",
    "first-chunk-only",
    yields,
    "for (const chunk of chunksIn(answer).slice(0, 1)) yield chunk.output;",
  ),
  fault(
    "CLNT-50",
    "last-chunks-lost",
    yields,
    "if (finalStates.has(status)) return;\n      for (const chunk of chunksIn(answer)) yield chunk.output;",
  ),
  fault(
    "CLNT-50",
    "chunks-reversed",
    yields,
    "for (const chunk of chunksIn(answer).toReversed()) yield chunk.output;",
  ),
  fault(
    "CLNT-51",
    "empty-read-ends",
    streamEnds,
    "if (chunksIn(answer).length > 0 && finalStates.has(status)) return;",
  ),
  fault(
    "CLNT-51",
    "cancelled-never-ends",
    streamEnds,
    'if (status === "COMPLETED" || status === "FAILED") return;',
  ),
  fault("CLNT-60", "completed-is-retried", retried, ""),
  fault(
    "CLNT-60",
    "retry-not-followed",
    "const again = await client.waitFor(id);",
    "const again = record;",
  ),
  fault(
    "CLNT-61",
    "cancelled-is-resubmitted",
    cancelled,
    "const { status } = await client.cancel(id);\n    await client.submit(input);\n    return status;",
  ),
  fault("CLNT-61", "cancel-not-told", cancelled, "await client.cancel(id);\n    return 'done';"),
];
