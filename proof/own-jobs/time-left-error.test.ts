import { expect, test } from "vitest";

import { TimeLeftError } from "./time-left-error.ts";

const names = ["runsync/result-kept-1-minute"];
const planned = { type: "planned", checks: 1, sharing: { names, workers: [3] } } as const;
const ended = { type: "ended", attempt: 1, isToRepeat: false } as const;

test("the worst error of the time left counts from the first third on", () => {
  const error = new TimeLeftError(0);
  // Expects a little more than a minute, and is told at half of the time that nothing is left.
  error.follow(planned, 0);
  error.follow({ ...ended, check: names[0] ?? "", heldMs: { sharing: 0, alone: 0 } }, 50_000);
  expect(error.worstShare(100_000)).toBe(0.5);
  expect(error.worstShare(1_000_000)).toBe(0);
});
