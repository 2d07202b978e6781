import { expect, test } from "vitest";

import { faultNamed } from "../faults/faults.ts";
import type { Fault } from "../../reference/faults.ts";
import { planOf } from "./real-clock-plan.ts";

function named(name: string): Fault {
  const fault = faultNamed(name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  return fault;
}

const ofCancel = named("cancel/handler-runs-on");
const ofARate = named("rate/opens-after-an-hour");

/** The plan for a fault of cancel that these checks have caught. */
function planFor(...names: readonly string[]) {
  return planOf(ofCancel, new Map([[ofCancel.name, names]]));
}

test("a fault meets the checks that caught it and need no clock that is advanced", () => {
  const plan = planFor("cancel/status-stays-cancelled", "cancel/queued-job", "purge/of-many");
  expect(plan).toEqual({
    fault: ofCancel,
    checks: ["cancel/status-stays-cancelled", "cancel/queued-job"],
    waitMs: 2000,
  });
});

test("a fault of which nothing is known, or which the whole history shows, meets all checks", () => {
  const everything = { fault: ofCancel, waitMs: 0 };
  expect(planOf(ofCancel, new Map())).toEqual(everything);
  expect(planFor("cancel/queued-job", "states/everything-observed-is-one-legal-history")).toEqual(
    everything,
  );
});

test.each([
  [["purge/of-many"], "only checks that advance the clock catch it"],
  [["policy/default-ttl"], "it shows after 24 h"],
  [["rate/refused-reads-without-effect"], "only checks that advance the clock catch it"],
])("a fault caught by %j shows on no real clock", (names, why) => {
  expect(planFor(...names)).toEqual({ fault: ofCancel, why });
});

test("a fault that was found to show only after hours is left, and one that was not decided is tried", () => {
  const why =
    "it shows after minutes or hours, and the checks wait that long on a clock that is advanced";
  expect(planOf(ofARate, new Map(), { [ofARate.name]: why })).toEqual({ fault: ofARate, why });
  const undecided = { [ofARate.name]: "nothing was decided" };
  expect(planOf(ofARate, new Map(), undecided)).not.toHaveProperty("why");
});
