import { expect, test } from "vitest";

import { stopRuns } from "./stop-runs.ts";

test("runs that are stopped at random moments end with 130 and a report", async () => {
  const stopped = await stopRuns({ runs: 9, seed: 7 });
  expect(stopped.filter(({ problems }) => problems.length > 0)).toEqual([]);
  expect(stopped).toHaveLength(9);
});
