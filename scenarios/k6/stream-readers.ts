// Scenario: Does every reader of a stream get every chunk, in order, while the job still runs?
// Limits: no chunk lost or out of order, some read before the job's end, nothing refused, no 5xx.
// Cost: half a minute: 40 readers of 10 streams each, 400 jobs, some 5,200 requests.
import { sleep } from "k6";
import { Counter, Trend } from "k6/metrics";

import { valueAt } from "../../openapi/departures.ts";
import { bodyOf, iteration, call, settings, valueOf } from "./harness.ts";
import {
  isFinal,
  ownJobsUndone,
  stateIn,
  statusOf,
  streamingInput,
  submitWithRetries,
} from "./jobs.ts";

export { options, endSetup as setup } from "./harness.ts";

const streamsRead = new Counter("streams_read");
const streamsReadEarly = new Counter("streams_read_early");
const chunksRead = new Counter("chunks_read");
const chunksLost = new Counter("chunks_lost");
const readsOutOfOrder = new Counter("reads_out_of_order");
const firstChunk = new Trend("first_chunk", true);

export const read = iteration(() => {
  for (let round = 0; round < valueOf("rounds"); round += 1) readOne();
});

function readOne(): void {
  const count = valueOf("chunks");
  const sentMs = Date.now();
  const job = submitWithRetries(streamingInput(count, valueOf("intervalMs")));
  if (job === undefined) return;
  // Whether a read consumes the chunks is open, so what all reads saw together is judged.
  const seen = settings.own === undefined ? new NumberedChunks() : new CountedChunks();
  const endMs = sentMs + valueOf("longestMs");
  let wasEarly = false;
  let state: string | undefined;
  while (!isFinal(state) && Date.now() < endMs) {
    sleep(valueOf("pollMs") / 1_000);
    // The state is read before the stream, so that a read after the end gives all there is.
    state = stateIn(statusOf(job));
    const wasNone = seen.size === 0;
    if (!seen.gather(bodyOf(call("stream", { job })))) readsOutOfOrder.add(1);
    if (wasNone && seen.size > 0) firstChunk.add(Date.now() - sentMs);
    wasEarly ||= !isFinal(state) && seen.size > 0;
  }
  (isWhole(state) ? streamsRead : ownJobsUndone).add(1);
  if (wasEarly) streamsReadEarly.add(1);
  chunksRead.add(seen.size);
  chunksLost.add(Math.max(0, count - seen.size));
}

/** Whether the stream has all its chunks: of a job of the owner's that failed nobody knows how many it has. */
function isWhole(state: string | undefined): boolean {
  return settings.own === undefined ? isFinal(state) : state === "COMPLETED";
}

/** The chunks of a job that numbers them. */
class NumberedChunks {
  readonly #indexes = new Set<number>();

  get size(): number {
    return this.#indexes.size;
  }

  /** Adds those of one read, and tells whether they are in order. */
  gather(body: unknown): boolean {
    const indexes = indexesIn(body);
    for (const index of indexes) this.#indexes.add(index);
    return indexes.every((index, at) => at === 0 || index > (indexes[at - 1] ?? 0));
  }
}

/** The chunks of a job of the owner's, which may all look alike: no fewer were read than it has, that is all. */
class CountedChunks {
  #count = 0;

  get size(): number {
    return this.#count;
  }

  gather(body: unknown): boolean {
    this.#count += chunksIn(body).length;
    return true;
  }
}

function chunksIn(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [];
}

function indexesIn(body: unknown): readonly number[] {
  return chunksIn(body).flatMap((chunk) => {
    const index = valueAt(chunk, "output.index");
    return typeof index === "number" ? [index] : [];
  });
}
