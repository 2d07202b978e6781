import { isJsonObject } from "../behaviour/submission.ts";
import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { isFinal } from "../transitions.ts";

/** The text of a chunk that has some. */
function textOf(chunk: unknown): string {
  const text: unknown = isJsonObject(chunk) ? chunk["text"] : undefined;
  const first: unknown = Array.isArray(text) ? text[0] : undefined;
  return typeof first === "string" ? first : "";
}

export const streamFaults: readonly Fault[] = [
  {
    name: "stream/elements-have-no-metrics",
    breaks: ["STRM-01"],
    describe: "An element of the stream has no metrics.",
    change: () => ({ stream: { element: (output) => ({ output }) } }),
  },
  {
    name: "stream/metrics-are-null",
    breaks: ["STRM-01"],
    describe: "The metrics of the first element are null.",
    change: ({ stream }) => ({
      stream: {
        element: (output, metrics) =>
          metrics["stream_index"] === 0
            ? { output, metrics: null }
            : stream.element(output, metrics),
      },
    }),
  },
  {
    name: "stream/output-of-text-is-a-string",
    breaks: ["STRM-01"],
    describe: "The output of an element with text is that text, not an object.",
    change: ({ stream }) => ({
      stream: {
        element: (output, metrics) =>
          textOf(output) !== ""
            ? { output: textOf(output), metrics }
            : stream.element(output, metrics),
      },
    }),
  },
  {
    name: "stream/array-is-wrapped",
    breaks: ["STRM-01"],
    describe: "stream answers an object with the state and the array.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          operation === "stream" ? { status: job?.status, stream: body } : body,
      },
    }),
  },
  {
    name: "stream/nothing-yet-is-an-object",
    breaks: ["STRM-01"],
    describe: "stream answers an empty object while there is no chunk.",
    change: () => ({
      operations: {
        shape: (body, { operation }) =>
          operation === "stream" && Array.isArray(body) && body.length === 0 ? {} : body,
      },
    }),
  },
  {
    name: "stream/last-chunk-is-lost",
    breaks: ["STRM-02"],
    describe: "The last chunk never arrives.",
    change: ({ stream }) => ({
      stream: {
        keep: (job, chunk, isLast) => {
          if (!isLast) stream.keep(job, chunk, isLast);
        },
      },
    }),
  },
  {
    name: "stream/newest-chunk-first",
    breaks: ["STRM-02"],
    describe: "A read gives its chunks with the newest first.",
    change: ({ stream }) => ({ stream: { take: (job) => stream.take(job).toReversed() } }),
  },
  {
    name: "stream/chunks-come-twice",
    breaks: ["STRM-02"],
    describe: "A read begins with the last chunk of the read before.",
    change: () => ({
      stream: {
        take: (job) => {
          const unread = job.chunks.slice(Math.max(0, job.chunksRead - 1));
          job.chunksRead = job.chunks.length;
          return unread;
        },
      },
    }),
  },
  {
    name: "stream/a-read-in-progress-loses-a-chunk",
    breaks: ["STRM-02"],
    describe: "A read of a job in progress that finds two chunks or more loses the last of them.",
    change: ({ stream }) => ({
      stream: {
        take: (job) => {
          const unread = stream.take(job);
          return job.status === "IN_PROGRESS" && unread.length > 1 ? unread.slice(0, -1) : unread;
        },
      },
    }),
  },
  {
    name: "stream/keeps-256-chunks",
    breaks: ["STRM-02"],
    describe: "A stream holds 256 chunks; what comes after them is lost.",
    change: ({ stream }) => ({
      stream: {
        keep: (job, chunk, isLast) => {
          if (job.chunks.length < 256) stream.keep(job, chunk, isLast);
        },
      },
    }),
  },
  {
    name: "stream/jobs-share-a-stream",
    breaks: ["STRM-02"],
    describe: "While jobs run side by side, every chunk goes to the one that yielded first.",
    change: ({ stream }) => {
      let first: Job | undefined;
      return {
        stream: {
          keep: (job, chunk, isLast) => {
            if (first === undefined || first.status !== "IN_PROGRESS") first = job;
            stream.keep(first, chunk, isLast);
          },
        },
      };
    },
  },
  {
    name: "stream/timed-out-job-has-no-stream",
    breaks: ["STRM-02"],
    describe: "The chunks of a job are dropped when it times out.",
    change: ({ stream }) => ({
      stream: { take: (job) => (job.status === "TIMED_OUT" ? [] : stream.take(job)) },
    }),
  },
  {
    name: "stream/large-text-is-not-split",
    breaks: ["STRM-03"],
    describe: "A chunk may have any size.",
    change: () => ({ stream: { chunkBytesMax: Number.MAX_SAFE_INTEGER } }),
  },
  {
    name: "stream/chunk-a-byte-too-large",
    breaks: ["STRM-03"],
    describe: "A chunk of 1048577 bytes is not split.",
    // A piece gets 64 bytes less for its frame, which is 54 bytes with a length of seven digits.
    change: () => ({ stream: { chunkBytesMax: 1_048_523 + 64 } }),
  },
  {
    name: "stream/frame-does-not-count",
    breaks: ["STRM-03"],
    describe: "Only the text of a chunk is held to 1 MB, not what stands around it.",
    change: () => ({ stream: { chunkBytesMax: 1_048_576 + 64 } }),
  },
  {
    name: "stream/what-is-too-large-is-cut-off",
    breaks: ["STRM-03"],
    describe: "Of a chunk that is split only the first piece is kept.",
    change: ({ stream }) => {
      const full = new WeakSet<Job>();
      return {
        stream: {
          keep: (job, chunk, isLast) => {
            if (!full.has(job)) stream.keep(job, chunk, isLast);
            if (textOf(chunk).length >= stream.chunkBytesMax - 64) full.add(job);
          },
        },
      };
    },
  },
  {
    name: "stream/pieces-lose-a-character",
    breaks: ["STRM-03"],
    describe: "Where a chunk is split, the next piece begins a character late.",
    change: ({ stream }) => {
      const isSplit = new WeakSet<Job>();
      return {
        stream: {
          keep: (job, chunk, isLast) => {
            const piece =
              isSplit.has(job) && isJsonObject(chunk)
                ? { ...chunk, text: [textOf(chunk).slice(1)] }
                : chunk;
            stream.keep(job, piece, isLast);
            if (textOf(chunk).length >= stream.chunkBytesMax - 64) isSplit.add(job);
            else isSplit.delete(job);
          },
        },
      };
    },
  },
  {
    name: "stream/nothing-before-the-end",
    breaks: ["STRM-04"],
    describe: "Chunks can be read only when the job has ended.",
    change: ({ stream }) => ({
      stream: { take: (job) => (isFinal(job.status) ? stream.take(job) : []) },
    }),
  },
  {
    name: "stream/one-chunk-late",
    breaks: ["STRM-04"],
    describe: "A chunk of a job in progress can be read only when the next one is there.",
    change: ({ stream }) => ({
      stream: {
        take: (job) => {
          if (isFinal(job.status)) return stream.take(job);
          const readable = job.chunks.slice(job.chunksRead, -1);
          job.chunksRead += readable.length;
          return readable;
        },
      },
    }),
  },
  {
    name: "stream/nothing-of-runsync-before-the-end",
    breaks: ["STRM-04"],
    describe: "Chunks of a runsync job can be read only when it has ended.",
    change: ({ stream }) => ({
      stream: {
        take: (job) => (job.submittedBy === "run" || isFinal(job.status) ? stream.take(job) : []),
      },
    }),
  },
  {
    name: "stream/second-read-gives-the-last-chunk",
    breaks: ["STRM-05"],
    describe: "Reading a finished stream again gives its last chunk alone.",
    change: ({ stream }) => ({
      stream: {
        take: (job) => {
          const isAgain = job.chunksRead > 0 && job.chunksRead === job.chunks.length;
          return isAgain && isFinal(job.status) ? job.chunks.slice(-1) : stream.take(job);
        },
      },
    }),
  },
];
