import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createReport } from "../reports/create-report.ts";
import { writeJson } from "../reports/json.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";
import { runCommandLine } from "./program.ts";

function reportOf(command: "client" | "proxy"): string {
  const report = createReport({
    toolVersion: "0.1.0",
    command,
    judged: ["client"],
    seed: 0,
    startedAt: new Date(0),
    durationMs: 1,
    target: { baseUrl: "touch made-by-a-report", endpointId: "", capabilities: ["run"] },
    results: [],
  });
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "report.json"), writeJson(report));
  return directory;
}

describe("replay of a report about others", () => {
  test.each([
    ["client", "does not say what to start", "-- COMMAND`. Nothing that a report names is run."],
    ["proxy", "is about traffic of others, which is not sent again", "queueproof traffic FILE"],
  ] as const)("of %s starts nothing by itself", async (command, error, hint) => {
    const io = fakeIo({ workingDirectory: reportOf(command) });
    expect(await runCommandLine(["replay", "report.json", "CLNT-20"], io)).toBe(2);
    expect(io.errors()).toContain(error);
    expect(io.errors()).toContain(hint);
  });
});
