import { expect, test } from "vitest";

import { shortAtOnce } from "./shared-endpoints.ts";

test.each([
  { waits: {}, workers: 3, atOnce: 2 },
  { waits: { answerMs: 250 }, workers: 1, atOnce: 4 },
  { waits: { startMs: 500 }, workers: 3, atOnce: 6 },
  { waits: { startMs: 500 }, workers: 1, atOnce: 2 },
  { waits: { answerMs: 5000, startMs: 500 }, workers: 1, atOnce: 6 },
])("$atOnce short checks run at once on $workers workers where $waits is waited", (row) => {
  expect(shortAtOnce(row.waits, row.workers)).toBe(row.atOnce);
});
