import { chunkBytesMax } from "../../openapi/sizes.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import { submitJob } from "../../harness/jobs/fixtures.ts";
import { submitJobBy } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { StreamReads } from "./chunks.ts";
import type { Outputs } from "./chunks.ts";

const alphabet = "abcdefghijklmnopqrstuvwxyz";

/** Checks of large chunks (STRM-03). */
export const streamSizeChecks: readonly Check[] = [
  {
    name: "stream/chunks-around-1-mb",
    title:
      "pieces just under, at and just above 1 MB, in both readings of it, arrive whole in chunks of 1 MB at most",
    covers: ["STRM-03"],
    megabytes: 2,
    run: async (context) => {
      for (const jsonBytes of [999_999, 1_000_001, chunkBytesMax, chunkBytesMax + 1]) {
        await expectWhole(context, { bytes: charactersFor(jsonBytes), pieces: 1, by: "run" });
      }
      // The text alone has 1 MB, so that the chunk around it is larger.
      await expectWhole(context, { bytes: chunkBytesMax, pieces: 1, by: "run" });
    },
  },
  {
    name: "stream/chunks-of-many-mb",
    title: "pieces of several MB are split, and nothing of them is lost",
    covers: ["STRM-03"],
    megabytes: 7,
    run: async (context) => {
      // More than the 6 MB that an answer of some services may have.
      await expectWhole(context, { bytes: 6_666_667, pieces: 1, by: "run" });
      await expectWhole(context, { bytes: 2_400_007, pieces: 2, by: "runsync" });
      // Each of them is too large, the last ones as well.
      await expectWhole(context, { bytes: 5_500_003, pieces: 5, by: "run" });
    },
  },
  {
    name: "stream/chunks-below-1-mb",
    title:
      "many small pieces arrive whole and in order, each as it was yielded, equal and empty ones, too",
    covers: ["STRM-03", "STRM-02"],
    run: async (context) => {
      const pieces = 100;
      // Some pieces have no character; and each is the whole alphabet.
      for (const bytes of [60, pieces * alphabet.length]) {
        const { latest } = await expectWhole(context, { bytes, pieces, by: "run" });
        const at = `${pieces} pieces of ${bytes} characters`;
        const { expect } = context;
        expect.of("STRM-02").equal(latest.length, pieces, `chunks, ${at}`);
        expect.of("STRM-02").equal(latest, textsOf(latest).map(pieceOf), `their members, ${at}`);
      }
    },
  },
  {
    name: "stream/large-chunks-side-by-side",
    title:
      "large pieces of two jobs, read in turns while they are yielded, do not lose or mix anything",
    covers: ["STRM-03"],
    megabytes: 5,
    realTimeMs: 6000,
    endpoint: { workers: 2 },
    run: async (context) => {
      const { api, time } = context;
      const sizes = [1_100_000, 1_250_000];
      const jobs = [];
      for (const bytes of sizes) {
        const job = await submitJob(context, inputs.text(2 * bytes, 2, 1000));
        jobs.push({ bytes: 2 * bytes, reads: new StreamReads(api, job.id) });
      }
      await time.pass(1100);
      for (const { reads } of jobs) await reads.read();
      await time.pass(1100);
      for (const { bytes, reads } of jobs) {
        const at = `${bytes} characters beside another job`;
        await expectText(context, reads, { bytes, at });
      }
    },
  },
];

/** How many characters the text of a chunk has if its JSON is that large. */
function charactersFor(jsonBytes: number): number {
  const digits = String(jsonBytes - 64).length;
  const frame = JSON.stringify({ text: [""], input_tokens: 0, output_tokens: 0 }).length - 1;
  return jsonBytes - frame - digits;
}

interface Text {
  readonly bytes: number;
  readonly pieces: number;
  readonly by: SubmitOperation;
}

async function expectWhole(
  context: CheckContext,
  { bytes, pieces, by }: Text,
): Promise<StreamReads> {
  const job = await submitJobBy(context, inputs.text(bytes, pieces, 0), { by });
  const reads = new StreamReads(context.api, job.id);
  const at = `${bytes} characters in ${pieces} pieces`;
  await expectText(context, reads, { bytes, at });
  return reads;
}

/** A piece of text as the conformance handler yields it. */
function pieceOf(text: string): unknown {
  return { text: [text], input_tokens: 0, output_tokens: text.length };
}

/**
 * Reads until as many characters have come. Records a difference where a chunk is too large, or the chunks joined are not
 * the text that was asked for.
 */
async function expectText(
  context: CheckContext,
  reads: StreamReads,
  { bytes, at }: { readonly bytes: number; readonly at: string },
): Promise<void> {
  const expect = context.expect.of("STRM-03");
  const isWhole = (): boolean => charactersIn(textsOf(reads.latest)) >= bytes;
  await reads.readUntil(context.time, isWhole);
  if (reads.unreadable !== undefined) {
    expect.that(false, { at, expected: "an array of chunks", got: reads.unreadable });
    return;
  }
  const largest = Math.max(0, ...reads.latest.map((output) => jsonBytesOf(output)));
  expect.that(largest <= chunkBytesMax, {
    at,
    expected: `no chunk above ${chunkBytesMax} bytes of JSON`,
    got: `one of ${largest} bytes`,
  });
  const texts = textsOf(reads.latest);
  const characters = charactersIn(texts);
  const right = rightUpTo(texts);
  expect.that(characters === bytes && right === bytes, {
    at,
    expected: `${bytes} characters of the repeated alphabet`,
    got: `${characters} characters, right up to character ${right}`,
  });
}

function jsonBytesOf(output: unknown): number {
  return output === undefined ? 0 : Buffer.byteLength(JSON.stringify(output));
}

/** How many characters, counted from the first, are those of the repeated alphabet. */
function rightUpTo(texts: readonly string[]): number {
  let right = 0;
  for (const text of texts) {
    const from = right % alphabet.length;
    const lines = Math.ceil((from + text.length) / alphabet.length);
    const expected = alphabet.repeat(lines).slice(from, from + text.length);
    if (text !== expected) return right + sameCharacters(text, expected);
    right += text.length;
  }
  return right;
}

/** How many characters two texts have in common before the first that differs. */
function sameCharacters(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same;
}

function charactersIn(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** The strings of all text chunks; other chunks are left out. They are megabytes, and therefore not joined. */
function textsOf(outputs: Outputs): readonly string[] {
  return outputs
    .flatMap((output): readonly unknown[] => {
      if (typeof output !== "object" || output === null || !("text" in output)) return [];
      return Array.isArray(output.text) ? output.text : [];
    })
    .filter((part) => typeof part === "string");
}
