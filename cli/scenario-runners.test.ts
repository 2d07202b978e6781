import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { sizeOfJobs, pointsOfJobs } from "../test/load/points-of-jobs.ts";
import type { Left } from "../test/load/points-of-jobs.ts";
import { parseReport } from "../reports/parse-report.ts";
import type { Report } from "../reports/model.ts";
import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { reportOf } from "../test/cli/report.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

const file = "k6/whole-jobs.points.json.gz";

test.each([
  { what: "yes", left: [{}, {}], exitCode: 0, verdict: "pass", said: "Yes: 40 jobs, 0 lost" },
  {
    what: "no",
    left: [{}, { lost: 2 }],
    exitCode: 1,
    verdict: "fail",
    said: "No: 40 jobs, 2 lost",
  },
  {
    what: "nothing where one is missing",
    left: [{}],
    exitCode: 3,
    verdict: "inconclusive",
    said: "Not answered: the runners' results cannot be put together: runner 2 of 2 is missing.",
  },
])("runners of a scenario answer $what together", async ({ left, exitCode, verdict, said }) => {
  const together = await merged(left);
  expect(together.exitCode).toBe(exitCode);
  expect(together.report.load).toHaveLength(1);
  expect(together.report.load[0]).toMatchObject({ scenario: "load/k6/whole-jobs", verdict });
  expect(together.report.load[0]?.answer).toContain(said);
  expect(together.report.load[0]?.points).toBeUndefined();
  const lost = together.report.requirements.find(({ id }) => id === "LIFE-08");
  expect(lost).toMatchObject({ verdict, checks: [{ verdict }] });
});

async function merged(
  all: readonly Left[],
): Promise<{ readonly report: Report; readonly exitCode: number }> {
  const io = fakeIo({ workingDirectory: temporaryDirectory() });
  // A missing second runner is replaced by a report that says nothing about this scenario.
  const files = ["0/report.json", "1/report.json"];
  for (const at of files.keys()) {
    const folder = join(io.workingDirectory, String(at));
    await mkdir(join(folder, "k6"), { recursive: true });
    const left = all[at];
    if (left !== undefined) await writeFile(join(folder, file), pointsOfJobs(left, at));
    const report = reportOfRunner(left === undefined ? undefined : at + 1);
    await writeFile(join(folder, "report.json"), JSON.stringify(report));
  }
  const words = ["report", ...files, "--report", "out", "--format", "json"];
  const exitCode = await runCommandLine(words, io);
  const text = await readFile(join(io.workingDirectory, "out", "report.json"), "utf8");
  return { report: parseReport(text, "merged"), exitCode };
}

/** Makes a runner's own report; without `runner`, a report that says nothing about the scenario. */
function reportOfRunner(runner: number | undefined): Report {
  if (runner === undefined) return reportOf({}, [], { command: "load" });
  const scenario = "load/k6/whole-jobs";
  const alone = { verdict: "inconclusive", reason: `runner ${runner} alone` } as const;
  const points = { file, runner, runners: 2, asked: sizeOfJobs };
  const requirements = ["LIFE-08"];
  const check = { name: scenario, ...alone, durationMs: 1, evidence: [] };
  const entry = { scenario, engine: "k6", question: "?", figures: {}, requirements } as const;
  return reportOf({}, [{ ...check, covers: ["LIFE-08"] }], {
    command: "load",
    load: [{ ...entry, ...alone, points }],
  });
}
