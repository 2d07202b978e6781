import type { Dispatcher } from "undici";

import { IncomingBytes } from "./incoming-bytes.ts";

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
  readonly #bytes: IncomingBytes;
  #status = 0;
  #headers: ReceivedHeaders = {};
  #controller: Dispatcher.DispatchController | undefined;
  #brokenOffBy: Error | undefined;
  #resolve: (answer: ReceivedAnswer) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  /** An answer of more than `bytesMax` is cut off. */
  constructor(bytesMax: number) {
    this.#bytes = new IncomingBytes(bytesMax);
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
    const excess = this.#bytes.add(chunk);
    if (excess !== undefined) controller.abort(new AnswerTooLarge(`an answer of ${excess}`));
  }

  onResponseEnd(): void {
    this.#resolve({ status: this.#status, headers: this.#headers, bytes: this.#bytes.take() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#bytes.take();
    this.#reject(error);
  }
}
