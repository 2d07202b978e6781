import { stream } from "../../reference/behaviour/stream.ts";
import { isJsonObject } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import { textChunk } from "../../reference/handler.ts";
import type { Job } from "../../reference/job.ts";
import { wholeAnswer } from "./builders/answers.ts";
import { fault, remembering } from "./builders/compose.ts";
import { both, is } from "./builders/conditions.ts";
import { atEvent } from "./builders/events.ts";
import { hasEnded, isRunsync, isUnfinished, hasStorage } from "./builders/jobs.ts";
import { except, instead, override, result, whenever } from "./builders/member.ts";

/** Bugs in how the stream of a job is kept and read. */
export const streamFaults: readonly Fault[] = [
  fault("stream/metrics-are-null", ["STRM-01"], {
    describe: "The metrics of the first element are null.",
    change: result("stream.element", (element, output, metrics) =>
      metrics["stream_index"] === 0 ? { output, metrics: null } : element,
    ),
  }),
  fault("stream/output-of-text-is-a-string", ["STRM-01"], {
    describe: "The output of an element with text is that text, not an object.",
    change: result("stream.element", (element, output, metrics) =>
      textOf(output) === "" ? element : { output: textOf(output), metrics },
    ),
  }),
  fault("stream/array-is-wrapped", ["STRM-01"], {
    describe: "stream answers an object with the state and the array.",
    change: wholeAnswer("stream", (body, job) => ({ status: job?.status, stream: body })),
  }),
  fault("stream/nothing-yet-is-an-object", ["STRM-01"], {
    describe: "stream answers an empty object while there is no chunk.",
    change: wholeAnswer("stream", (body) => (Array.isArray(body) && body.length === 0 ? {} : body)),
  }),
  fault("stream/last-chunk-is-lost", ["STRM-02"], {
    describe: "The last chunk never arrives.",
    change: instead("stream.keep", undefined, (_job, _chunk, isLast) => isLast),
  }),
  fault("stream/newest-chunk-first", ["STRM-02"], {
    describe: "A read gives its chunks with the newest first.",
    change: result("stream.take", (chunks) => chunks.toReversed()),
  }),
  fault("stream/chunks-come-twice", ["STRM-02"], {
    describe: "A read begins with the last chunk of the read before.",
    change: whenever(
      "stream.take",
      (job) => void (job.chunksRead = Math.max(0, job.chunksRead - 1)),
    ),
  }),
  fault("stream/a-read-in-progress-loses-a-chunk", ["STRM-02"], {
    describe: "A read of a job in progress that finds two chunks or more loses the last of them.",
    change: result("stream.take", (chunks, { status }) =>
      status === "IN_PROGRESS" && chunks.length > 1 ? chunks.slice(0, -1) : chunks,
    ),
  }),
  fault("stream/jobs-share-a-stream", ["STRM-02"], {
    describe: "While jobs run side by side, every chunk goes to the one that yielded first.",
    change: remembering<{ first?: Job }>({}, (memory) =>
      override("stream.keep", (keep) => (job, chunk, isLast) => {
        if (memory.first?.status !== "IN_PROGRESS") memory.first = job;
        keep(memory.first, chunk, isLast);
      }),
    ),
  }),
  fault("stream/timed-out-job-has-no-stream", ["STRM-02"], {
    describe: "The chunks of a job are dropped when it times out.",
    change: instead("stream.take", [], is("TIMED_OUT")),
  }),
  fault("stream/chunk-a-byte-too-large", ["STRM-03"], {
    describe: "A chunk of 1048577 bytes is not split.",

    // The text of a piece gets 64 bytes less than this; its frame takes 54 bytes where its length has seven digits.
    change: () => ({ stream: { chunkBytesMax: 1_048_523 + 64 } }),
  }),
  fault("stream/what-is-too-large-is-cut-off", ["STRM-03"], {
    describe: "Of a chunk that is split only the first piece is kept.",
    change: remembering(new Set<Job>(), (full) =>
      override("stream.keep", (keep) => (job, chunk, isLast) => {
        if (!full.has(job)) keep(job, chunk, isLast);
        if (isFullPiece(chunk)) full.add(job);
      }),
    ),
  }),
  fault("stream/pieces-lose-a-character", ["STRM-03"], {
    describe: "Where a chunk is split, the next piece begins a character late.",
    change: remembering(new Set<Job>(), (split) =>
      override("stream.keep", (keep) => (job, chunk, isLast) => {
        const isNext = split.delete(job) && isJsonObject(chunk);
        keep(job, isNext ? { ...chunk, text: [textOf(chunk).slice(1)] } : chunk, isLast);
        if (isFullPiece(chunk)) split.add(job);
      }),
    ),
  }),
  fault("stream/one-chunk-late", ["STRM-04"], {
    describe: "A chunk of a job in progress can be read only when the next one is there.",
    change: override("stream.take", (take) => (job) => {
      if (hasEnded(job)) return take(job);
      const readable = job.chunks.slice(job.chunksRead, -1);
      job.chunksRead += readable.length;
      return readable;
    }),
  }),
  fault("stream/nothing-of-runsync-before-the-end", ["STRM-04"], {
    describe: "Chunks of a runsync job can be read only when it has ended.",
    change: instead("stream.take", [], both(isRunsync, isUnfinished)),
  }),
  fault("stream/second-read-gives-the-last-chunk", ["STRM-05"], {
    describe: "Reading a finished stream again gives its last chunk alone.",
    change: override("stream.take", (take) => (job) => {
      const isAgain = job.chunksRead > 0 && job.chunksRead === job.chunks.length;
      return isAgain && hasEnded(job) ? job.chunks.slice(-1) : take(job);
    }),
  }),
  ...["cancel" as const, "retry" as const].flatMap((operation) => [
    fault(`stream/late-${operation}-takes-the-chunks`, ["STRM-02"], {
      describe: `A ${operation} of a completed job, which changes nothing else, clears its stream.`,
      change: atEvent(operation, forgetChunks, is("COMPLETED")),
    }),
    fault(`stream/late-${operation}-shows-the-chunks-again`, ["STRM-02"], {
      describe: `After a ${operation} of a completed job its stream begins anew.`,
      change: atEvent(operation, (job) => void (job.chunksRead = 0), is("COMPLETED")),
    }),
  ]),
  fault("stream/read-while-queued-stays-empty", ["STRM-02"], {
    describe: "A job whose stream was read while it waited shows no chunk.",
    change: remembering(new Set<Job>(), (early) =>
      override("stream.take", (take) => (job) => {
        if (job.status === "IN_QUEUE") early.add(job);
        return early.has(job) ? [] : take(job);
      }),
    ),
  }),
  fault("stream/text-has-no-counts", ["STRM-02"], {
    describe: "A chunk of text comes without its numbers of tokens.",
    change: override("stream.keep", (keep) => (job, chunk, isLast) => {
      keep(job, isJsonObject(chunk) && "text" in chunk ? { text: chunk["text"] } : chunk, isLast);
    }),
  }),
  fault("stream/texts-are-joined", ["STRM-02"], {
    describe: "Chunks of text that are read at once come as one.",
    change: result("stream.take", (chunks) => joined(chunks)),
  }),
  fault("stream/empty-text-is-left-out", ["STRM-02"], {
    describe: "A chunk whose text is empty never arrives.",
    change: instead(
      "stream.keep",
      undefined,
      (_job, chunk) => isJsonObject(chunk) && JSON.stringify(chunk["text"]) === '[""]',
    ),
  }),
  fault("stream/equal-chunks-come-once", ["STRM-02"], {
    describe: "A chunk that equals the one before it never arrives.",
    change: instead(
      "stream.keep",
      undefined,
      ({ chunks }, chunk) => JSON.stringify(chunks.at(-1)) === JSON.stringify(chunk),
    ),
  }),
  fault("stream/output-is-gone-once-streamed", ["STAT-02", "RUNA-04"], {
    describe: "Once its stream was read a job is shown without its output.",
    change: except("operations.showsOutput", ({ chunksRead }) => chunksRead > 0),
  }),
  fault("stream/acknowledged-webhook-takes-the-chunks", ["STRM-02"], {
    describe: "The stream of a completed job is empty once its webhook was acknowledged.",
    change: whenever("webhook.acknowledges", ({ job, status }) => {
      if (status === 200 && job.status === "COMPLETED") forgetChunks(job);
    }),
  }),
  fault("stream/of-a-job-with-storage-is-empty", ["STRM-02"], {
    describe: "The chunks of a job with an s3Config are not kept.",
    change: instead("stream.keep", undefined, hasStorage),
  }),
  fault("stream/answers-six-megabytes", ["STRM-03"], {
    describe: "Of chunks that are read at once those beyond 6 MB are lost.",
    change: result("stream.take", (chunks) => {
      let size = 0;
      return chunks.filter((chunk) => (size += JSON.stringify(chunk).length) <= 6_291_456);
    }),
  }),
  fault("stream/refused-retry-clears-the-stream", ["STRM-02"], {
    describe: "A retry that is refused, of a job in progress, clears its stream.",
    change: atEvent("retry", forgetChunks, is("IN_PROGRESS")),
  }),
  fault("stream/status-ttl-clears-the-stream", ["STRM-02"], {
    describe: "A ttl that status gives to a job in progress clears its stream.",
    change: whenever("operations.ttlEndsAtMs", (_ttl, job) => forgetChunks(job)),
  }),
  fault("stream/later-pieces-are-not-split", ["STRM-03"], {
    describe: "From the fourth chunk of a job on, what is too large is not split.",
    change: override("stream.keep", (keep) => (job, chunk, isLast) => {
      const last: unknown = job.chunks.at(-1);
      const isRest = job.chunks.length > 3 && textOf(last).length === fullPieceLength;
      if (isRest) job.chunks.pop();
      keep(job, isRest ? textChunk(textOf(last) + textOf(chunk)) : chunk, isLast);
    }),
  }),
  ...(
    [
      ["stream/index-is-text", { stream_index: "0" }],
      ["stream/scenario-is-a-number", { scenario: 1 }],
      ["stream/tokens-are-text", { output_tokens: "12" }],
    ] as const
  ).map(([name, members]) =>
    fault(name, ["STRM-01"], {
      describe: `The metrics of a chunk have ${JSON.stringify(members)}.`,
      change: result("stream.metrics", (metrics) => ({ ...metrics, ...members })),
    }),
  ),
];

