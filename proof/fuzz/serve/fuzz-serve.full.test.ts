import { expect, test } from "vitest";

import { fuzzServe } from "./fuzz-serve.ts";

test("serve survives raw bytes and strange requests, and has every job after a kill", async () => {
  const { problems, figures } = await fuzzServe({ seconds: 20, seed: 7 });
  expect(problems.join("\n")).toBe("");
  expect(figures["requests"]).toBeGreaterThan(100);
  expect(figures["jobsFoundAfterKill"]).toBeGreaterThan(0);
});
