import { expect, test } from "vitest";

import { reportOf } from "../../test/cli/report.ts";
import { annotationsOf } from "./run-action.ts";

test("what fails for one cause is one annotation, what stands alone has its own", () => {
  const report = reportOf(
    { "AUTH-01": "fail", "SUBM-01": "pass", "STAT-01": "inconclusive" },
    (["RUNA-01", "RUNA-03"] as const).map((id) => ({
      name: `discovery/${id}`,
      covers: [id],
      verdict: "fail" as const,
      cause: "missing-run",
      durationMs: 1,
      reason: "there is no run",
      evidence: [],
    })),
    {
      facts: [
        {
          id: "missing-run",
          topic: "missing",
          text: "run is not there",
          breaks: ["RUNA-01", "RUNA-03"],
          evidence: [],
        },
      ],
    },
  );
  const { failed, undecided } = annotationsOf(report);
  expect(failed).toEqual([
    { title: "RUNA-01 RUNA-03 failed", text: "run is not there" },
    { title: "AUTH-01 failed", text: expect.stringContaining("fail for a reason") as unknown },
  ]);
  expect(undecided.map(({ title }) => title)).toEqual(["STAT-01 was not decided"]);
});
