import { describe, expect, test } from "vitest";

import type { BehaviourChange } from "../../reference/behaviour.ts";
import { changeOf, onRealClock } from "../../test/load/on-real-clock.ts";

const { onStranger, withControl } = onRealClock();

const withoutCap: BehaviourChange = { limits: { inFlightMax: () => Number.POSITIVE_INFINITY } };

// Most of the time is the silence for an endpoint that others may have used.
describe("a cap on a real clock", () => {
  test.concurrent("is decided by bodies whose last byte is withheld, without control", async () => {
    const { results, load } = await onStranger({}, "CONC-02");
    expect(results).toMatchObject([{ verdict: "pass" }]);
    expect(load[0]?.figures).toMatchObject({ "decided by": "held bodies", "in flight": 200 });
  });

  test.concurrent("is found too low", async () => {
    const { results } = await onStranger(changeOf("concurrency/run-one-short"), "CONC-02");
    expect(results).toMatchObject([{ verdict: "fail" }]);
    expect(results[0]?.reason).toContain("expected 200 in flight, got 199 in flight");
  });

  test.concurrent.each(["CONC-04", "CONC-05"] as const)(
    "%s is not run where requests are answered before they overlap, with the figure",
    async (id) => {
      const { results } = await onStranger(withoutCap, id);
      expect(results).toMatchObject([{ verdict: "not-run" }]);
      expect(results[0]?.reason).toMatch(
        /released together were all accepted: an answer takes \d+\.\d ms .* never in hand at once; .* would show it$/,
      );
      expect(results[0]).not.toHaveProperty("attempts");
    },
  );

  test.concurrent("stays open, tried three times, where they must have overlapped", async () => {
    const slow = { transport: { delayAfterMs: () => 1_500 }, ...withoutCap };
    const { results } = await onStranger(slow, "CONC-07");
    expect(results).toMatchObject([{ verdict: "inconclusive" }]);
    expect(results[0]?.reason).toContain("may never have been in hand at once");
    expect(results[0]?.attempts).toHaveLength(2);
  });

  test.concurrent("of endpoints is not run where there is one alone", async () => {
    const { results } = await onStranger({}, "CONC-09");
    expect(results).toMatchObject([{ verdict: "not-run" }]);
    expect(results[0]?.reason).toContain("only with a second one, which --control makes");
  });

  test.concurrent("is found to be shared by two operations, with control", async () => {
    const { results } = await withControl(
      changeOf("concurrency/cancel-and-requests-share"),
      "CONC-09",
    );
    expect(results).toMatchObject([{ verdict: "fail", covers: ["CONC-09"] }]);
  });

  test.concurrent("is shown by last bytes where requests take their time", async () => {
    const slow = { transport: { delayAfterMs: () => 1_500 } };
    const { results, load } = await onStranger(slow, "CONC-07");
    expect(results).toMatchObject([{ verdict: "pass" }]);
    expect(load[0]?.figures).toMatchObject({ "decided by": "released together", "in flight": 2 });
  });
});

describe("on a real clock, with control and without a wait", () => {
  test.each([
    ["concurrency/counted-after-the-handler", "CONC-01"],
    ["concurrency/broken-off-keeps-its-place", "CONC-08"],
    ["rate/refused-purge-queue-takes-effect", "RATE-13"],
    ["rate/refused-cancel-takes-effect", "RATE-13"],
  ] as const)("%s is found by %s", async (fault, id) => {
    const { results } = await withControl(changeOf(fault), id);
    expect(results).toContainEqual(expect.objectContaining({ verdict: "fail", covers: [id] }));
  });

  // A race does not show each time on a machine so busy that requests come one by one.
  test("concurrency/check-then-count is found by CONC-05", { retry: 2 }, async () => {
    const { results } = await withControl(changeOf("concurrency/check-then-count"), "CONC-05");
    expect(results).toMatchObject([{ verdict: "fail", covers: ["CONC-05"] }]);
  });
});
