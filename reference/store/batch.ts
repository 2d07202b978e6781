import type { Endpoint } from "../endpoint.ts";
import type { Job } from "../job.ts";
import type { Delivery } from "../webhooks.ts";

/** What was told and is not written yet. */
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

  /** The same in parts that can be written one after the other, each by itself. */
  *parts(): Generator<Batch> {
    for (const [name, value] of this.facts) yield Batch.of(({ facts }) => facts.set(name, value));
    for (const endpoint of this.endpoints) yield Batch.of((part) => part.endpoints.add(endpoint));
    for (const [job, endpoint] of this.jobs) {
      yield Batch.of((part) => {
        part.jobs.set(job, endpoint);
        // Its counters and its clock belong to the same moment.
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
