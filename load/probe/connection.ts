import type { Socket } from "node:net";

import { openSocket } from "../../client/connect.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import type { StampedRequest } from "./request.ts";
import { ResponseParser } from "./response-parser.ts";
import type { ProbeAnswer } from "./response-parser.ts";

/** One request and what became of it; times are milliseconds of `performance.now()`. */
export interface ProbeExchange {
  /** When the last byte went out, or the first part of a request that was never sent whole. */
  readonly sentMs: number;
  /** When the first byte of the answer came; absent where none came. */
  readonly firstByteMs?: number;
  readonly answeredMs: number;
  readonly answer?: ProbeAnswer;
  /** Why there is no answer. */
  readonly failure?: string;
  /** The trace header by which the server's logs can be searched; undefined where the request carried none. */
  readonly traceparent?: string | undefined;
}

interface Pending {
  sentMs: number;
  /** Whether its last byte has been sent. */
  isWhole: boolean;
  readonly traceparent: string | undefined;
  readonly settle: (exchange: ProbeExchange) => void;
  firstByteMs: number | undefined;
}

/** A keep-alive connection with at most one request in flight. It never sends a request twice. */
export class ProbeConnection {
  readonly #origin: URL;
  readonly #rules: RequestRules;
  readonly #timeoutMs: number;
  #socket: Socket | undefined;
  #parser = new ResponseParser();
  #pending: Pending | undefined;
  /** One timer for all requests, restarted with each: much cheaper than a new one each time. */
  #timer: NodeJS.Timeout | undefined;

  constructor(origin: URL, rules: RequestRules, timeoutMs: number) {
    this.#origin = origin;
    this.#rules = rules;
    this.#timeoutMs = timeoutMs;
  }

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  /** Settles when bytes can be written. Rejects with the error of the socket. */
  async open(): Promise<void> {
    if (this.#socket !== undefined) return;
    const options = { timeoutMs: this.#timeoutMs, speaksHttp2: false };
    this.#adopt(await openSocket(this.#rules, this.#origin, options));
  }

  /** Writes the request and settles with what became of it; never rejects. */
  exchange(request: StampedRequest): Promise<ProbeExchange> {
    return this.#send(request, true);
  }

  /** Like `exchange`, but sends only a part that `complete` ends; an answer may come before that. */
  begin(request: StampedRequest): Promise<ProbeExchange> {
    return this.#send(request, false);
  }

  /** Writes the rest of a request that was begun; does nothing if it already has its answer. */
  complete(bytes: Buffer): void {
    const pending = this.#pending;
    if (pending === undefined || pending.isWhole) return;
    pending.sentMs = performance.now();
    pending.isWhole = true;
    this.#socket?.write(bytes);
  }

  #send({ bytes, traceparent }: StampedRequest, isWhole: boolean): Promise<ProbeExchange> {
    const socket = this.#socket;
    const sentMs = performance.now();
    if (socket === undefined) {
      return Promise.resolve({ sentMs, answeredMs: sentMs, failure: "the connection was closed" });
    }
    return new Promise((settle) => {
      this.#timer?.refresh();
      this.#pending = { sentMs, isWhole, traceparent, settle, firstByteMs: undefined };
      socket.write(bytes);
    });
  }

  /** Closes the connection; a request in flight fails. */
  close(): void {
    this.#fail("the connection was broken off by the probe");
  }

  #expire(): void {
    if (this.#pending !== undefined) this.#fail(`no answer within ${this.#timeoutMs} ms`);
  }

  #adopt(socket: Socket): void {
    this.#socket = socket;
    this.#parser = new ResponseParser();
    this.#timer = setTimeout(() => this.#expire(), this.#timeoutMs).unref();
    socket.on("data", (chunk) => this.#read(chunk));
    socket.once("end", () => this.#end());
    socket.once("error", (error) => this.#fail(error.message));
    socket.once("close", () => {
      if (this.#socket === socket) this.#fail("the connection was closed");
    });
  }

  #read(chunk: Buffer): void {
    const pending = this.#pending;
    if (pending === undefined) return this.#fail("bytes came that nothing asked for");
    pending.firstByteMs ??= performance.now();
    try {
      const answer = this.#parser.push(chunk);
      if (answer !== undefined) this.#settle(pending, answer);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  #end(): void {
    const answer = this.#parser.end();
    if (answer !== undefined && this.#pending !== undefined) this.#settle(this.#pending, answer);
    this.#fail("the connection was closed");
  }

  #settle(pending: Pending, answer: ProbeAnswer): void {
    const { sentMs, isWhole, firstByteMs, traceparent, settle } = pending;
    this.#pending = undefined;
    // A server that still waits for the end of this request may misread the next one.
    if (!answer.keepsAlive || !isWhole) this.#drop();
    const answeredMs = performance.now();
    settle({ sentMs, firstByteMs: firstByteMs ?? answeredMs, answeredMs, answer, traceparent });
  }

  #fail(failure: string): void {
    this.#drop();
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    const { sentMs, firstByteMs, traceparent, settle } = pending;
    const first = firstByteMs === undefined ? {} : { firstByteMs };
    settle({ sentMs, ...first, answeredMs: performance.now(), failure, traceparent });
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    clearTimeout(this.#timer);
    socket?.destroy();
  }
}
