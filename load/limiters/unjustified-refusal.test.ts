import { expect, test } from "vitest";

import { findUnjustifiedRefusal } from "./unjustified-refusal.ts";
import { rules } from "../../test/load/rules.ts";
import { randomOf, simulate } from "../../test/load/simulate.ts";
import type { TracedRequest } from "./trace.ts";

const declared = { limit: 4, windowMs: 10_000 };

function at(ms: number, isAdmitted: boolean): TracedRequest {
  return { sentMs: ms, answeredMs: ms, isAdmitted };
}

const full = [1, 2, 3, 4].map((ms) => at(ms, true));

test("finds a refusal after two windows with fewer requests than the limit", () => {
  const refused = at(20_002, false);
  expect(findUnjustifiedRefusal([...full, refused], declared)).toEqual({ refused, before: 3 });
});

test("leaves a refusal alone that a sliding counter may give", () => {
  expect(findUnjustifiedRefusal([...full, at(20_001, false)], declared)).toBeUndefined();
});

test("counts a request that may have come within the two windows", () => {
  const late = { sentMs: 1, answeredMs: 30, isAdmitted: true };
  const requests = [late, ...full.slice(1), at(20_002, false)];
  expect(findUnjustifiedRefusal(requests, declared)).toBeUndefined();
});

test.each(["fixed aligned", "sliding log counting refusals", "sliding counter", "token bucket"])(
  "finds nothing in the trace of a %s",
  (kind) => {
    const stated = { limit: 100, windowMs: 10_000 };
    for (const latencyMs of [
      [0, 0],
      [0.3, 60],
    ] as const) {
      const decide = rules[kind]?.({ ...stated, phaseMs: 3_210 }) ?? (() => true);
      const around = { latencyMs, atOnce: 10, random: randomOf(1) };
      expect(findUnjustifiedRefusal(simulate(decide, stated, around), stated)).toBeUndefined();
    }
  },
);
