import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";

import { startReference } from "../../reference/start-reference.ts";
import { toolNamed } from "../tools.ts";

/** Schemathesis tests the reference with requests that it makes from the document, so the two have to agree. */

const schemathesis = toolNamed(
  "schemathesis",
  "`pip install schemathesis==4.32.5` brings it, on PATH or in .cache/queueproof/bin.",
);

const document = fileURLToPath(new URL("../../openapi/job-api.yaml", import.meta.url));

/**
 * Checks that Schemathesis adds by its own assumptions, each with its error code. The specification says nothing of the
 * methods of a path, and refuses a well-formed request for the state of its job.
 */
const assumptions = {
  // A path asked for by another method need not answer 405; the reference answers 404 or 400.
  unsupported_method: "ST204",
  // A job that has ended is neither cancelled nor, when it COMPLETED, retried: any 4xx conforms.
  positive_data_acceptance: "ST202",
} as const;

interface Ended {
  readonly exitCode: number;
  readonly printed: string;
}

async function runSchemathesis(options: readonly string[]): Promise<Ended> {
  const reference = await startReference();
  const { baseUrl, endpointId, apiKey } = reference;
  onTestFinished(async () => reference.stop());
  // It writes a folder of its own into its working directory.
  const folder = await mkdtemp(join(tmpdir(), "queueproof-schemathesis-"));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  const words = ["run", document, "--url", `${baseUrl}/v2/${endpointId}`, "--no-color"];
  const run = ["-H", `authorization: ${apiKey}`, "--seed", "1", "--max-examples", "30"];
  const limits = { cwd: folder, maxBuffer: 64 * 1_048_576 };
  return promisify(execFile)(schemathesis.path, [...words, ...run, ...options], limits).then(
    ({ stdout }) => ({ exitCode: 0, printed: stdout }),
    (error: { code: number; stdout: string }) => ({ exitCode: error.code, printed: error.stdout }),
  );
}

describe.skipIf(schemathesis.missing !== "")(`Schemathesis ${schemathesis.missing}`, () => {
  test("finds the document and the reference agree", async () => {
    const excluded = Object.keys(assumptions).join(",");
    const { exitCode, printed } = await runSchemathesis(["--exclude-checks", excluded]);
    expect(printed).toContain("Tested: 10");
    expect(printed.match(/ST\d+/g) ?? []).toEqual([]);
    expect(exitCode).toBe(0);
  });

  test("tells by its own assumptions what is listed, and nothing else", async () => {
    const checks = Object.keys(assumptions).join(",");
    const { printed } = await runSchemathesis(["--checks", checks]);
    const told = new Set(printed.match(/ST\d+(?= )/g));
    expect([...told].toSorted()).toEqual(Object.values(assumptions).toSorted());
  });
});
