import { describe, expect, test } from "vitest";

import { decidedIn, problemsOf, runWithKinds } from "./run-with-kinds.ts";

describe.concurrent("a plain server with an owner's handler, on a real clock", () => {
  test.each([
    { kinds: [], decidedAtLeast: 33 },
    { kinds: ["quick"], decidedAtLeast: 50 },
  ] as const)(
    "shows at least $decidedAtLeast requirements by the jobs $kinds, none broken or undecided",
    async ({ kinds, decidedAtLeast }) => {
      const results = await runWithKinds(kinds);
      expect(problemsOf(results)).toEqual([]);
      expect(decidedIn(results)).toBeGreaterThanOrEqual(decidedAtLeast);
    },
  );
});
