import type { Job } from "./job.ts";
import type { Delivery } from "./webhooks.ts";

/**
 * Is told of everything that has to outlive the process. It looks at what it was told of only when it
 * writes, so that all changes of one instant are one write. `Owner` is the endpoint, which knows its journal.
 */
export interface Journal<Owner> {
  endpointChanged(endpoint: Owner): void;
  endpointRemoved(endpoint: Owner): void;
  /** A job is new, has changed or is deleted. */
  jobChanged(endpoint: Owner, job: Job): void;
  /** A webhook call is due, was tried or is over. */
  deliveryChanged(endpoint: Owner, delivery: Delivery): void;
  /**
   * Settles when everything it was told is written; undefined where nothing waits to be. It rejects
   * where that fails for this job, or for anything where none is named: then nothing may be told that
   * depends on it. A job that is new then is given up (`Endpoint.giveUp`); the rest is tried again.
   */
  written(job?: Job): Promise<void> | undefined;
}
