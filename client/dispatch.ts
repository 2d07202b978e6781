import type { Dispatcher } from "undici";

/** What came over a connection as the answer to one request. */
export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: ReceivedHeaders;
  readonly bytes: Buffer;
}

type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The answer was cut off, because it was longer than any answer may be. */
export class AnswerTooLarge extends Error {}

/**
 * Receives the answer to one request of an undici dispatcher. It implements undici's own handlers: a stream for each
 * body and a signal for each request would cost as much as the request.
 */
export class PendingAnswer implements Dispatcher.DispatchHandler {
  /** Rejects with what undici says of the connection, with what broke the request off, or with AnswerTooLarge. */
  readonly received: Promise<ReceivedAnswer>;
  readonly #bytesMax: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: ReceivedHeaders = {};
  #controller: Dispatcher.DispatchController | undefined;
  #brokenOffBy: Error | undefined;
  #resolve: (answer: ReceivedAnswer) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  /** An answer of more than `bytesMax` is cut off. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.received = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Breaks the request off, also before there is a connection: it is then not sent. */
  breakOff(error: Error): void {
    this.#brokenOffBy = error;
    this.#controller?.abort(error);
    this.#reject(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#brokenOffBy !== undefined) controller.abort(this.#brokenOffBy);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ReceivedHeaders,
  ): void {
    // Informational answers may come before it; the last one is the answer (RFC 9110, 15.2).
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#chunks.push(chunk);
    if (this.#bytes > this.#bytesMax) {
      controller.abort(new AnswerTooLarge(`an answer of more than ${this.#bytesMax} bytes`));
    }
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const isWhole = this.#chunks.length === 1 && first !== undefined;
    const bytes = isWhole ? first : Buffer.concat(this.#chunks, this.#bytes);
    this.#resolve({ status: this.#status, headers: this.#headers, bytes });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}
