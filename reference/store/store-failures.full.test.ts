import { expect, test } from "vitest";

import {
  contradictionsAfterFailures,
  contradictionsAfterKills,
  countWrites,
  writeFailures,
} from "./testing/write-failures.ts";

test("killed before every write of the script", async () => {
  expect(await contradictionsAfterKills(1)).toEqual([]);
});

test.each(Object.entries(writeFailures))("at every write of the script: %s", async (_, failure) => {
  const writes = await countWrites();
  expect(writes).toBeGreaterThan(100);
  const each = Array.from({ length: writes }, (_unused, at) => at + 1);
  expect(await contradictionsAfterFailures(failure, each)).toEqual([]);
});
