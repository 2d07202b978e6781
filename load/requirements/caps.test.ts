import { describe, expect, test } from "vitest";

import { LoadFindings } from "./findings.ts";
import { forgettingCheck } from "./forgetting.ts";
import { changeOf, onRealClock } from "../../test/load/on-real-clock.ts";

const { withControl, sessionOf } = onRealClock();

describe("on a real clock, with control and without a wait", () => {
  test("the lowest caps are decided by held answers", async () => {
    const { results, load } = await withControl({}, "CONC-05");
    expect(results).toMatchObject([{ verdict: "pass" }]);
    expect(load[0]?.figures).toMatchObject({ "decided by": "held answers", "in flight": 20 });
  });

  test.each([
    ["concurrency/requests-one-over", "CONC-07"],
    ["concurrency/cancel-one-short", "CONC-05"],
    ["concurrency/refused-with-503", "CONC-05"],
  ] as const)("%s is found by %s", async (fault, id) => {
    const { results } = await withControl(changeOf(fault), id);
    expect(results).toMatchObject([{ verdict: "fail", covers: [id] }]);
  });

  test("an error that empties the counter is found", async () => {
    const session = await sessionOf({
      limits: { forgetsAfter: (_operation, status) => status >= 400 },
    });
    const findings = new LoadFindings("RATE-05", session);
    await forgettingCheck.run(session, findings);
    expect(findings.mismatches).toMatchObject([{ got: "120 accepted" }]);
  });
});
