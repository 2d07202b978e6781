import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { FAST_ENDPOINT, startEmulator } from "./emulator.ts";
import { pythonWithRunpod } from "./python.ts";
import { waitLimits } from "../wait-limits.ts";

const { missing, path } = pythonWithRunpod();
const script = fileURLToPath(new URL("client.py", import.meta.url));

async function told(kind: string): Promise<unknown> {
  const { reference, baseUrl } = await startEmulator("built-in");
  const { stdout } = await promisify(execFile)(path, [script, kind], {
    env: {
      PATH: process.env["PATH"],
      RUNPOD_ENDPOINT_BASE_URL: baseUrl,
      ENDPOINT_ID: reference.endpointId,
      FAST_ENDPOINT_ID: FAST_ENDPOINT,
      API_KEY: reference.apiKey,
      CONTROL_URL: reference.controlUrl,
    },
    timeout: waitLimits.timeout,
  });
  const line = stdout.trim().split("\n").at(-1) ?? "";
  return JSON.parse(line);
}

const chunks = [0, 1, 2].map((index) => ({ index }));

describe.skipIf(missing !== "")(`the Python package runpod as a client ${missing}`, () => {
  test("synchronous", async () => {
    expect(await told("synchronous")).toMatchObject({
      run: { output: { value: "hello" }, status: "COMPLETED" },
      run_sync: { value: 1 },
      "beyond the wait": { value: 2 },
      timeout: { raised: "ReadTimeout" },
      stream: chunks,
      // The client drops the error of a failed job.
      failed: { output: null, status: "FAILED" },
      cancel: { status: "CANCELLED" },
      purge: { removed: 1, status: "completed" },
      health: {
        jobs: { completed: 3, failed: 1, inProgress: 1, inQueue: 0, retried: 0 },
      },
      "wrong key": { raised: "RuntimeError" },
    });
  });

  test("asyncio", async () => {
    expect(await told("asyncio")).toMatchObject({
      run: { output: { value: "hello" }, status: "COMPLETED" },
      timeout: { raised: "TimeoutError" },
      cancel: { status: "CANCELLED" },
      stream: chunks,
      purge: { removed: 1, status: "completed" },
      health: {
        jobs: { completed: 2, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
      },
    });
  });
});
