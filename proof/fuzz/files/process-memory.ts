import { growthBytesMax } from "../fuzz.ts";

/** The memory of this process when it was warm, and when it was last looked at. */
export class ProcessMemory {
  readonly #startedMs = performance.now();
  readonly #warmAfterMs: number;
  #warmBytes: number | undefined;
  #lastBytes = 0;

  constructor(warmAfterMs: number) {
    this.#warmAfterMs = warmAfterMs;
  }

  look(): void {
    this.#lastBytes = process.memoryUsage.rss();
    if (performance.now() - this.#startedMs >= this.#warmAfterMs) {
      this.#warmBytes ??= this.#lastBytes;
    }
  }

  get grew(): boolean {
    const warmBytes = this.#warmBytes ?? this.#lastBytes;
    // A process that has much collects it late.
    return this.#lastBytes - warmBytes > Math.max(growthBytesMax, warmBytes / 2);
  }

  get megabytes(): readonly number[] {
    return [this.#warmBytes ?? this.#lastBytes, this.#lastBytes].map((bytes) =>
      Math.round(bytes / 1e6),
    );
  }
}
