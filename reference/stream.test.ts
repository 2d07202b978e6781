import { describe, expect, test } from "vitest";

import { isJsonObject } from "./behaviour/submission.ts";
import { planWork, textChunk } from "./handler.ts";
import type { WorkPlan } from "./handler.ts";
import type { JsonObject } from "./job.ts";
import { splitChunk } from "./stream.ts";
import { createRig } from "../test/rig.ts";

const context = { jobId: "j", attempt: 1, s3Config: undefined };

function chunkOf(plan: WorkPlan, index: number): JsonObject {
  const chunk = plan.chunkAt(index);
  if (!isJsonObject(chunk)) throw new Error("the chunk is no object");
  return chunk;
}

describe("splitting a chunk", () => {
  test.each([1, 64, 65, 999_936, 999_937, 1_000_000, 2_500_001])(
    "keeps %d characters of text, in pieces of at most 1 MB of JSON",
    (length) => {
      const plan = planWork({ op: "text", bytes: length, chunks: 1, intervalMs: 0 }, context);
      const pieces = splitChunk(chunkOf(plan, 0), 1_000_000);

      const texts = pieces.map(({ text }) => String(text));
      expect(texts.join("")).toBe("abcdefghijklmnopqrstuvwxyz".repeat(100_000).slice(0, length));
      expect(pieces).toEqual(texts.map((text) => textChunk(text)));
      const sizes = pieces.map((piece) => JSON.stringify(piece).length);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000_000);
    },
  );

  test("leaves alone what is small enough or no text", () => {
    expect(splitChunk({ index: 3 }, 100)).toEqual([{ index: 3 }]);
    expect(splitChunk(textChunk("abc"), 1_000)).toEqual([textChunk("abc")]);
  });
});

describe("a streaming job", () => {
  test("yields its chunks at their times and ends with all of them as its output", async () => {
    const { submit, advance } = createRig();
    const job = submit({ op: "stream", count: 3, intervalMs: 10 });

    await advance(9);
    expect(job.chunks).toEqual([]);
    await advance(1);
    expect(job.chunks).toEqual([{ index: 0 }]);
    await advance(20);
    expect([job.status, job.chunks.length]).toEqual(["COMPLETED", 3]);
    expect(job.output).toEqual([{ index: 0 }, { index: 1 }, { index: 2 }]);
  });

  test("text of uneven length loses nothing between its pieces", () => {
    const plan = planWork({ op: "text", bytes: 100, chunks: 7, intervalMs: 0 }, context);
    const pieces = Array.from({ length: 7 }, (_, index) => String(chunkOf(plan, index)["text"]));
    expect(pieces.join("")).toBe("abcdefghijklmnopqrstuvwxyz".repeat(4).slice(0, 100));
  });
});
