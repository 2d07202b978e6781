import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { requirementIds } from "../../openapi/index.ts";
import { variations } from "../../reference/variations.ts";
import type { Finding } from "./suite-job.ts";
import { variationsPage } from "./variations-page.ts";
import type { VariationTrial } from "./variations-page.ts";

const check = "a/check";
const committed = new URL("../../docs/evidence/permitted-variations.md", import.meta.url);

test("the committed page is that of every variation there is, none with a failure", () => {
  const trials = variations.map((variation): VariationTrial => {
    const findings = requirementIds.flatMap((requirement): Finding[] => {
      const reading = variation.shows?.[requirement];
      return reading === undefined ? [] : [{ check, requirement, verdict: "pass", reading }];
    });
    return { variation, run: { findings } };
  });
  expect(readFileSync(committed, "utf8")).toBe(variationsPage(trials));
});
