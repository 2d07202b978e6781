import type { ServerResponse } from "node:http";

import type { Job } from "./job.ts";

/** A smaller answer fits into the buffers of the network, whether its client reads it or not. */
const LARGE_CHARACTERS = 65_536;
/** How long a client may take to read a large answer: a while, and a second for each megabyte. */
const READING_MS = { least: 10_000, perMegabyte: 1_000 };
/** Large answers wait for others to be read while so much lies unread. */
const UNREAD_CHARACTERS_MAX = 150_000_000;

/** Large answers that their clients have not read yet. */
class UnreadAnswers {
  #characters = 0;
  /** Jobs of which an answer was large. */
  readonly #large = new WeakSet<Job>();
  #waiting: (() => void)[] = [];

  /** Resolves when an answer about this job may take memory: at once, but for a large one while much is unread. */
  async room(job: Job | undefined): Promise<void> {
    if (job === undefined || !this.#large.has(job)) return;
    while (this.#isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  get #isFull(): boolean {
    return this.#characters >= UNREAD_CHARACTERS_MAX;
  }

  /** Counts an answer until it is read, and gives up one that is not read in time, so that it does not stay in memory. */
  add(
    response: ServerResponse,
    { length }: Pick<string | Buffer, "length">,
    job: Job | undefined,
  ): void {
    if (length < LARGE_CHARACTERS) return;
    if (job !== undefined) this.#large.add(job);
    this.#characters += length;
    const withinMs = READING_MS.least + (length / 1_000_000) * READING_MS.perMegabyte;
    const timer = setTimeout(() => response.destroy(), withinMs);
    response.once("close", () => {
      clearTimeout(timer);
      this.#characters -= length;
      for (const go of this.#waiting.splice(0)) go();
    });
  }
}

/** Those of this process: memory is what they share. */
export const unreadAnswers = new UnreadAnswers();
