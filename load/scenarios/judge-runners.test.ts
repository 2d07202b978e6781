import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { wholeJobs } from "../../scenarios/data/whole-jobs.ts";
import { appendPoints } from "../distributed/append-points.ts";
import type { Series } from "../k6/points.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { sizeOfJobs as asked, pointsOfJobs } from "../../test/load/points-of-jobs.ts";
import type { Left } from "../../test/load/points-of-jobs.ts";
import { judgeScenarioRunners } from "./judge-runners.ts";
import type { ScenarioRunner } from "./judge-runners.ts";

describe("runners of a scenario", () => {
  test("are judged from all values: counts add up, percentiles are none of the runners'", async () => {
    const { entry, checks } = await judgeScenarioRunners(wholeJobs, await runners([{}, {}]));
    expect(entry).toMatchObject({ scenario: "load/k6/whole-jobs", engine: "k6", verdict: "pass" });
    // The times are 1 to 40 ms, alternating between the runners, whose own p95 are 37.1 and 38.1.
    expect(entry.figures).toMatchObject({ jobs: 40, "time to result ms p95": 38.05 });
    expect(checks).toMatchObject([{ covers: ["LIFE-08"], verdict: "pass" }]);
  });

  test("are answered no by what any of them saw", async () => {
    const { entry, checks } = await judgeScenarioRunners(
      wholeJobs,
      await runners([{}, { lost: 1 }]),
    );
    expect(entry).toMatchObject({ verdict: "fail", reason: "1 jobs lost, at most 0" });
    expect(checks).toMatchObject([{ covers: ["LIFE-08"], verdict: "fail" }]);
  });

  test("are held to the counts of all, not of each", async () => {
    const some = await runners([{ jobs: 20 }, { jobs: 18 }]);
    const { entry } = await judgeScenarioRunners(wholeJobs, some);
    expect(entry).toMatchObject({
      verdict: "inconclusive",
      reason: "k6: 38 begun in jobs, at least 39",
    });
  });

  test("are late by what they began later", async () => {
    const behind = await runners([{ beganMs: 5_000 }, { beganMs: 5_900, lateMs: 200 }]);
    const { entry } = await judgeScenarioRunners(wholeJobs, behind);
    expect(entry.reason).toBe("k6: 1100 ms late in jobs, at most 1000");
  });

  test("what was seen beside k6 is read as if it were k6's", async () => {
    const both = await runners([{}, {}]);
    const [first] = both;
    const lost: Series = { type: "counter", values: [2] };
    await appendPoints(first?.path ?? "", new Map([["jobs_lost", lost]]));
    const { entry } = await judgeScenarioRunners(wholeJobs, both);
    expect(entry.reason).toBe("2 jobs lost, at most 0");
  });

  test.each([
    {
      what: "one began too late",
      left: [{}, { beganMs: 2_500 }],
      why: "1500 ms from the first runner's start to the last one's",
    },
    {
      what: "one does not say when it began",
      left: [{}, { beganMs: undefined }],
      why: "the points of one runner do not say when it began",
    },
    {
      what: "one ran in another size",
      left: [{}, {}],
      change: { asked: { ...asked, durationMs: 3_000 } },
      why: "runner 1 ran for 1.6 s at scale 1 against a target that offers handler, runner 2 for 3 s",
    },
    {
      what: "one was stopped",
      left: [{}, {}],
      change: { undecided: "k6 was stopped" },
      why: "runner 2: k6 was stopped",
    },
    {
      what: "the points of one are missing",
      left: [{}, {}],
      change: { path: "/no/such/points.json.gz" },
      why: "/no/such/points.json.gz cannot be read: ENOENT",
    },
    {
      what: "one is missing",
      left: [{}, {}],
      problem: "runner 3 of 3 is missing",
      why: "runner 3 of 3 is missing",
    },
  ])("answer nothing where $what", async ({ left, change = {}, problem, why }) => {
    const [first, second] = await runners(left);
    if (first === undefined || second === undefined) throw new Error("there are two");
    const both = [first, { ...second, ...change }];
    const { entry, checks } = await judgeScenarioRunners(wholeJobs, both, { problem });
    expect(entry.verdict).toBe("inconclusive");
    expect(entry.reason).toContain(why);
    expect(entry.answer).toContain("Not answered: ");
    expect(checks.map(({ verdict }) => verdict)).toEqual(["inconclusive"]);
  });
});

async function runners(all: readonly Left[]): Promise<readonly ScenarioRunner[]> {
  const folder = temporaryDirectory();
  return Promise.all(
    all.map(async (left, at) => {
      const path = join(folder, `${at + 1}.json.gz`);
      await writeFile(path, pointsOfJobs(left, at));
      return { path, runner: at + 1, runners: all.length, asked };
    }),
  );
}
