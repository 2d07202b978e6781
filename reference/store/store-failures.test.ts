import { expect, test } from "vitest";

import { contradictionsOfDays, contradictionsOfKills, mishaps } from "./testing/failing-days.ts";
import { tryDay } from "./testing/try-day.ts";

test("a day is lived, and nothing of it is missing after a restart", async () => {
  const { told, contradictions, failed } = await tryDay({ decide: () => "done" });
  expect({ contradictions, failed, refusals: told.refusals }).toEqual({
    contradictions: [],
    failed: undefined,
    refusals: 0,
  });
  const statuses = [...told.jobs.values()].map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(["COMPLETED", "CANCELLED", "gone"]));
});

test("a server killed before a write comes back with all that it has told", async () => {
  expect(await contradictionsOfKills(11)).toEqual([]);
});

test("a single write that fails is made good, and nobody hears of it", async () => {
  const { told, contradictions, failed } = await tryDay({
    decide: (write) => (write % 40 === 0 ? "fails" : "done"),
  });
  expect({ contradictions, failed, refusals: told.refusals }).toEqual({
    contradictions: [],
    failed: undefined,
    refusals: 0,
  });
});

// store-failures.full.test.ts lets every write fail; these are the first one and some of each kind.
const some = [1, 5, 33, 78];

test.each(Object.entries(mishaps))(
  "what was told is there afterwards where %s",
  async (_, mishap) => {
    expect(await contradictionsOfDays(mishap, some)).toEqual([]);
  },
);

test("a disk that stays full is told at the end, by its cause", async () => {
  const { failed, told } = await tryDay({ decide: (write) => (write > 60 ? "fails" : "done") });
  expect(failed).toBe("at its end");
  expect(told.refusals).toBeGreaterThan(0);
});
