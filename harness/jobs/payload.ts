import type { Answer, Exchange } from "../../client/index.ts";
import { Inconclusive } from "../outcome.ts";
import { answerOf } from "../read.ts";

const head = '{"input":{"op":"whoami","padding":"';
const tail = '"}}';

/**
 * Makes large submissions in one buffer: each overwrites the one before, which has to be answered by then. The output
 * of their jobs is short, whatever their size: the handler ignores the padding.
 */
export class Payloads {
  #buffer = Buffer.alloc(0);

  /** A submission of exactly so many bytes. */
  plain(bytes: number): Buffer {
    return this.#padded(bytes, "x");
  }

  /** The same with characters of two bytes, so that it has more bytes than characters. */
  wide(bytes: number): Buffer {
    const payload = this.#padded(bytes, "é");
    const paddingBytes = bytes - head.length - tail.length;
    // A character must not be cut in half.
    if (paddingBytes % 2 === 1) payload.write("x", bytes - tail.length - 1);
    return payload;
  }

  /** A submission of so many bytes, of which nearly half are white space outside its input. */
  spaced(bytes: number): Buffer {
    const payload = this.#padded(bytes, "x");
    const inputEnd = Math.ceil(bytes / 2);
    payload.fill(" ", inputEnd);
    payload.write('"}', inputEnd);
    payload.write("}", bytes - 1);
    return payload;
  }

  #padded(bytes: number, character: string): Buffer {
    if (this.#buffer.length < bytes) this.#buffer = Buffer.allocUnsafeSlow(bytes);
    const payload = this.#buffer.subarray(0, bytes);
    payload.fill(character, head.length, bytes - tail.length);
    payload.write(head);
    payload.write(tail, bytes - tail.length);
    return payload;
  }
}

/**
 * Returns the answer to a payload over the limit. A server may refuse it before all of it has come, and close the
 * connection. If this side is still sending then, the answer can be lost, which is not the server's fault.
 * @throws Inconclusive where the connection was closed
 */
export function answerToOversized(exchange: Exchange): Answer {
  const { failure } = exchange;
  if (failure?.kind !== "unanswered") return answerOf(exchange);
  throw new Inconclusive(
    `${failure.message}: a refusal may have been lost while the payload was still being sent`,
  );
}
