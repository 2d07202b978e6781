import { isDeepStrictEqual } from "node:util";

import { bodyOf } from "../../client/parsed-body.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { answerOf, isSuccess, describeAnswer } from "../../harness/read.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { EndpointTime } from "../../harness/endpoint/time.ts";
import type { LooseRecord } from "../../harness/record.ts";

/** What one read of a stream gave: the `output` of each element. */
export type Outputs = readonly unknown[];

/** Reads outputs with as few demands as possible; `undefined` where the answer is no success with an array. */
export function outputsOf(exchange: Exchange): Outputs | undefined {
  const answer = answerOf(exchange);
  if (answer.status === 429) throw new Inconclusive("stream answered 429");
  const parsed = bodyOf(answer);
  if (!isSuccess(answer) || !parsed.ok || !Array.isArray(parsed.value)) return undefined;
  const elements: readonly unknown[] = parsed.value;
  return elements.map((element) =>
    typeof element === "object" && element !== null && "output" in element
      ? element.output
      : undefined,
  );
}

/**
 * Reads of one stream. Whether a read consumes what it gives is open (STRM-05): the chunks that came are all reads
 * joined where it does, and the last read where it does not.
 */
export class StreamReads {
  readonly #api: JobClient;
  readonly #id: string;
  readonly #reads: Outputs[] = [];
  #unreadable: string | undefined;

  constructor(api: JobClient, id: string) {
    this.#api = api;
    this.#id = id;
  }

  /** Reads once and returns the exchange. */
  async read(): Promise<Exchange> {
    const exchange = await this.#api.stream(this.#id);
    const outputs = outputsOf(exchange);
    if (outputs === undefined) this.#unreadable = describeAnswer(answerOf(exchange));
    else this.#reads.push(outputs);
    return exchange;
  }

  /** Why a read gave no array, where one did not. */
  get unreadable(): string | undefined {
    return this.#unreadable;
  }

  /** The chunks as they came where reads consume. */
  get joined(): Outputs {
    return this.#reads.flat();
  }

  /** The chunks that are known to have come, whether reads consume them or not. */
  get latest(): Outputs {
    return this.#readsGrow() ? (this.#reads.at(-1) ?? []) : this.joined;
  }

  /** Whether the reads gave exactly these chunks, each once and in order. */
  gaveExactly(chunks: Outputs): boolean {
    if (isDeepStrictEqual(this.joined, chunks)) return true;
    return this.#readsGrow() && isDeepStrictEqual(this.#reads.at(-1), chunks);
  }

  /** Reads until that many chunks have come, then once more to see any chunk too many. */
  async readAll(time: EndpointTime, chunkCount: number, withinMs = 0): Promise<void> {
    await this.readUntil(time, () => this.latest.length >= chunkCount, withinMs);
    await this.read();
  }

  /** Reads until enough has come, or the stream cannot be read. Where neither is so, the run looks whether the job has ended. */
  async readUntil(time: EndpointTime, isEnough: () => boolean, withinMs = 0): Promise<void> {
    const isOver = (): boolean => this.#unreadable !== undefined || isEnough();
    await time.until(async () => this.read(), isOver, withinMs);
    if (!isOver()) await this.#api.status(this.#id);
  }

  /** Whether each read begins with all that the one before gave, which is so where reads consume nothing. */
  #readsGrow(): boolean {
    return this.#reads.every((read, at) => {
      const before = this.#reads[at - 1] ?? [];
      return isDeepStrictEqual(read.slice(0, before.length), before);
    });
  }
}

/** What the stream of a finished job has to give. */
interface ExpectedStream {
  readonly count: number;
  /** How the job ended. */
  readonly record: LooseRecord;
  readonly at: string;
}

/**
 * Reads the stream of a finished job to its end. Records a difference unless all reads gave the chunks 0 … count − 1, or
 * what a job from a jobs file is to yield.
 */
export async function expectStreamGives(
  { expect, jobs, time }: Pick<CheckContext, "expect" | "jobs" | "time">,
  reads: StreamReads,
  { count, record, at }: ExpectedStream,
): Promise<void> {
  const atLeast = jobs.chunksAtLeast(count);
  await reads.readAll(time, atLeast);
  const isWhole = jobs.exact
    ? reads.gaveExactly(Array.from({ length: count }, (_, index) => ({ index })))
    : gaveOwnChunks(reads, record, atLeast);
  const expected = jobs.exact
    ? `chunks numbered from 0, ${count} in all, in order and once`
    : `${atLeast} chunks or more, each that the job yielded in order and once`;
  const got = reads.unreadable ?? JSON.stringify(reads.latest).slice(0, 200);
  expect.that(reads.unreadable === undefined && isWhole, { at, expected, got });
}

/**
 * Whether a stream gave at least as many chunks as the jobs file says. Where every chunk is an element of the job's
 * output, the output holds what was yielded, and the stream has to give exactly that.
 */
function gaveOwnChunks(reads: StreamReads, { output }: LooseRecord, atLeast: number): boolean {
  const yielded: readonly unknown[] = Array.isArray(output) ? output : [];
  const isYielded = (chunk: unknown): boolean =>
    yielded.some((one) => isDeepStrictEqual(one, chunk));
  return reads.latest.every((chunk) => isYielded(chunk))
    ? reads.gaveExactly(yielded) && yielded.length >= atLeast
    : reads.latest.length >= atLeast;
}

/** The `index` of every chunk in the text of a stream. */
export function indexesIn(text: string): readonly number[] {
  return [...text.matchAll(/"index"\s*:\s*(\d+)/g)].map(([, index]) => Number(index));
}
