import { expect, test } from "vitest";
import { runpod } from "../harness/dialects/runpod.ts";
import { thoroughReason } from "../reports/not-run.ts";
import { checkLiveService, deviationsOf, shippedDialect } from "../test/cli/live-service.ts";

const oddInputsReason = `${runpod.deviations?.skipsChecks?.["submit/odd-inputs-end"] ?? "none"} (dialect runpod)`;
const tolerated = ["HOOK-04", "HOOK-05", "HOOK-07", "POLI-01", "POLI-02", "STRM-01"];

test("the live service breaks nothing in its own dialect, which lists what it tolerates", async () => {
  const results = await checkLiveService(shippedDialect("runpod"), []);
  const reasons = results.filter(({ verdict }) => verdict !== "pass").map(({ reason }) => reason);
  expect(reasons).toEqual([oddInputsReason, thoroughReason]);
  expect(deviationsOf(results)).toEqual(tolerated);
});
