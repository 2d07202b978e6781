import { describe, expect, onTestFinished, test } from "vitest";

import { dialects } from "../../harness/dialects/shipped.ts";
import { startLocalServer } from "./local-server.ts";
import { pythonWithRunpod } from "./python.ts";
import { verdictsOf } from "./verdicts.ts";

/** The suite against the local server of the vendor's package, in the dialect rp-local. */

const { missing } = pythonWithRunpod();

const passing = [
  ...(["AUTH-01", "AUTH-02", "AUTH-03", "AUTH-04", "SUBM-01", "SUBM-02", "SUBM-04"] as const),
  ...(["SUBM-05", "SUBM-06", "SUBM-08", "RUNA-01", "SYNC-01", "SYNC-02", "SYNC-10"] as const),
  ...(["STAT-01", "STAT-02", "LIFE-04"] as const),
];

describe.skipIf(missing !== "")(`the vendor's local server ${missing}`, () => {
  test("keeps what its dialect leaves, but takes numbers that JSON does not have", async () => {
    const { baseUrl, stop } = await startLocalServer();
    onTestFinished(stop);
    const dialect = dialects.find(({ name }) => name === "rp-local");
    if (dialect === undefined) throw new Error("there is no dialect rp-local");
    const settings = {
      baseUrl,
      endpointId: "local",
      apiKey: "key",
      capabilities: ["handler"] as const,
      dialect,
    };
    const { verdicts, results } = await verdictsOf(settings, [...passing, "SUBM-03"]);
    expect(verdicts).toEqual({
      ...Object.fromEntries(passing.map((id) => [id, "pass"])),
      "SUBM-03": "fail",
    });
    const taken = results.flatMap(({ mismatches }) => mismatches);
    expect(taken.map(({ at }) => at).toSorted()).toEqual([
      "run with Infinity",
      "run with NaN",
      "runsync with Infinity",
      "runsync with NaN",
    ]);
  });
});
