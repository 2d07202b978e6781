import type { Answer, Exchange } from "../../client/exchange.ts";
import type { JobInput } from "../inputs/jobs.ts";
import { Inconclusive } from "../outcome.ts";
import { answerOf } from "../read.ts";

const head = '{"input":{"op":"whoami","padding":"';
const tail = '"}}';
const space = " ";

/**
 * Makes large submissions in one buffer: each overwrites the one before, which has to be answered by then. The output
 * of the conformance handler's jobs is short, whatever their size: it ignores the padding. The input of a user's own
 * job is left as it is, with white space around it: another handler may refuse what it does not know.
 */
export class Payloads {
  readonly #own: string | undefined;
  #buffer = Buffer.alloc(0);

  /** @param own the input of a user's own job; absent where the workers run the conformance handler */
  constructor(own?: JobInput) {
    this.#own = own === undefined ? undefined : `{"input":${JSON.stringify(own)}`;
  }

  /** A submission of exactly so many bytes. */
  plain(bytes: number): Buffer {
    return this.#own === undefined ? this.#padded(bytes, "x") : this.#spacedOwn(bytes, this.#own);
  }

  /** The same with characters of two bytes, so that it has more bytes than characters; none are in a user's own job. */
  wide(bytes: number): Buffer {
    if (this.#own !== undefined) return this.#spacedOwn(bytes, this.#own);
    const payload = this.#padded(bytes, "é");
    const paddingBytes = bytes - head.length - tail.length;
    // A character must not be cut in half.
    if (paddingBytes % 2 === 1) payload.write("x", bytes - tail.length - 1);
    return payload;
  }

  /** A submission of so many bytes, of which nearly half are white space outside its input. */
  spaced(bytes: number): Buffer {
    if (this.#own !== undefined) return this.#spacedOwn(bytes, this.#own);
    const payload = this.#padded(bytes, "x");
    const inputEnd = Math.ceil(bytes / 2);
    payload.fill(space, inputEnd);
    payload.write('"}', inputEnd);
    payload.write("}", bytes - 1);
    return payload;
  }

  #spacedOwn(bytes: number, own: string): Buffer {
    const payload = this.#take(bytes).fill(space);
    payload.write(own);
    payload.write("}", bytes - 1);
    return payload;
  }

  #padded(bytes: number, character: string): Buffer {
    const payload = this.#take(bytes);
    payload.fill(character, head.length, bytes - tail.length);
    payload.write(head);
    payload.write(tail, bytes - tail.length);
    return payload;
  }

  #take(bytes: number): Buffer {
    if (this.#buffer.length < bytes) this.#buffer = Buffer.allocUnsafeSlow(bytes);
    return this.#buffer.subarray(0, bytes);
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
