import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import { askedFor, memberOf, placeOf } from "../recording/recorded-exchange.ts";
import type { OperationRoute, RecordedExchange } from "../recording/recorded-exchange.ts";
import type { SeenExchange } from "./seen-exchange.ts";
import type { SeenRequirements } from "./seen.ts";

// Whether every chunk arrives, in order and once (docs/specification.md#stream-response).

/** The chunks of one read, each as its text or the digest of that. */
interface StreamRead {
  readonly chunks: readonly string[];
  readonly seen: SeenExchange;
}

/** A job whose chunks are compared with its output, which holds them all where its handler aggregates. */
interface StreamedJob {
  readonly reads: StreamRead[];
  /** The elements of its output, and when they were known; absent: no end with an array was seen. */
  ended?: StreamEnd;
}

interface StreamEnd {
  readonly chunks: readonly string[];
  readonly answeredMs: number;
}

const jobsKept = 10_000;
const chunksOfJobMax = 10_000;
const charactersKept = 64;

/** Follows the streams of jobs that were submitted in the recording, of which nobody else reads any. */
export class KnownStreams {
  readonly #requirements: SeenRequirements;
  readonly #routes: readonly OperationRoute[];
  readonly #jobs = new Map<string, StreamedJob>();

  constructor(requirements: SeenRequirements, routes: readonly OperationRoute[]) {
    this.#requirements = requirements;
    this.#routes = routes;
  }

  observe(seen: SeenExchange): void {
    const { operation, endpointId, got, isSuccess } = seen;
    if (!isSuccess) return;
    const id = seen.jobId ?? memberOf(got, "id");
    if (typeof id !== "string") return;
    const key = `${endpointId} ${id}`;
    if (operation === "run") this.#submitted(key);
    const job = this.#jobs.get(key);
    if (job === undefined) return;
    // What came before belongs to an attempt that is over.
    if (operation === "retry") this.#jobs.delete(key);
    else if (operation === "stream") this.#read(key, job, seen);
    else if (operation === "status" && job.ended === undefined) noteEnd(job, seen);
  }

  /** A read whose answer is not known, which may have taken chunks along. */
  lost(recorded: RecordedExchange): void {
    const asked = askedFor(recorded, this.#routes);
    if (asked?.operation === "stream") this.#jobs.delete(`${asked.endpointId} ${asked.jobId}`);
  }

  /** Judges what only the whole recording shows. */
  end(): void {
    for (const job of this.#jobs.values()) this.#judge(job);
  }

  #submitted(key: string): void {
    this.#jobs.set(key, { reads: [] });
    const [oldest] = this.#jobs;
    if (this.#jobs.size <= jobsKept || oldest === undefined) return;
    this.#judge(oldest[1]);
    this.#jobs.delete(oldest[0]);
  }

  #read(key: string, job: StreamedJob, seen: SeenExchange): void {
    const { got } = seen;
    const known = job.reads.reduce((sum, { chunks }) => sum + chunks.length, 0);
    const before = job.reads.at(-1);
    // Of two reads at once either may have taken what the other lacks.
    const isBeside = before !== undefined && seen.sentAtMs < before.seen.answeredAtMs;
    if (!Array.isArray(got) || isBeside || known + got.length > chunksOfJobMax) {
      this.#jobs.delete(key);
      return;
    }
    job.reads.push({ chunks: got.map((each) => keyOf(memberOf(each, "output"))), seen });
  }

  #judge({ reads, ended }: StreamedJob): void {
    const last = reads.at(-1);
    if (ended === undefined || last === undefined || ended.chunks.length === 0) return undefined;
    if (holds(reads, ended.chunks)) return this.#requirements.held("STRM-02", "stream");
    const got = differenceOf(reads, ended);
    if (got === undefined) return undefined;
    return this.#requirements.broken("STRM-02", () => ({
      at: placeOf(last.seen.recorded),
      expected: `the ${ended.chunks.length} chunks of its output, in order and once`,
      got,
      evidence: reads.slice(-2).map(({ seen }) => seen.evidence()),
    }));
  }
}

function noteEnd(job: StreamedJob, { got, answeredAtMs }: SeenExchange): void {
  const output = memberOf(got, "output");
  if (memberOf(got, "status") !== "COMPLETED" || !Array.isArray(output)) return;
  if (output.length <= chunksOfJobMax) {
    job.ended = { chunks: output.map((each) => keyOf(each)), answeredMs: answeredAtMs };
  }
}

/** Whether nothing more is to come: after the end a read showed nothing, or the same as the one before it. */
function isReadToItsEnd(reads: readonly StreamRead[], endedMs: number): boolean {
  const [before, last] = reads.slice(-2);
  if (before === undefined || last === undefined || last.seen.sentAtMs < endedMs) return false;
  const isSame = before.seen.sentAtMs >= endedMs && isDeepStrictEqual(before.chunks, last.chunks);
  return last.chunks.length === 0 || isSame;
}

/** Whether reads show all, each what is new since the one before, or all of them what there is, anew. */
function holds(reads: readonly StreamRead[], wanted: readonly string[]): boolean {
  const came = reads.flatMap(({ chunks }) => chunks);
  const isShown = reads.some(({ chunks }) => isDeepStrictEqual(chunks, wanted));
  return isDeepStrictEqual(came, wanted) || (isShown && beginAnew(reads, wanted));
}

function beginAnew(reads: readonly StreamRead[], wanted: readonly string[]): boolean {
  return reads.every(({ chunks }) => isDeepStrictEqual(chunks, wanted.slice(0, chunks.length)));
}

/** What is wrong with the chunks that came; undefined where they are not those of the output, or not yet all. */
function differenceOf(
  reads: readonly StreamRead[],
  { chunks: wanted, answeredMs }: StreamEnd,
): string | undefined {
  const [before, last] = reads.slice(-2).map(({ chunks }) => chunks);
  const isShownAgain = last !== undefined && isDeepStrictEqual(before, last);
  const came = isShownAgain ? last : reads.flatMap(({ chunks }) => chunks);
  const all = new Set(wanted);
  if (came.length === 0 || came.some((chunk) => !all.has(chunk))) return undefined;
  const [counts, wantedCounts] = [countsOf(came), countsOf(wanted)];
  const isTwice = [...counts].some(([chunk, count]) => count > (wantedCounts.get(chunk) ?? 0));
  if (isTwice && !beginAnew(reads, wanted)) return `${came.length} chunks: some came twice`;
  if (!isReadToItsEnd(reads, answeredMs)) return undefined;
  const lost = [...wantedCounts].reduce(
    (sum, [chunk, count]) => sum + Math.max(0, count - (counts.get(chunk) ?? 0)),
    0,
  );
  if (lost > 0) return `${lost} of them never came`;
  return isTwice ? "no read shows all of them" : "them in another order";
}

function countsOf(chunks: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const chunk of chunks) counts.set(chunk, (counts.get(chunk) ?? 0) + 1);
  return counts;
}

function keyOf(chunk: unknown): string {
  const text = JSON.stringify(chunk) ?? "";
  return text.length <= charactersKept ? text : createHash("sha1").update(text).digest("base64");
}
