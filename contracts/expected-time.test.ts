import { expect, test } from "vitest";

import { realTimeOf } from "../harness/check.ts";
import { checks } from "./checks.ts";
import { heldBy, scheduleOf } from "./expected-time.ts";
import { costs } from "./generated/costs.ts";

const quick = { workers: [3] };
const slow = { workers: [3], answerMs: 305 };

function sumOf([sharingMs, aloneMs]: readonly [number, number]): number {
  return sharingMs + aloneMs;
}

test("each check takes longer by each of its answers where they are slow", () => {
  const acting = checks.filter(({ observe }) => observe === undefined);
  const longerMs = acting.map((check) =>
    Math.round(sumOf(heldBy(check, slow)) - sumOf(heldBy(check, quick))),
  );
  expect(longerMs).toEqual(acting.map(({ name }) => 300 * (costs[name]?.[0] ?? 0)));
});

test("each check takes longer by each of its jobs where workers look for one now and then", () => {
  const acting = checks.filter(({ observe }) => observe === undefined);
  const longerMs = acting.map((check) =>
    Math.round(sumOf(heldBy(check, { ...quick, startMs: 500 })) - sumOf(heldBy(check, quick))),
  );
  expect(longerMs).toEqual(acting.map(({ name }) => 500 * (costs[name]?.[1] ?? 0)));
});

test("more checks wait at once where answers are slow, so that the run takes less than all of them", () => {
  const short = checks.filter((check) => realTimeOf(check) <= 15_000);
  const longerMs = scheduleOf(short, slow).ms - scheduleOf(short, quick).ms;
  const requests = short.reduce((sum, { name }) => sum + (costs[name]?.[0] ?? 0), 0);
  expect(longerMs).toBeGreaterThan(0);
  expect(longerMs).toBeLessThan(300 * requests);
});
