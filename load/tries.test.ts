import { expect, test } from "vitest";

import { tiers } from "../openapi/operations.ts";
import { checkResult } from "./result.ts";
import type { EngineFinding } from "./result.ts";
import { untilDecided } from "./tries.ts";

const { rate: requirement } = tiers[0] ?? { rate: "RATE-01" };

function found(...undecided: readonly string[]): Pick<EngineFinding, "check" | "beside"> {
  const header = { name: "load/x", title: "x", requirement, durationMs: 5 };
  return { check: checkResult({ ...header, mismatches: [], undecided }), beside: [] };
}

test("what is undecided is tried again at most twice, and every try is kept", async () => {
  let tries = 1;
  const { check } = await untilDecided(
    found("try 1"),
    async () => found(`try ${(tries += 1)}`),
    undefined,
  );
  expect(check).toMatchObject({ verdict: "inconclusive", reason: "try 3" });
  expect(check.attempts?.map(({ reason }) => reason)).toEqual(["try 1", "try 2"]);
});

test("the first verdict ends it", async () => {
  let tries = 0;
  const pass = async (): Promise<ReturnType<typeof found>> => {
    tries += 1;
    return found();
  };
  expect((await untilDecided(found("late"), pass, undefined)).check.verdict).toBe("pass");
  expect(tries).toBe(1);
  expect((await untilDecided(found(), pass, undefined)).check).not.toHaveProperty("attempts");
  expect(tries).toBe(1);
});

test("a try that a stop cut off counts for nothing", async () => {
  const stop = new AbortController();
  const { check } = await untilDecided(
    found("late"),
    async () => {
      stop.abort();
      return found("stopped");
    },
    stop.signal,
  );
  expect(check.reason).toBe("late");
  expect(check).not.toHaveProperty("attempts");
});
