import { setTimeout as pause } from "node:timers/promises";

import type { Tier } from "../../openapi/index.ts";
import { makesJob } from "../sent-load.ts";
import type { LoadEndpoint } from "./endpoint.ts";

/** How many more jobs there are than before, and how many more were accepted. */
export interface CreatedJobs {
  readonly accepted: number;
  readonly more: number;
}

/** How long the counts of health may take to follow. */
const followMsMax = 3_000;
const followEveryMs = 20;

/** Whether the burst of an operation shows what its refused requests make: on the endpoint that all checks share. */
export function countsJobs({ access: { isFresh } }: LoadEndpoint, { operation }: Tier): boolean {
  return !isFresh && makesJob(operation);
}

/** Counts by health what jobs come to be, beside those that were accepted, whoever sent them. */
export class JobCount {
  readonly #endpoint: LoadEndpoint;
  #total = 0;
  #accepted = 0;

  constructor(endpoint: LoadEndpoint) {
    this.#endpoint = endpoint;
  }

  async begin(): Promise<void> {
    this.#accepted = this.#endpoint.usage.acceptedJobs;
    this.#total = await totalOf(this.#endpoint);
  }

  /** What came since, once it is what was accepted or had time enough to become it. */
  async end(): Promise<CreatedJobs> {
    const giveUpMs = performance.now() + (this.#endpoint.access.isVirtual ? 0 : followMsMax);
    for (;;) {
      const more = (await totalOf(this.#endpoint)) - this.#total;
      const accepted = this.#endpoint.usage.acceptedJobs - this.#accepted;
      if (more === accepted || performance.now() >= giveUpMs) return { accepted, more };
      await pause(followEveryMs);
    }
  }
}

/** How many jobs there are or have been; counters need not start at 0. */
async function totalOf(endpoint: LoadEndpoint): Promise<number> {
  const { completed, failed, inProgress, inQueue } = (await endpoint.health()).jobs;
  return completed + failed + inProgress + inQueue;
}
