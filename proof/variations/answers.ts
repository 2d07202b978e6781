import { inRecord, wholeAnswer } from "../faults/builders/answers.ts";
import { all } from "../faults/builders/compose.ts";
import { always, is } from "../faults/builders/conditions.ts";
import { instead, result } from "../faults/builders/member.ts";
import type { Job, JsonObject } from "../../reference/job.ts";
import { variation, type Variation } from "./variation.ts";

/** Permitted differences in the answers: further members, other success codes, other streams. */
export const answerVariations: readonly Variation[] = [
  variation("answers/further-members-everywhere", {
    describe:
      "Every object that is answered has further members, of names and values of all kinds.",
    change: () => ({ operations: { shape: (body) => withMore(body) } }),
  }),
  variation("answers/record-tells-the-submission", {
    describe: "A job's record also holds its input, its webhook, its attempt and its worker.",
    change: inRecord(
      ({ submission, attempt }) => ({
        input: submission.input,
        webhook: submission.webhook ?? "",
        policy: submission.policy,
        retries: attempt - 1,
        workerId: "w-1",
      }),
      always,
    ),
  }),
  variation("answers/unfinished-record-has-a-delay", {
    describe: "The record of a job in the queue already has a delayTime.",
    change: result("operations.delayMs", (ms) => ms ?? 0),
  }),
  variation("answers/running-record-has-no-times", {
    describe: "The record has delayTime and executionTime only once the job has ended.",
    change: instead("operations.delayMs", undefined, (job) => job.finishedAtMs === undefined),
  }),
  variation("answers/cancelled-record-has-no-times", {
    describe: "The record of a cancelled job has neither delayTime nor executionTime.",
    change: all(
      instead("operations.delayMs", undefined, is("CANCELLED")),
      instead("operations.executionMs", undefined, is("CANCELLED")),
    ),
  }),
  variation("answers/health-knows-more-workers", {
    describe: "health also tells workers that start, that are ready and that are throttled.",
    change: result("operations.healthAnswer", ({ jobs, workers }, { workersTotal }) => {
      const further = { initializing: 0, ready: workersTotal, throttled: 0, unhealthy: 0 };
      return { jobs, workers: { ...further, ...objectOf(workers) } };
    }),
  }),
  variation("answers/submission-is-accepted-not-ok", {
    describe: "run answers 201, retry and cancel 202, every other success 200.",
    change: () => ({
      operations: {
        successStatus: (operation) => {
          if (operation === "run") return 201;
          return operation === "retry" || operation === "cancel" ? 202 : 200;
        },
      },
    }),
  }),
  variation("answers/every-success-is-201", {
    describe: "Every success is a 201, of whatever operation.",
    change: () => ({ operations: { successStatus: () => 201 } }),
  }),
  variation("answers/bare-content-type", {
    describe: "The content type of every answer is application/json without a charset.",
    change: () => ({ operations: { contentType: () => "application/json" } }),
  }),
  variation("answers/content-type-in-other-letters", {
    describe: "The content type is written in capitals, with a quoted charset.",
    change: () => ({ operations: { contentType: () => 'Application/JSON;charset="UTF-8"' } }),
  }),
  variation("answers/stream-is-not-consumed", {
    describe: "Every read of a stream gives the whole array again.",
    shows: { "STRM-05": "the whole array again" },
    change: () => ({ stream: { take: (job) => [...job.chunks] } }),
  }),
  variation("answers/stream-metrics-are-empty", {
    describe: "The metrics of every chunk are an empty object.",
    change: () => ({ stream: { metrics: () => ({}) } }),
  }),
  variation("answers/stream-elements-have-more-members", {
    describe: "Stream elements tell an index besides output and metrics, and metrics are full.",
    change: () => ({
      stream: {
        metrics: (index) => ({
          avg_gen_throughput: 1.5,
          pending: 0,
          running: 1,
          scenario: "stream",
          stream_index: index,
          swapped: 0,
        }),
        element: (output, metrics) => ({ index: 0, final: false, output, metrics }),
      },
    }),
  }),
  variation("answers/stream-of-a-plain-job-is-its-output", {
    describe: "The stream of a completed job that yields nothing is one element with its output.",
    change: result("stream.take", (chunks, job) =>
      job.chunks.length === 0 && job.status === "COMPLETED" && !Array.isArray(job.output)
        ? [job.output]
        : chunks,
    ),
  }),
  variation("answers/stream-of-a-plain-job-is-any-array", {
    describe: "The stream of a job that does not stream is an array of other things than chunks.",
    change: wholeAnswer("stream", (body, job) => (isPlain(job) ? [1, "no chunk", null] : body)),
  }),
  variation("answers/small-chunks", {
    describe: "Chunks are split at 64 KB.",
    change: () => ({ stream: { chunkBytesMax: 65_536 } }),
  }),
  variation("answers/chunks-of-a-binary-megabyte", {
    describe: "Chunks are split at 1,048,576 bytes.",
    change: () => ({ stream: { chunkBytesMax: 1_048_576 } }),
  }),
  variation("answers/pretty-printed", {
    describe: "Every body is indented and ends with an empty line.",
    change: () => ({ transport: { serialise: (body) => `${JSON.stringify(body, null, 4)}\n\n` } }),
  }),
  variation("answers/ascii-alone", {
    describe: "Characters beyond ASCII are written as escapes, and slashes too.",
    change: () => ({ transport: { serialise: (body) => asciiOf(JSON.stringify(body)) } }),
  }),
];

function isPlain(job: Job | undefined): boolean {
  const op = job?.submission.input["op"];
  return op === "echo" || op === "fail";
}

function withMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => withMore(element));
  if (typeof value !== "object" || value === null) return value;
  const { output, input, ...own } = objectOf(value);
  const kept = { ...(output !== undefined && { output }), ...(input !== undefined && { input }) };
  const inner = Object.entries(own).map(([name, member]) => [name, withMore(member)] as const);
  return { ...more, ...Object.fromEntries(inner), ...kept };
}

const more: JsonObject = {
  "a-member": "text",
  flag: true,
  nested: { list: [1, null, { deep: "er" }] },
  nothing: null,
  ratio: 0.25,
  "\u{1F600} ": [],
};

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function asciiOf(text: string): string {
  return text.replaceAll("/", String.raw`\/`).replaceAll(/[\u0080-\uFFFF]/g, (unit) => {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return String.raw`\u${digits}`;
  });
}
