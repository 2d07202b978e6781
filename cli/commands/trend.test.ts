import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createReport } from "../../reports/create-report.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { FakeIo } from "../../test/cli/fake-io.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { runCommandLine } from "../program.ts";

function keep(folder: string, name: string, baseUrl: string): void {
  const report = createReport({
    toolVersion: "0.1.0",
    command: "contract",
    seed: 1,
    startedAt: new Date(),
    durationMs: 1,
    target: { baseUrl, endpointId: "e", capabilities: [] },
    results: [],
  });
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "report.json"), JSON.stringify(report));
}

async function trendOf(
  folder: string,
): Promise<{ readonly io: FakeIo; readonly exitCode: number }> {
  const io = fakeIo({ workingDirectory: folder });
  return { io, exitCode: await runCommandLine(["trend", "."], io) };
}

test("the reports of a folder become one page beside them", async () => {
  const folder = temporaryDirectory();
  for (const name of ["monday", "deep/tuesday"]) keep(folder, name, "http://a.example");
  writeFileSync(join(folder, "package.json"), "{}");
  const { io, exitCode } = await trendOf(folder);
  expect(exitCode).toBe(0);
  expect(io.output()).toContain("2 reports of http://a.example, 1 file of JSON are no reports");
  expect(readFileSync(join(folder, "trend.html"), "utf8")).toContain("deep/tuesday/report.html");
});

test.each([
  ["one report is no trend", ["http://a.example"], /holds no two reports/],
  ["reports of two targets are none", ["http://a.example", "http://b.example"], /of 2 targets/],
])("%s", async (_, targets, said) => {
  const folder = temporaryDirectory();
  for (const [at, target] of targets.entries()) keep(folder, String(at), target);
  const { io, exitCode } = await trendOf(folder);
  expect(exitCode).toBe(2);
  expect(io.errors()).toMatch(said);
  expect(existsSync(join(folder, "trend.html"))).toBe(false);
});

test("a folder that is not there is named", async () => {
  const { io, exitCode } = await trendOf(join(temporaryDirectory(), "nowhere"));
  expect(exitCode).toBe(2);
  expect(io.errors()).toMatch(/nowhere cannot be read/);
});
