import type { Endpoint } from "../endpoint.ts";
import type { Job } from "../job.ts";
import type { Delivery } from "../webhooks.ts";

/** Changes that were reported and are not written yet. */
export class Batch {
  readonly facts = new Map<string, string>();
  readonly endpoints = new Set<Endpoint>();
  readonly removed = new Set<Endpoint>();
  readonly jobs = new Map<Job, Endpoint>();
  readonly deliveries = new Map<Delivery, Endpoint>();

  get isEmpty(): boolean {
    const { facts, endpoints, removed, jobs, deliveries } = this;
    return [facts, endpoints, removed, jobs, deliveries].every(({ size }) => size === 0);
  }

  /** Splits the batch into parts, each of which can be written by itself, one after the other. */
  *parts(): Generator<Batch> {
    for (const [name, value] of this.facts) yield Batch.of(({ facts }) => facts.set(name, value));
    for (const endpoint of this.endpoints) yield Batch.of((part) => part.endpoints.add(endpoint));
    for (const [job, endpoint] of this.jobs) {
      yield Batch.of((part) => {
        part.jobs.set(job, endpoint);
        // The endpoint's counters and clock belong to the same moment as the job.
        part.endpoints.add(endpoint);
      });
    }
    for (const [delivery, endpoint] of this.deliveries) {
      yield Batch.of(({ deliveries }) => deliveries.set(delivery, endpoint));
    }
    for (const endpoint of this.removed) yield Batch.of(({ removed }) => removed.add(endpoint));
  }

  add(other: Batch): void {
    for (const [name, value] of other.facts) this.facts.set(name, value);
    for (const endpoint of other.endpoints) this.endpoints.add(endpoint);
    for (const endpoint of other.removed) this.removed.add(endpoint);
    for (const [job, endpoint] of other.jobs) this.jobs.set(job, endpoint);
    for (const [delivery, endpoint] of other.deliveries) this.deliveries.set(delivery, endpoint);
  }

  private static of(fill: (part: Batch) => void): Batch {
    const part = new Batch();
    fill(part);
    return part;
  }
}
