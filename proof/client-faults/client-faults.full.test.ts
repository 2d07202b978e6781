import { describe, expect, test } from "vitest";
import { faultsOfRequests } from "./faults-of-requests.ts";
import { faultsOfResults } from "./faults-of-results.ts";
import { failedIn, judged, ofPrograms } from "./judged.ts";

const clientFaults = [...faultsOfRequests, ...faultsOfResults];

describe.concurrent("the example client", () => {
  test.each(clientFaults)("with $name fails $caughtBy", async ({ caughtBy, changes }) => {
    const failed = failedIn(await judged(changes, [caughtBy]));
    expect(failed.map((line) => line.split(" ")[0])).toContain(caughtBy);
  });
});

test("every entry that a program can break has a fault", () => {
  const broken = new Set(clientFaults.map(({ caughtBy }) => caughtBy));
  expect(ofPrograms.filter((id) => !broken.has(id))).toEqual([]);
  expect(clientFaults.length).toBeGreaterThanOrEqual(60);
  expect(new Set(clientFaults.map(({ name }) => name)).size).toBe(clientFaults.length);
});
