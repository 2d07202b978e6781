import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, test, vi } from "vitest";

import { startEmulator } from "./emulator.ts";
import { pythonWithRunpod } from "./python.ts";
import { startWorker } from "./worker.ts";
import { waitLimits } from "../wait-limits.ts";

const { missing } = pythonWithRunpod();

function begunFile(): string {
  return join(mkdtempSync(join(tmpdir(), "queueproof-")), "begun");
}

function linesOf(path: string): readonly string[] {
  return readFileSync(path, "utf8").trim().split("\n");
}

describe.skipIf(missing !== "")(`an unmodified worker of the package runpod ${missing}`, () => {
  test("returns what its handler returns, and is counted by health", async () => {
    const emulator = await startEmulator();
    startWorker(emulator.reference, { words: ["coroutine"] });
    for (const value of [{ a: 1 }, [1, 2], "text", false, null]) {
      const record = await emulator.ended(await emulator.submit({ do: "return", value }));
      expect(record).toMatchObject({ status: "COMPLETED", output: value, workerId: "worker-1" });
    }
    const empty = await emulator.ended(await emulator.submit({ do: "return", value: {} }));
    expect(empty["status"]).toBe("COMPLETED");
    expect(empty).not.toHaveProperty("output");
    await vi.waitFor(async () => {
      const { body } = await emulator.call("GET", "/health");
      expect(body).toMatchObject({ jobs: { completed: 6 }, workers: { idle: 1, running: 0 } });
    }, waitLimits);
  });

  test("fails a job by raising and by an error in its output", async () => {
    const emulator = await startEmulator();
    startWorker(emulator.reference, { words: ["coroutine"] });
    const raised = await emulator.ended(await emulator.submit({ do: "raise", message: "boom" }));
    expect(raised["status"]).toBe("FAILED");
    expect(JSON.parse(String(raised["error"]))).toMatchObject({ error_message: "boom" });
    const value = { error: "told", keep: "x" };
    const told = await emulator.ended(await emulator.submit({ do: "return", value }));
    expect(told).toMatchObject({ status: "FAILED", error: "told", output: { keep: "x" } });
  });

  test("crashes: the job goes to another worker once", async () => {
    const emulator = await startEmulator();
    const begun = { BEGUN_FILE: begunFile() };
    startWorker(emulator.reference, { podId: "a", words: ["coroutine"], environment: begun });
    const id = await emulator.submit({ do: "exit once", worker: "a" });
    await vi.waitFor(() => expect(linesOf(begun.BEGUN_FILE)).toEqual([`${id} a`]), waitLimits);
    startWorker(emulator.reference, { podId: "b", words: ["coroutine"], environment: begun });
    expect(await emulator.ended(id)).toMatchObject({
      status: "COMPLETED",
      output: { by: "b" },
      workerId: "b",
      retries: 1,
    });
    expect(linesOf(begun.BEGUN_FILE)).toEqual([`${id} a`, `${id} b`]);
  });

  test("crashes twice: the job has failed", async () => {
    const emulator = await startEmulator();
    const begun = { BEGUN_FILE: begunFile() };
    const crashing = { words: ["coroutine"], environment: begun };
    for (const podId of ["a", "b"]) startWorker(emulator.reference, { ...crashing, podId });
    const id = await emulator.submit({ do: "exit" });
    const record = await emulator.ended(id);
    expect(record).toMatchObject({ status: "FAILED", error: "job timed out after 1 retries" });
    expect(linesOf(begun.BEGUN_FILE)).toHaveLength(2);
    expect((await emulator.call("GET", "/health")).body).toMatchObject({ jobs: { retried: 1 } });
  });

  test("falls silent over a result it cannot serialise: begun twice, then failed", async () => {
    const emulator = await startEmulator();
    const begun = { BEGUN_FILE: begunFile() };
    startWorker(emulator.reference, { words: ["coroutine"], environment: begun });
    const id = await emulator.submit({ do: "unserialisable" });
    expect(await emulator.ended(id)).toMatchObject({
      status: "FAILED",
      error: "job timed out after 1 retries",
      retries: 1,
    });
    expect(linesOf(begun.BEGUN_FILE)).toHaveLength(2);
    const next = await emulator.submit({ do: "return", value: [1] });
    expect(await emulator.ended(next)).toMatchObject({ status: "COMPLETED" });
  });

  test("is stopped while its coroutine works, and takes the next job", async () => {
    const emulator = await startEmulator();
    const worker = startWorker(emulator.reference, { words: ["coroutine"] });
    const id = await emulator.submit({ do: "sleep", seconds: 3_600 });
    await vi.waitFor(async () => {
      expect((await emulator.status(id))["status"]).toBe("IN_PROGRESS");
    }, waitLimits);
    expect((await emulator.call("POST", `/cancel/${id}`)).body).toMatchObject({
      status: "CANCELLED",
    });
    const next = await emulator.submit({ do: "return", value: [1] });
    expect(await emulator.ended(next)).toMatchObject({ status: "COMPLETED" });
    expect(worker.log()).toContain("Job stopped.");
    expect(await emulator.status(id)).toMatchObject({ status: "CANCELLED" });
  });

  test("is alive by its pings while its handler blocks", async () => {
    const emulator = await startEmulator();
    const begun = { BEGUN_FILE: begunFile() };
    startWorker(emulator.reference, { words: ["coroutine"], environment: begun });
    const id = await emulator.submit({ do: "block", seconds: 8 });
    expect(await emulator.ended(id)).toMatchObject({ status: "COMPLETED" });
    expect(linesOf(begun.BEGUN_FILE)).toHaveLength(1);
  });

  test("tells its progress, which shows as output until the job ends", async () => {
    const emulator = await startEmulator();
    startWorker(emulator.reference, { words: ["coroutine"] });
    const id = await emulator.submit({ do: "progress", seconds: 2 });
    await vi.waitFor(async () => {
      expect(await emulator.status(id)).toMatchObject({
        status: "IN_PROGRESS",
        output: { percent: 50 },
      });
    }, waitLimits);
    expect(await emulator.ended(id)).toMatchObject({
      status: "COMPLETED",
      output: { percent: 100 },
    });
  });
});
