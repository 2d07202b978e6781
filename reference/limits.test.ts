import { describe, expect, test } from "vitest";

import { specified } from "./behaviour.ts";
import { Limits, type InFlightSlot, type LimitDemand } from "./limits.ts";

const form = { below: "", query: "", authorization: "key" };
const demand = { operation: "run", form, runningWorkers: 0 } as const;
const options = { behaviour: specified, endpointId: "e", nowMs: () => 0, allowancePerWorker: 0 };

/** The slot of a request; undefined where it is refused. */
function slotIn(limits: Limits, asked: LimitDemand = demand): InFlightSlot | undefined {
  const entered = limits.enter(asked);
  return typeof entered === "string" ? undefined : entered;
}

describe("the limits of an endpoint", () => {
  test("a refusal for the cap uses nothing up of the window", () => {
    const limits = new Limits(options);
    const places = Array.from({ length: 200 }, () => slotIn(limits));
    for (let attempt = 0; attempt < 2_000; attempt += 1) expect(slotIn(limits)).toBeUndefined();

    for (const place of places) place?.free("answered");
    let more = 0;
    for (;;) {
      const place = slotIn(limits);
      if (place === undefined) break;
      place.free("answered");
      more += 1;
    }

    expect(more).toBe(800);
  });

  test("a place is freed once, however often it is given back", () => {
    const limits = new Limits(options);
    const [first] = Array.from({ length: 200 }, () => slotIn(limits));
    first?.free("answered");
    first?.free("broken-off");
    expect(slotIn(limits)).toBeDefined();
    expect(slotIn(limits)).toBeUndefined();
  });

  test.each([
    { workers: 20, limit: 2_000 },
    { workers: 50, limit: 2_500 },
  ])("an allowance of 50 and $workers running workers give $limit", ({ workers, limit }) => {
    const limits = new Limits({ ...options, allowancePerWorker: 50 });
    let count = 0;
    for (;;) {
      const place = slotIn(limits, { operation: "status", form, runningWorkers: workers });
      if (place === undefined) break;
      place.free("answered");
      count += 1;
    }
    expect(count).toBe(limit);
  });

  test("retry and health have no limit", () => {
    const limits = new Limits(options);
    for (const operation of ["retry", "health"] as const) {
      for (let count = 0; count < 5_000; count += 1) {
        expect(slotIn(limits, { ...demand, operation })).toBeDefined();
      }
    }
  });
});
