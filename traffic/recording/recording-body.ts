import type { RecordedBody } from "./recorded-exchange.ts";

const bodyBytesMax = 64_000_000;

/** Gathers a body while it passes, up to a bound. */
export class RecordingBody {
  readonly #bytesMax: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(bytesMax = bodyBytesMax) {
    this.#bytesMax = bytesMax;
  }

  add(bytes: Buffer): void {
    const room = this.#bytesMax - this.#bytes;
    if (bytes.length > room) this.#isCut = true;
    const kept = bytes.length > room ? bytes.subarray(0, room) : bytes;
    if (kept.length > 0) this.#pieces.push(kept);
    this.#bytes += kept.length;
  }

  /** @param isWhole whether all of it came */
  recorded(isWhole: boolean): RecordedBody {
    return {
      bytes: Buffer.concat(this.#pieces),
      kind: isWhole && !this.#isCut ? "whole" : "cut",
    };
  }
}
