import { createHash } from "node:crypto";

import type { JsonObject } from "./job.ts";

/** What the conformance handler does with one input, as data: the scheduler turns it into timers. */
export interface WorkPlan {
  readonly endsAfterMs: number;
  readonly ending: HandlerEnding;
  readonly chunkCount: number;
  /** Time between two chunks; chunk i comes at (i + 1) intervals after the start. */
  readonly chunkIntervalMs: number;
  readonly chunkAt: (index: number) => unknown;
}

export type HandlerEnding =
  | { readonly kind: "returned"; readonly output: () => unknown }
  | { readonly kind: "raised"; readonly message: string; readonly output?: unknown }
  | { readonly kind: "died" };

/** What a worker tells of its job while it works on it. */
export interface WorkReport {
  /** A chunk the handler yielded; `isLast` where that is known beforehand. */
  chunk(output: unknown, isLast: boolean): void;
  /** A progress update. */
  progress(output: unknown): void;
  ended(ending: HandlerEnding): void;
}

/** A worker's work on one job. */
export interface Work {
  /** Ends it; what it still reports means nothing. */
  stop(): void;
}

/** A job as a handler gets it, without its input. */
export interface WorkContext {
  readonly jobId: string;
  readonly attempt: number;
  readonly s3Config: JsonObject | undefined;
}

/** Bounds that keep one input from filling the memory of the whole server, or a row of its state file. */
const CHUNKS_MAX = 1_000_000;
const TEXT_BYTES_MAX = 67_108_864;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz";

/**
 * The conformance handler, version 1 (docs/test-my-server.md#the-conformance-handler). It never throws: what it raises
 * is an ending.
 */
export function planWork(input: JsonObject, context: WorkContext): WorkPlan {
  const operation = typeof input["op"] === "string" ? operations.get(input["op"]) : undefined;
  return operation === undefined
    ? raising(`unknown op: ${JSON.stringify(input["op"]) ?? "absent"}; ${howToGiveOne}`)
    : operation(input, context);
}

/** What somebody reads whose inputs are those of a handler of their own. */
const howToGiveOne = "`queueproof serve --handler FILE` works on inputs of your own";

const operations = new Map<string, (input: JsonObject, context: WorkContext) => WorkPlan>([
  ["echo", (input) => returning({ value: input["value"] ?? null })],
  ["sleep", sleep],
  ["fail", (input) => raising(typeof input["message"] === "string" ? input["message"] : "failed")],
  ["flaky", flaky],
  ["crash", () => ending({ kind: "died" })],
  ["stream", stream],
  ["text", text],
  ["whoami", (_input, context) => returning(describe(context))],
]);

function sleep({ ms, value }: JsonObject): WorkPlan {
  if (!isCount(ms)) return raising("sleep: ms is not an integer of 0 or more");
  return { ...returning({ value: value ?? null }), endsAfterMs: ms };
}

function flaky({ failures, value }: JsonObject, { attempt }: WorkContext): WorkPlan {
  if (!isCount(failures)) return raising("flaky: failures is not an integer of 0 or more");
  if (attempt <= failures) return raising(`flaky: attempt ${attempt} of ${failures} that fail`);
  return returning({ value: value ?? null, attempt });
}

function stream({ count, intervalMs }: JsonObject): WorkPlan {
  if (!isCount(count) || count > CHUNKS_MAX)
    return raising("stream: count is not a usable integer");
  if (!isCount(intervalMs)) return raising("stream: intervalMs is not an integer of 0 or more");
  return yielding(count, intervalMs, (index) => ({ index }));
}

function text({ bytes, chunks, intervalMs }: JsonObject): WorkPlan {
  if (!isCount(bytes) || bytes > TEXT_BYTES_MAX)
    return raising("text: bytes is not a usable integer");
  if (!isCount(chunks) || chunks > CHUNKS_MAX)
    return raising("text: chunks is not a usable integer");
  if (!isCount(intervalMs)) return raising("text: intervalMs is not an integer of 0 or more");

  const boundary = (index: number): number => Math.floor((bytes * index) / chunks);
  return yielding(chunks, intervalMs, (index) =>
    textChunk(alphabetFrom(boundary(index), boundary(index + 1))),
  );
}

/** The shape of one yielded piece of text; a split piece has the same. */
export function textChunk(piece: string): JsonObject {
  return { text: [piece], input_tokens: 0, output_tokens: piece.length };
}

/** The characters from `start` up to `end` of the endlessly repeated alphabet. */
function alphabetFrom(start: number, end: number): string {
  const shift = start % ALPHABET.length;
  const length = end - start;
  return ALPHABET.repeat(Math.ceil((shift + length) / ALPHABET.length)).slice(
    shift,
    shift + length,
  );
}

function describe({ jobId, attempt, s3Config }: WorkContext): JsonObject {
  return { jobId, attempt, s3: s3Config === undefined ? null : describeStorage(s3Config) };
}

/** The secret is shown as its hash: enough to prove that it arrived. */
function describeStorage(s3Config: JsonObject): JsonObject {
  const { accessId, bucketName, endpointUrl, accessSecret } = s3Config;
  const accessSecretSha256 =
    typeof accessSecret === "string"
      ? createHash("sha256").update(accessSecret).digest("hex")
      : undefined;
  return { accessId, bucketName, endpointUrl, accessSecretSha256 };
}

function ending(how: HandlerEnding): WorkPlan {
  return { endsAfterMs: 0, ending: how, chunkCount: 0, chunkIntervalMs: 0, chunkAt: () => ({}) };
}

function returning(output: unknown): WorkPlan {
  return ending({ kind: "returned", output: () => output });
}

export function raising(message: string): WorkPlan {
  return ending({ kind: "raised", message });
}

function yielding(count: number, intervalMs: number, chunkAt: WorkPlan["chunkAt"]): WorkPlan {
  return {
    endsAfterMs: count * intervalMs,
    ending: {
      kind: "returned",
      output: () => Array.from({ length: count }, (_, index) => chunkAt(index)),
    },
    chunkCount: count,
    chunkIntervalMs: intervalMs,
    chunkAt,
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
