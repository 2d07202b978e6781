// Scenario: Does every reader of a stream get every chunk, in order, while the job still runs?
// Limits: no chunk lost or out of order, some read before the job's end, nothing refused, no 5xx.
// Cost: half a minute: 40 readers of 10 streams each, 400 jobs, some 5,200 requests.
import { sleep } from "k6";
import { Counter, Trend } from "k6/metrics";

import { valueAt } from "../../openapi/departures.ts";
import { bodyOf, iteration, call, valueOf } from "./harness.ts";
import { isFinal, stateIn, statusOf, submitWithRetries } from "./jobs.ts";

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
  const job = submitWithRetries({ op: "stream", count, intervalMs: valueOf("intervalMs") });
  if (job === undefined) return;
  // Whether a read consumes the chunks is open, so what all reads saw together is judged.
  const seen = new Set<number>();
  const endMs = sentMs + 10 * count * valueOf("intervalMs") + 10_000;
  let wasEarly = false;
  let isOver = false;
  while (!isOver && Date.now() < endMs) {
    sleep(valueOf("pollMs") / 1_000);
    // The state is read before the stream, so that a read after the end gives all there is.
    isOver = isFinal(stateIn(statusOf(job)));
    if (seen.size === 0 && gather(job, seen) > 0) firstChunk.add(Date.now() - sentMs);
    else gather(job, seen);
    wasEarly ||= !isOver && seen.size > 0;
  }
  if (isOver) streamsRead.add(1);
  if (wasEarly) streamsReadEarly.add(1);
  chunksRead.add(seen.size);
  chunksLost.add(Math.max(0, count - seen.size));
}

/** Adds the indexes of one read to those seen, and returns how many the read gave. */
function gather(job: string, seen: Set<number>): number {
  const answer = call("stream", { job });
  const indexes = indexesIn(bodyOf(answer));
  if (indexes.some((index, at) => at > 0 && index <= (indexes[at - 1] ?? 0)))
    readsOutOfOrder.add(1);
  for (const index of indexes) seen.add(index);
  return indexes.length;
}

function indexesIn(body: unknown): readonly number[] {
  if (!Array.isArray(body)) return [];
  const chunks: readonly unknown[] = body;
  return chunks.flatMap((chunk) => {
    const index = valueAt(chunk, "output.index");
    return typeof index === "number" ? [index] : [];
  });
}
