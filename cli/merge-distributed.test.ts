import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { describe, expect, test } from "vitest";

import { metricLine, pointLine } from "../test/load/points-of-jobs.ts";
import { parseReport } from "../reports/parse-report.ts";
import type { Report } from "../reports/model.ts";
import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { reportOf } from "../test/cli/report.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

const scenario = "load/k6/rate-requests";
const file = "k6/points.json.gz";

describe("reports of the runners of one test", () => {
  test("are judged together, from the points of all", async () => {
    const { report, exitCode } = await merged([runner(1, "even"), runner(2, "odd")]);

    expect(exitCode).toBe(0);
    expect(verdictOf(report)).toMatchObject({ verdict: "pass", checks: [{ verdict: "pass" }] });
    const [load] = report.load;
    expect(report.load).toHaveLength(1);
    expect(load?.figures).toMatchObject({ "below sent": 16, "at sent": 20, "above sent": 40 });
    expect(load?.figures).toMatchObject({ "above accepted": 20, "above refused": 20 });
    // The latencies are 1 to 40 ms; the 99th percentiles of the runners alone are 38.62 and 39.62.
    expect(load?.figures["above latency ms p99"]).toBe(39.61);
    expect(load?.points).toBeUndefined();
  });

  test("fail together where neither runner could see it alone", async () => {
    const { report, exitCode } = await merged([
      runner(1, "even", { above: 200 }),
      runner(2, "odd", { above: 200 }),
    ]);

    expect(exitCode).toBe(1);
    expect(verdictOf(report)).toMatchObject({ verdict: "fail" });
    expect(verdictOf(report).reason).toContain("40 accepted, 0 refused");
  });

  test.each([
    { what: "only one is there", of: [1], why: "runner 2 of 2 is missing" },
    { what: "a runner is missing", of: [1, 3], runners: 3, why: "runner 2 of 3 is missing" },
    { what: "one is there twice", of: [1, 1], why: "runner 1 of 2 is there 2 times" },
    { what: "its points are missing", of: [1, 2], without: 2, why: "cannot be read: ENOENT" },
  ])("decide nothing where $what", async ({ of, runners = 2, without, why }) => {
    const { report, exitCode } = await merged(
      of.map((index) => runner(index, "even", { runners })),
      without,
    );

    expect(exitCode).toBe(3);
    expect(verdictOf(report)).toMatchObject({ verdict: "inconclusive" });
    expect(verdictOf(report).reason).toContain(why);
    expect(report.load).toEqual([]);
  });
});

interface Runner {
  readonly report: Report;
  readonly points: Buffer;
}

async function merged(
  runners: readonly Runner[],
  without?: number,
): Promise<{ readonly report: Report; readonly exitCode: number }> {
  const io = fakeIo({ workingDirectory: temporaryDirectory() });
  const files: string[] = [];
  for (const [at, { report, points }] of runners.entries()) {
    const folder = join(io.workingDirectory, String(at));
    await mkdir(join(folder, "k6"), { recursive: true });
    await writeFile(join(folder, file), points);
    await writeFile(join(folder, "report.json"), JSON.stringify(report));
    if (without === at + 1) await rm(join(folder, file));
    files.push(join(String(at), "report.json"));
  }
  const words = ["report", ...files, "--report", "out", "--format", "json"];
  const exitCode = await runCommandLine(words, io);
  expect(io.errors()).toBe("");
  const text = await readFile(join(io.workingDirectory, "out", "report.json"), "utf8");
  return { report: parseReport(text, "merged"), exitCode };
}

function verdictOf({ requirements }: Report): Report["requirements"][number] {
  const found = requirements.find(({ id }) => id === "RATE-08");
  if (found === undefined) throw new Error("RATE-08 is not there");
  return found;
}

/** Makes a runner with every other request of a load test; requests above the limit are refused by default. */
function runner(index: number, half: "even" | "odd", { above = 429, runners = 2 } = {}): Runner {
  const points = { file, runner: index, runners };
  const own = { verdict: "inconclusive", reason: `runner ${index} alone` } as const;
  const report = reportOf(
    {},
    [{ name: scenario, covers: ["RATE-08"], ...own, durationMs: 1, evidence: [] }],
    {
      command: "load",
      load: [{ scenario, engine: "k6", figures: {}, requirements: ["RATE-08"], points }],
    },
  );
  return { report, points: gzipSync(pointsOf(half, above).join("\n")) };
}

const phases = { below: 16, at: 20, above: 40 };
const counters = ["sent", "accepted", "refused", "other", "unanswered", "late"];

function pointsOf(half: "even" | "odd", statusAbove: number): readonly string[] {
  const parts = Object.keys(phases).map((level) => ({ phase: `requests-${level}` }));
  const lines = [
    ...counters.map((what) => metricLine(`requests_${what}`, "counter", ...parts)),
    metricLine("lateness", "trend", ...parts),
    metricLine("http_req_duration", "trend", ...parts),
  ];
  for (const [level, count] of Object.entries(phases)) {
    for (let at = half === "even" ? 0 : 1; at < count; at += 2) {
      const status = level === "above" && at >= 20 ? statusAbove : 200;
      const tags = { phase: `requests-${level}`, status: String(status) };
      lines.push(
        pointLine("requests_sent", 1, tags),
        pointLine(status === 429 ? "requests_refused" : "requests_accepted", 1, tags),
        pointLine("lateness", 0, tags),
        pointLine("http_req_duration", at + 1, tags),
      );
    }
  }
  return lines;
}
