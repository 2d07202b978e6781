import { expect, test } from "vitest";

import { overlapDoubt } from "./doubts.ts";
import { tierOf } from "../../openapi/operations.ts";
import { tally } from "./tally.ts";

const exchanges = Array.from({ length: 405 }, (_, at) => ({ sentMs: at * 0.02, answeredMs: 20 }));
const telling = tally(exchanges, [], "key");
const tier = { ...tierOf("status"), cap: 400, concurrency: "CONC-03" } as const;

test.each([
  { loneMs: 0.3, isForGood: true },
  { loneMs: 19, isForGood: true },
  { loneMs: 32, isForGood: true },
  { loneMs: 33, isForGood: false },
  { loneMs: undefined, isForGood: false },
])("answers of $loneMs ms leave a cap open for good: $isForGood", ({ loneMs, isForGood }) => {
  expect(overlapDoubt(tier, { sent: "5 rounds", telling, loneMs }).isForGood).toBe(isForGood);
});

test("what can never be shown is told with the figures and with what would show it", () => {
  expect(overlapDoubt(tier, { sent: "5 rounds", telling, loneMs: 0.3 }).why).toBe(
    "5 rounds were all accepted: an answer takes 0.3 ms and sending a round 8.1 ms, so 400 are never in hand at once; answers that take longer, or the capability hold with control, would show it",
  );
});