/** How many characters a full piece of a chunk that was split has. */
const fullPieceLength = stream.chunkBytesMax - 64;

/** The first text of a chunk; empty where it has none. */
function textOf(chunk: unknown): string {
  const text: unknown = isJsonObject(chunk) ? chunk["text"] : undefined;
  const first: unknown = Array.isArray(text) ? text[0] : undefined;
  return typeof first === "string" ? first : "";
}

/** Whether a chunk is a full piece of a chunk that was split, so that more of it comes. */
function isFullPiece(chunk: unknown): boolean {
  return textOf(chunk).length >= fullPieceLength;
}

function forgetChunks(job: Job): void {
  job.chunks.length = 0;
  job.chunksRead = 0;
}

/** Chunks of text as one chunk, where that is small enough; other chunks as they are. */
function joined(chunks: readonly unknown[]): readonly unknown[] {
  if (!chunks.every((chunk) => isJsonObject(chunk) && "text" in chunk)) return chunks;
  if (chunks.length < 2) return chunks;
  const text = chunks
    .map((chunk) =>
      isJsonObject(chunk) && Array.isArray(chunk["text"]) ? String(chunk["text"][0]) : "",
    )
    .join("");
  if (text.length > 900_000) return chunks;
  return [{ text: [text], input_tokens: 0, output_tokens: text.length }];
}
