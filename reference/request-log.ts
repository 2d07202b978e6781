import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** A request of the job API, as the page and `serve --verbose` show it; keys are left out. */
export interface LoggedRequest {
  /** Counts from 1. */
  readonly number: number;
  /** When it came, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The beginning of its body, as far as that was read. */
  body: string;
  /** Absent until it is answered, and where its client broke it off before. */
  status: number | undefined;
  /** Whether its client broke it off before it was answered. */
  isBrokenOff: boolean;
  durationMs: number | undefined;
  /** The beginning of the answer's body; empty for one that is streamed. */
  answer: string;
}

/** What a table shows of a request. */
export type RequestRow = Omit<LoggedRequest, "headers" | "body" | "answer">;

const requestsKept = 500;
const charactersKept = 2000;

const notShown = "(not shown: it may hold s3Config)";
/** A name of a member with an escape in it, which may be any name. */
const escapedName = /"[^"]*\\u[^"]*"\s*:/;

/** The latest requests of a server's job API. */
export class RequestLog {
  readonly #kept: LoggedRequest[] = [];
  readonly #logged = new WeakMap<object, LoggedRequest>();
  readonly #onEnd: (request: LoggedRequest) => void;
  #count = 0;
  #brokenOff = 0;

  /** @param onEnd called with every request that was answered or broken off */
  constructor(onEnd: (request: LoggedRequest) => void = () => {}) {
    this.#onEnd = onEnd;
  }

  /** How many requests were broken off by their clients before they were answered. */
  get brokenOff(): number {
    return this.#brokenOff;
  }

  /** The latest ones whose method, path or status holds a text, the last one first. */
  latest(count: number, text = ""): readonly RequestRow[] {
    const found = this.#kept.filter(({ method, path, status }) =>
      `${method} ${path} ${status ?? "broken off"}`.includes(text),
    );
    return found
      .slice(-count)
      .toReversed()
      .map(({ headers: _headers, body: _body, answer: _answer, ...row }) => row);
  }

  find(number: number): LoggedRequest | undefined {
    return this.#kept.find((each) => each.number === number);
  }

  /** Has to be called before the server listens. */
  watch(app: FastifyInstance): void {
    app.addHook("onRequest", async (request) => this.#begin(request));
    app.addHook("onSend", async (request, _reply, payload) => this.#keepAnswer(request, payload));
    app.addHook("onResponse", async (request, reply) => this.#end(request, reply));
    app.addHook("onRequestAbort", async (request) => this.#end(request, undefined));
  }

  /** Keeps the beginning of a body, but for one that may hold storage settings, which are a secret. */
  noteBody(request: FastifyRequest, body: Buffer): void {
    const logged = this.#logged.get(request);
    if (logged === undefined) return;
    const isSecret = body.includes('"s3Config"') || escapedName.test(body.toString("latin1"));
    logged.body = isSecret ? notShown : body.toString("utf8", 0, charactersKept);
  }

  #begin(request: FastifyRequest): void {
    if (!request.url.startsWith("/v2/")) return;
    this.#count += 1;
    const { authorization, ...headers } = request.headers;
    const logged: LoggedRequest = {
      number: this.#count,
      atMs: Date.now(),
      method: request.method,
      path: request.url.slice(0, charactersKept),
      headers: { ...headers, ...(authorization !== undefined && { authorization: "***" }) },
      body: "",
      status: undefined,
      isBrokenOff: false,
      durationMs: undefined,
      answer: "",
    };
    this.#logged.set(request, logged);
    this.#kept.push(logged);
    if (this.#kept.length > requestsKept) this.#kept.shift();
  }

  #keepAnswer(request: FastifyRequest, payload: unknown): unknown {
    const logged = this.#logged.get(request);
    if (logged !== undefined && typeof payload === "string") {
      logged.answer = payload.slice(0, charactersKept);
    }
    if (logged !== undefined && Buffer.isBuffer(payload)) {
      logged.answer = payload.toString("utf8", 0, charactersKept);
    }
    return payload;
  }

  #end(request: FastifyRequest, reply: FastifyReply | undefined): void {
    const logged = this.#logged.get(request);
    if (logged === undefined || logged.durationMs !== undefined) return;
    logged.durationMs = Date.now() - logged.atMs;
    logged.isBrokenOff = reply === undefined || !reply.raw.writableFinished;
    if (logged.isBrokenOff) this.#brokenOff += 1;
    else logged.status = reply?.statusCode;
    this.#onEnd(logged);
  }
}
