import type { Job, JsonObject } from "../job.ts";

/** How a stream is read (docs/specification.md#stream-response). */
export const stream = {
  /** A chunk's size is that of the JSON of its `output`. */
  chunkBytesMax: 1_000_000,
  /** Keeps what the handler yielded, already split; `isLast` marks the last piece of the last yield. */
  keep: (job: Job, chunk: unknown, _isLast: boolean): void => void job.chunks.push(chunk),
  /** Takes what a read of the stream answers. */
  take: (job: Job): readonly unknown[] => {
    const unread = job.chunks.slice(job.chunksRead);
    job.chunksRead = job.chunks.length;
    return unread;
  },
  metrics: (index: number): JsonObject => ({ stream_index: index }),
  element: (output: unknown, metrics: JsonObject): unknown => ({ output, metrics }),
};
