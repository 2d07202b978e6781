import { describe, expect, test } from "vitest";
import { failedIn, judged, ofPrograms } from "./judged.ts";
import { clientVariations } from "./variations.ts";

// One after the other: each starts some sixty programs, as many side by side as there are processors for.
describe("the example client", () => {
  test("passes everything that a client can show", async () => {
    const results = await judged([], ofPrograms);
    expect(failedIn(results)).toEqual([]);
    const passed = new Set(
      results.filter(({ verdict }) => verdict === "pass").flatMap(({ covers }) => covers),
    );
    // It sends neither a wait nor a policy.
    expect(ofPrograms.filter((id) => !passed.has(id))).toEqual(["CLNT-05"]);
  });

  test.each(clientVariations)("raises nothing: $name", async ({ changes }) => {
    // CLNT-31 alone takes a minute and a half, and none of them changes what it is about.
    const only = ofPrograms.filter((id) => id !== "CLNT-31");
    expect(failedIn(await judged(changes, only))).toEqual([]);
  });
});
