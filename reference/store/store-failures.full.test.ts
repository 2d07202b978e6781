import { expect, test } from "vitest";

import {
  contradictionsOfDays,
  contradictionsOfKills,
  countWrites,
  mishaps,
} from "./testing/failing-days.ts";

test("killed before every write of a day", async () => {
  expect(await contradictionsOfKills(1)).toEqual([]);
});

test.each(Object.entries(mishaps))("at every write of a day: %s", async (_, mishap) => {
  const writes = await countWrites();
  expect(writes).toBeGreaterThan(100);
  const each = Array.from({ length: writes }, (_unused, at) => at + 1);
  expect(await contradictionsOfDays(mishap, each)).toEqual([]);
});
