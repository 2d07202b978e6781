import { describe, expect, test } from "vitest";

import type { BehaviourChange } from "../../reference/index.ts";
import { Findings } from "./findings.ts";
import { forgettingChecks } from "./forgetting.ts";
import { changeOf, onRealClock } from "./testing/on-real-clock.ts";

const { onStranger, withControl, standOf } = onRealClock();

const withoutCap: BehaviourChange = { limits: { inFlightMax: () => Number.POSITIVE_INFINITY } };
const timeout = 120_000;

// Most of their time is the silence that an endpoint needs which others may have used.
describe("a cap on a real clock", { timeout }, () => {
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

  test.concurrent("stays open where requests are answered before they overlap", async () => {
    const { results } = await onStranger(withoutCap, "CONC-07");
    expect(results).toMatchObject([{ verdict: "inconclusive" }]);
    expect(results[0]?.reason).toMatch(/released together.*never have been in hand at once/);
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

describe("on a real clock, with control and without a wait", { timeout }, () => {
  test("the lowest caps are decided by held answers", async () => {
    const { results, load } = await withControl({}, "CONC-05");
    expect(results).toMatchObject([{ verdict: "pass" }]);
    expect(load[0]?.figures).toMatchObject({ "decided by": "held answers", "in flight": 20 });
  });

  test.each([
    ["concurrency/requests-one-over", "CONC-07"],
    ["concurrency/cancel-one-short", "CONC-05"],
    ["concurrency/refused-with-503", "CONC-05"],
    ["concurrency/check-then-count", "CONC-05"],
    ["concurrency/counted-after-the-handler", "CONC-01"],
    ["concurrency/broken-off-keeps-its-place", "CONC-08"],
    ["rate/refused-purge-queue-takes-effect", "RATE-13"],
    ["rate/refused-cancel-takes-effect", "RATE-13"],
  ] as const)("%s is found by %s", async (fault, id) => {
    const { results } = await withControl(changeOf(fault), id);
    expect(results).toMatchObject([{ verdict: "fail", covers: [id] }]);
  });

  test("an error that empties the counter is found", async () => {
    const findings = new Findings("RATE-05");
    const stand = await standOf({
      limits: { forgetsAfter: (_operation, status) => status >= 400 },
    });
    await forgettingChecks[0]?.run(stand, findings);
    expect(findings.mismatches).toMatchObject([{ got: "120 accepted" }]);
  });
});
