// A client of the v2 job API on fetch, as small as one that loses nothing can be. It throws where a job does not complete.
import { setTimeout as pause } from "node:timers/promises";

export interface JobRecord {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
  readonly error?: unknown;
}

export interface ClientOptions {
  /** Without /v2. */
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly apiKey: string;
  /** How long one task may take in all. */
  readonly timeoutMs: number;
}

/** A job that ended otherwise than COMPLETED, or an answer that no request can mend. */
export class JobError extends Error {
  override readonly name = "JobError";
}

const finalStates = new Set(["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"]);
const waitingStates = new Set(["IN_QUEUE", "IN_PROGRESS"]);
const readTriesMax = 5;
/** A job may be unknown for a moment after it was accepted. */
const newJobMs = 10_000;

export class JobClient {
  readonly #options: ClientOptions;
  readonly #deadlineMs: number;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#deadlineMs = Date.now() + options.timeoutMs;
  }

  /** Submits a job and waits for its end; returns its output. */
  async run(input: object): Promise<unknown> {
    return outputOf(await this.waitFor((await this.submit(input)).id));
  }

  /** The same by one request, as far as the server waits. */
  async runsync(input: object): Promise<unknown> {
    const record = asRecord(await this.#ask("POST", "/runsync", { input }));
    return outputOf(finalStates.has(record.status) ? record : await this.waitFor(record.id));
  }

  async submit(input: object): Promise<JobRecord> {
    return asRecord(await this.#ask("POST", "/run", { input }));
  }

  async status(id: string): Promise<JobRecord> {
    return asRecord(await this.#ask("GET", `/status/${encodeURIComponent(id)}`));
  }

  /** Yields the outputs of a job's chunks until it has ended. */
  async *stream(id: string): AsyncGenerator<unknown> {
    for (;;) {
      // The state first: chunks that come between the two reads are then still read.
      const { status } = await this.status(id);
      const answer = await this.#ask("GET", `/stream/${encodeURIComponent(id)}`);
      for (const chunk of chunksIn(answer)) yield chunk.output;
      if (finalStates.has(status)) return;
      await this.#pause(500);
    }
  }

  async cancel(id: string): Promise<JobRecord> {
    return asRecord(await this.#ask("POST", `/cancel/${encodeURIComponent(id)}`));
  }

  /** Queues a failed job again. */
  async retry(id: string): Promise<JobRecord> {
    return asRecord(await this.#ask("POST", `/retry/${encodeURIComponent(id)}`));
  }

  /** Reads a job until it has ended, or until a state shows that is wanted. */
  async waitFor(id: string, wanted: ReadonlySet<string> = finalStates): Promise<JobRecord> {
    for (let waitMs = 250; ; waitMs = Math.min(2 * waitMs, 5_000)) {
      const record = await this.status(id);
      if (wanted.has(record.status) || finalStates.has(record.status)) return record;
      if (!waitingStates.has(record.status)) throw new JobError(`unknown state ${record.status}`);
      await this.#pause(waitMs);
    }
  }

  /** One request with its tries: a refusal waits, a read is sent again, a submission never is. */
  async #ask(method: "GET" | "POST", path: string, body?: object): Promise<unknown> {
    const { baseUrl, endpointId, apiKey } = this.#options;
    const startedMs = Date.now();
    for (let tries = 1; ; tries += 1) {
      const answer = await fetch(`${baseUrl}/v2/${endpointId}${path}`, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: "manual",
        signal: AbortSignal.timeout(Math.max(1, this.#deadlineMs - Date.now())),
      }).then(wholeAnswer, asNoAnswer);
      if (answer.status === 200) return answer.json;
      const isNewJob = answer.status === 404 && Date.now() - startedMs < newJobMs;
      const mayRead = method === "GET" && (answer.status === 0 || answer.status >= 500);
      const isWorthIt =
        tries < readTriesMax && (mayRead || (isNewJob && path.startsWith("/status")));
      if (answer.status !== 429 && !isWorthIt) {
        throw new JobError(`${method} ${path}: ${answer.status || "no answer"} ${answer.text}`);
      }
      const waitMs = answer.retryAfterMs ?? 500 * 2 ** tries * (0.75 + Math.random() / 2);
      if (Date.now() + waitMs > this.#deadlineMs) {
        throw new JobError(`${method} ${path}: given up, ${answer.status} ${answer.text}`);
      }
      await pause(waitMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    if (Date.now() + ms > this.#deadlineMs) throw new JobError("the job's time is over");
    await pause(ms);
  }
}

interface Answer {
  /** 0 where none came. */
  readonly status: number;
  readonly json?: unknown;
  readonly text: string;
  readonly retryAfterMs?: number | undefined;
}

async function wholeAnswer(response: Response): Promise<Answer> {
  const retryAfter = response.headers.get("retry-after");
  const retryAfterMs = retryAfter === null ? undefined : 1000 * Number(retryAfter);
  try {
    const text = await response.text();
    const json: unknown = response.status === 200 ? JSON.parse(text) : undefined;
    return { status: response.status, json, text, retryAfterMs };
  } catch (error) {
    return asNoAnswer(error);
  }
}

function asNoAnswer(error: unknown): Answer {
  return { status: 0, text: String(error) };
}

function asRecord(value: unknown): JobRecord {
  const record = value as JobRecord;
  if (typeof record?.id === "string" && typeof record.status === "string") return record;
  throw new JobError("the answer is no job record");
}

/** Some services answer an object that holds the stream. */
function chunksIn(answer: unknown): readonly { readonly output: unknown }[] {
  const chunks = Array.isArray(answer) ? answer : (answer as { readonly stream?: unknown }).stream;
  return Array.isArray(chunks) ? chunks : [];
}

function outputOf({ status, output, error }: JobRecord): unknown {
  if (status === "COMPLETED") return output;
  throw new JobError(`the job is ${status}: ${JSON.stringify(error ?? "no cause was told")}`);
}
