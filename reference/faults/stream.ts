import { stream } from "../behaviour/stream.ts";
import { isJsonObject } from "../behaviour/submission.ts";
import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { wholeAnswer } from "./builders/answers.ts";
import { both, hasEnded, is, isRunsync, isUnfinished } from "./builders/conditions.ts";
import { faultsOf } from "./builders/faults-of.ts";
import { override, remembering, result, whenever, where } from "./builders/member.ts";

/** Bugs in how the stream of a job is kept and read. */
export const streamFaults: readonly Fault[] = faultsOf({
  "stream/elements-have-no-metrics": {
    breaks: ["STRM-01"],
    describe: "An element of the stream has no metrics.",
    change: () => ({ stream: { element: (output) => ({ output }) } }),
  },
  "stream/metrics-are-null": {
    breaks: ["STRM-01"],
    describe: "The metrics of the first element are null.",
    change: result("stream.element", (element, output, metrics) =>
      metrics["stream_index"] === 0 ? { output, metrics: null } : element,
    ),
  },
  "stream/output-of-text-is-a-string": {
    breaks: ["STRM-01"],
    describe: "The output of an element with text is that text, not an object.",
    change: result("stream.element", (element, output, metrics) =>
      textOf(output) === "" ? element : { output: textOf(output), metrics },
    ),
  },
  "stream/array-is-wrapped": {
    breaks: ["STRM-01"],
    describe: "stream answers an object with the state and the array.",
    change: wholeAnswer("stream", (body, job) => ({ status: job?.status, stream: body })),
  },
  "stream/nothing-yet-is-an-object": {
    breaks: ["STRM-01"],
    describe: "stream answers an empty object while there is no chunk.",
    change: wholeAnswer("stream", (body) => (Array.isArray(body) && body.length === 0 ? {} : body)),
  },
  "stream/last-chunk-is-lost": {
    breaks: ["STRM-02"],
    describe: "The last chunk never arrives.",
    change: where("stream.keep", (_job, _chunk, isLast) => isLast, undefined),
  },
  "stream/newest-chunk-first": {
    breaks: ["STRM-02"],
    describe: "A read gives its chunks with the newest first.",
    change: result("stream.take", (chunks) => chunks.toReversed()),
  },
  "stream/chunks-come-twice": {
    breaks: ["STRM-02"],
    describe: "A read begins with the last chunk of the read before.",
    change: whenever(
      "stream.take",
      (job) => void (job.chunksRead = Math.max(0, job.chunksRead - 1)),
    ),
  },
  "stream/a-read-in-progress-loses-a-chunk": {
    breaks: ["STRM-02"],
    describe: "A read of a job in progress that finds two chunks or more loses the last of them.",
    change: result("stream.take", (chunks, { status }) =>
      status === "IN_PROGRESS" && chunks.length > 1 ? chunks.slice(0, -1) : chunks,
    ),
  },
  "stream/keeps-256-chunks": {
    breaks: ["STRM-02"],
    describe: "A stream holds 256 chunks; what comes after them is lost.",
    change: where("stream.keep", ({ chunks }) => chunks.length >= 256, undefined),
  },
  "stream/jobs-share-a-stream": {
    breaks: ["STRM-02"],
    describe: "While jobs run side by side, every chunk goes to the one that yielded first.",
    change: remembering(
      (): { first?: Job } => ({}),
      (memory) =>
        override("stream.keep", (keep) => (job, chunk, isLast) => {
          if (memory.first?.status !== "IN_PROGRESS") memory.first = job;
          keep(memory.first, chunk, isLast);
        }),
    ),
  },
  "stream/timed-out-job-has-no-stream": {
    breaks: ["STRM-02"],
    describe: "The chunks of a job are dropped when it times out.",
    change: where("stream.take", is("TIMED_OUT"), []),
  },
  "stream/large-text-is-not-split": {
    breaks: ["STRM-03"],
    describe: "A chunk may have any size.",
    change: () => ({ stream: { chunkBytesMax: Number.MAX_SAFE_INTEGER } }),
  },
  "stream/chunk-a-byte-too-large": {
    breaks: ["STRM-03"],
    describe: "A chunk of 1048577 bytes is not split.",
    // A piece gets 64 bytes less for its frame, which is 54 bytes with a length of seven digits.
    change: () => ({ stream: { chunkBytesMax: 1_048_523 + 64 } }),
  },
  "stream/frame-does-not-count": {
    breaks: ["STRM-03"],
    describe: "Only the text of a chunk is held to 1 MB, not what stands around it.",
    change: () => ({ stream: { chunkBytesMax: 1_048_576 + 64 } }),
  },
  "stream/what-is-too-large-is-cut-off": {
    breaks: ["STRM-03"],
    describe: "Of a chunk that is split only the first piece is kept.",
    change: remembering(
      () => new Set<Job>(),
      (full) =>
        override("stream.keep", (keep) => (job, chunk, isLast) => {
          if (!full.has(job)) keep(job, chunk, isLast);
          if (isFullPiece(chunk)) full.add(job);
        }),
    ),
  },
  "stream/pieces-lose-a-character": {
    breaks: ["STRM-03"],
    describe: "Where a chunk is split, the next piece begins a character late.",
    change: remembering(
      () => new Set<Job>(),
      (split) =>
        override("stream.keep", (keep) => (job, chunk, isLast) => {
          const isNext = split.delete(job) && isJsonObject(chunk);
          keep(job, isNext ? { ...chunk, text: [textOf(chunk).slice(1)] } : chunk, isLast);
          if (isFullPiece(chunk)) split.add(job);
        }),
    ),
  },
  "stream/nothing-before-the-end": {
    breaks: ["STRM-04"],
    describe: "Chunks can be read only when the job has ended.",
    change: where("stream.take", isUnfinished, []),
  },
  "stream/one-chunk-late": {
    breaks: ["STRM-04"],
    describe: "A chunk of a job in progress can be read only when the next one is there.",
    change: override("stream.take", (take) => (job) => {
      if (hasEnded(job)) return take(job);
      const readable = job.chunks.slice(job.chunksRead, -1);
      job.chunksRead += readable.length;
      return readable;
    }),
  },
  "stream/nothing-of-runsync-before-the-end": {
    breaks: ["STRM-04"],
    describe: "Chunks of a runsync job can be read only when it has ended.",
    change: where("stream.take", both(isRunsync, isUnfinished), []),
  },
  "stream/second-read-gives-the-last-chunk": {
    breaks: ["STRM-05"],
    describe: "Reading a finished stream again gives its last chunk alone.",
    change: override("stream.take", (take) => (job) => {
      const isAgain = job.chunksRead > 0 && job.chunksRead === job.chunks.length;
      return isAgain && hasEnded(job) ? job.chunks.slice(-1) : take(job);
    }),
  },
  "stream/keeps-64-chunks": {
    breaks: ["STRM-02", "STRM-03"],
    describe: "No more than 64 chunks of a job are kept.",
    change: where("stream.keep", ({ chunks }) => chunks.length >= 64, undefined),
  },
});

/** The text of a chunk that has some. */
function textOf(chunk: unknown): string {
  const text: unknown = isJsonObject(chunk) ? chunk["text"] : undefined;
  const first: unknown = Array.isArray(text) ? text[0] : undefined;
  return typeof first === "string" ? first : "";
}

/** Whether a chunk was split, and more of it comes. */
function isFullPiece(chunk: unknown): boolean {
  return textOf(chunk).length >= stream.chunkBytesMax - 64;
}
