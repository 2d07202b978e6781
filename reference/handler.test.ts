import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";

import { planWork, type WorkPlan } from "./handler.ts";
import type { JsonObject } from "./job.ts";

function plan(input: JsonObject, attempt = 1, s3Config?: JsonObject): WorkPlan {
  return planWork(input, { jobId: "job", attempt, s3Config });
}

function outputOf({ ending }: WorkPlan): unknown {
  return ending.kind === "returned" ? ending.output() : ending;
}

describe("the conformance handler", () => {
  test.each([
    { input: { op: "echo", value: { a: [1, null] } }, output: { value: { a: [1, null] } } },
    { input: { op: "echo" }, output: { value: null } },
    { input: { op: "sleep", ms: 5, value: "x" }, output: { value: "x" } },
    { input: { op: "sleep", ms: 5 }, output: { value: null } },
    { input: { op: "flaky", failures: 0, value: 1 }, output: { value: 1, attempt: 1 } },
    { input: { op: "whoami" }, output: { jobId: "job", attempt: 1, s3: null } },
    { input: { op: "stream", count: 0, intervalMs: 9 }, output: [] },
  ])("answers $input with $output", ({ input, output }) => {
    expect(outputOf(plan(input))).toEqual(output);
  });

  test("works for as long as it is told", () => {
    expect(plan({ op: "sleep", ms: 5_000 }).endsAfterMs).toBe(5_000);
    expect(plan({ op: "stream", count: 4, intervalMs: 25 }).endsAfterMs).toBe(100);
    expect(plan({ op: "echo" }).endsAfterMs).toBe(0);
  });

  test("fails a flaky job until its attempts are used up", () => {
    const kinds = [1, 2, 3].map(
      (attempt) => plan({ op: "flaky", failures: 2 }, attempt).ending.kind,
    );
    expect(kinds).toEqual(["raised", "raised", "returned"]);
  });

  test("shows the secret of s3Config as its hash alone", () => {
    const s3Config = {
      accessId: "id",
      accessSecret: "secret",
      bucketName: "bucket",
      endpointUrl: "https://s3.example",
    };
    const { accessSecret, ...shown } = s3Config;
    const accessSecretSha256 = createHash("sha256").update(accessSecret).digest("hex");
    expect(outputOf(plan({ op: "whoami" }, 2, s3Config))).toEqual({
      jobId: "job",
      attempt: 2,
      s3: { ...shown, accessSecretSha256 },
    });
  });

  test.each<JsonObject>([
    {},
    { op: 7 },
    { op: "unknown" },
    { op: "constructor" },
    { op: "fail", message: "no" },
    { op: "sleep" },
    { op: "sleep", ms: -1 },
    { op: "sleep", ms: 1.5 },
    { op: "flaky" },
    { op: "stream", count: 1 },
    { op: "stream", count: 1e9, intervalMs: 0 },
    { op: "text", bytes: 1e12, chunks: 1, intervalMs: 0 },
  ])("raises an error for %j", (input) => {
    expect(plan(input).ending.kind).toBe("raised");
  });
});
