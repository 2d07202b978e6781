import type { Job, JsonObject } from "../job.ts";

/** How a stream is read (docs/specification.md#stream-response). */
export interface StreamBehaviour {
  /** A chunk's size is that of the JSON of its `output`. */
  readonly chunkBytesMax: number;
  /** Keeps what the handler yielded, already split; `isLast` marks the last piece of the last yield. */
  readonly keep: (job: Job, chunk: unknown, isLast: boolean) => void;
  /** Takes what a read of the stream answers. */
  readonly take: (job: Job) => readonly unknown[];
  readonly metrics: (index: number) => JsonObject;
  readonly element: (output: unknown, metrics: JsonObject) => unknown;
}

export const stream: StreamBehaviour = {
  chunkBytesMax: 1_000_000,
  keep: (job, chunk) => void job.chunks.push(chunk),
  take: (job) => {
    const unread = job.chunks.slice(job.chunksRead);
    job.chunksRead = job.chunks.length;
    return unread;
  },
  metrics: (index) => ({ stream_index: index }),
  element: (output, metrics) => ({ output, metrics }),
};
