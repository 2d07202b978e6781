import { describe, expect, test, vi } from "vitest";

import { startEmulator, type Emulator } from "./emulator.ts";
import { pythonWithRunpod } from "./python.ts";
import { startWorker } from "./worker.ts";
import { waitLimits } from "../wait-limits.ts";

const { missing } = pythonWithRunpod();

/** Reads a stream to its end: every chunk as it comes, and the states in which the job was then. */
async function drained(
  { call }: Emulator,
  id: string,
): Promise<{ readonly chunks: unknown[]; readonly states: unknown[] }> {
  const chunks: unknown[] = [];
  const states: unknown[] = [];
  for (;;) {
    const { body } = await call("GET", `/stream/${id}?wait=60000`);
    const read: readonly unknown[] = Array.isArray(body["stream"]) ? body["stream"] : [];
    chunks.push(...read);
    states.push(body["status"]);
    if (body["status"] !== "IN_PROGRESS" && body["status"] !== "IN_QUEUE") break;
  }
  return { chunks, states };
}

describe.skipIf(missing !== "")(`generator handlers of a real worker ${missing}`, () => {
  test.each(["generator", "async-generator"])(
    "%s: chunks come as they are yielded",
    async (kind) => {
      const emulator = await startEmulator();
      startWorker(emulator.reference, { words: [kind] });
      const id = await emulator.submit({ count: 3, seconds: 0.3 });
      const { chunks, states } = await drained(emulator, id);
      const outputs = [{ index: 0 }, { index: 1 }, { index: 2 }];
      expect(chunks).toEqual(outputs.map((output) => ({ output })));
      expect(states).toContain("IN_PROGRESS");
      expect(await emulator.status(id)).toMatchObject({ status: "COMPLETED", output: outputs });
    },
    60_000,
  );

  test("without return_aggregate_stream the output is empty and the chunks are there", async () => {
    const emulator = await startEmulator();
    startWorker(emulator.reference, { words: ["chunks-alone"] });
    const id = await emulator.submit({ count: 2 });
    expect((await drained(emulator, id)).chunks).toHaveLength(2);
    expect(await emulator.status(id)).toMatchObject({ status: "COMPLETED", output: [] });
  });

  test.each([
    [{ count: 3, raise_at: 2 }, /^handler: in the middle/],
    [{ count: 3, error_at: 2 }, /^told in a chunk$/],
  ])(
    "%j fails after two chunks",
    async (input, error) => {
      const emulator = await startEmulator();
      startWorker(emulator.reference, { words: ["generator"] });
      const id = await emulator.submit(input);
      expect((await drained(emulator, id)).chunks).toHaveLength(2);
      const record = await emulator.status(id);
      expect(record["status"]).toBe("FAILED");
      expect(record["error"]).toMatch(error);
    },
    60_000,
  );
});

describe.skipIf(missing !== "")(`sizes and batches of a real worker ${missing}`, () => {
  test("takes waiting jobs in one batch and works on them at once", async () => {
    const emulator = await startEmulator();
    const ids = [];
    for (let at = 0; at < 4; at += 1) ids.push(await emulator.submit({ do: "sleep", seconds: 2 }));
    startWorker(emulator.reference, { words: ["batch"] });
    await vi.waitFor(async () => {
      const { body } = await emulator.call("GET", "/health");
      expect(body).toMatchObject({ jobs: { inProgress: 4 }, workers: { running: 1 } });
    }, waitLimits);
    for (const id of ids) expect((await emulator.ended(id))["status"]).toBe("COMPLETED");
  });

  test("is given 20 MB and returns nearly as much", async () => {
    const emulator = await startEmulator();
    startWorker(emulator.reference, { words: ["coroutine"] });
    const text = "x".repeat(20_000_000 - 100);
    const { body } = await emulator.call("POST", "/runsync", { input: { do: "length", text } });
    expect(body).toMatchObject({ status: "COMPLETED", output: { length: text.length } });
    const big = await emulator.call("POST", "/runsync", {
      input: { do: "big", bytes: 19_000_000 },
    });
    const output: unknown = big.body["output"];
    expect(JSON.stringify(output)).toHaveLength(19_000_000 + '{"text":""}'.length);
  });

  test("a result of more than 20 MB is refused, and the job lost", async () => {
    const emulator = await startEmulator();
    startWorker(emulator.reference, { words: ["coroutine"] });
    const id = await emulator.submit({ do: "big", bytes: 22_000_000 });
    expect(await emulator.ended(id)).toMatchObject({
      status: "FAILED",
      error: "job timed out after 1 retries",
    });
  });
});
