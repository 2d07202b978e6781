import { expect, test } from "vitest";

import {
  contradictionsAfterFailures,
  contradictionsAfterKills,
  countWrites,
  writeFailures,
} from "../../test/store/run-script-with-failures.ts";

test("killed before every write of the script", async () => {
  expect(await contradictionsAfterKills(1)).toEqual([]);
});

/** Each failure is tried at every third write, each from another one on, so that every write meets one that fails. */
const stride = 3;

test.each(Object.entries(writeFailures).map(([name, failure], at) => ({ name, failure, at })))(
  "at the writes of the script: $name",
  async ({ failure, at }) => {
    const writes = await countWrites();
    expect(writes).toBeGreaterThan(100);
    const all = Array.from({ length: writes }, (_unused, index) => index + 1);
    const tried = all.filter((write) => write % stride === at % stride);
    expect(await contradictionsAfterFailures(failure, tried)).toEqual([]);
  },
);
