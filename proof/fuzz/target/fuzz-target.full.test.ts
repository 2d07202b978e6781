import { expect, test } from "vitest";

import { fuzzTarget } from "./fuzz-target.ts";

test("no answer of a target gets the key into an output, breaks a run or holds it up", async () => {
  const { problems, figures } = await fuzzTarget({ seconds: 60, seed: 20261128 });
  expect(problems.join("\n")).toBe("");
  // Where no run found a failure, none had an answer to show.
  expect(figures["exitCodes"]).toHaveProperty("1");
});
