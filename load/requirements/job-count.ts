import { setTimeout as pause } from "node:timers/promises";

import type { Tier } from "../../openapi/index.ts";
import { makesJob } from "../sent-load.ts";
import type { LoadEndpoint } from "./endpoint.ts";

/** How many jobs were accepted meanwhile, and how many more health shows. */
export interface CreatedJobs {
  readonly accepted: number;
  readonly more: number;
}

/** How long the counts of health may take to follow. */
const followMsMax = 3_000;
const followEveryMs = 20;

/** Whether jobs are counted during a burst: where the operation makes jobs and all checks share the endpoint. */
export function countsJobs({ access: { isFresh } }: LoadEndpoint, { operation }: Tier): boolean {
  return !isFresh && makesJob(operation);
}

/** Counts new jobs by health, and beside them the accepted submissions of all checks. */
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

  /** Returns both counts since `begin`, once they agree or have had enough time to. */
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
