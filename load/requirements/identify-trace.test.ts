import { expect, test } from "vitest";

import type { Identification } from "../limiters/identify.ts";
import type { TraceStep } from "../limiters/trace.ts";
import { identifyWithExtraBurst } from "./identify-trace.ts";
import { tierOf } from "../../openapi/operations.ts";

const fit = { kind: "sliding counter", limit: 1_000, windowMs: 10_000, differences: 0 } as const;
const windows = { shortestMs: 10_000, longestMs: 10_000 };

function withLimits(least: number, most: number): Identification {
  const remaining = [{ kind: fit.kind, limits: { least, most }, windows }];
  return { best: fit, others: [], remaining };
}

/** Identifies a trace of an operation, first with the one result, then with the other. */
async function asked(
  results: readonly Identification[],
  { operation = "run", isVirtual = false }: { operation?: "run" | "requests"; isVirtual?: boolean },
) {
  const steps: TraceStep[] = [];
  const trace = {
    isVirtual,
    isComplete: true,
    tier: tierOf(operation),
    nowMs: 50_000,
    step: (step: TraceStep) => {
      steps.push(step);
      return Promise.resolve([]);
    },
  };
  let at = 0;
  const identification = await identifyWithExtraBurst(trace, () => {
    at += 1;
    return results[at - 1] ?? withLimits(0, 0);
  });
  return { identification, steps };
}

test("one more burst comes after another silence where the limit is open", async () => {
  const results = [withLimits(999, 1_000), withLimits(1_000, 1_000)];
  const { identification, steps } = await asked(results, {});
  expect(identification).toBe(results[1]);
  expect(steps).toEqual([{ atMs: 72_500, count: 1_003 }]);
});

test("nothing more is sent where all is known", async () => {
  const exact = withLimits(1_000, 1_000);
  const { identification, steps } = await asked([exact], {});
  expect(identification).toBe(exact);
  expect(steps).toEqual([]);
});

test("nor where time stands still, or the limit is too small to tell more", async () => {
  const open = withLimits(9, 10);
  expect((await asked([open], { isVirtual: true })).steps).toEqual([]);
  expect((await asked([open], { operation: "requests" })).steps).toEqual([]);
});
