import { describe, expect, test } from "vitest";

import type { LimiterNumbers } from "./kind.ts";
import { limiterKinds, startLimiter } from "./kinds.ts";
import { rules } from "../../test/load/rules.ts";
import { randomOf } from "../../test/load/simulate.ts";

const numbers = { limit: 20, windowMs: 10_000, phaseMs: 3_210 } as const;
const burstCount = 2_000;

/** The numbers by which a model is what the rule of its name makes of `numbers`, where they are others. */
const numbersOfModel: Readonly<Record<string, Partial<LimiterNumbers>>> = {
  "bucket with its own rate": { limit: 4, windowMs: 2_000 },
  "split windows": { parts: 10 },
  "counter per process": { parts: 2 },
};

/** Bursts of up to 12 requests, up to three seconds apart: the limit is reached, and often passes unused. */
function burstsOf(seed: number): readonly { readonly atMs: number; readonly count: number }[] {
  const random = randomOf(seed);
  let atMs = 0;
  return Array.from({ length: burstCount }, () => {
    atMs += random() ** 2 * 3_000;
    return { atMs, count: 1 + Math.floor(random() * 12) };
  });
}

describe("the model of a kind admits as many of each burst as its rule, which is written apart", () => {
  const named = limiterKinds.map(({ name }) => name).filter((name) => rules[name] !== undefined);

  test.each(named)("%s", (kind) => {
    const decide = rules[kind]?.(numbers) ?? (() => false);
    const admit = startLimiter({ kind, ...numbers, ...numbersOfModel[kind] });
    const differing = burstsOf(5).filter(({ atMs, count }) => {
      const byRule = Array.from({ length: count }, () => decide(atMs)).filter(Boolean).length;
      return admit(atMs, count) !== byRule;
    });
    expect(differing).toEqual([]);
  });
});
