import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseReport } from "../reports/index.ts";
import { startCommand } from "./testing/command.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

describe("replay", () => {
  test("repeats on the same target what failed, and tells when it is mended", async () => {
    const directory = temporaryDirectory();
    const served = startCommand(
      ["serve", "--json", "--fault", "auth/stream-takes-any-key"],
      directory,
    );
    const [line] = await served.printed(/^.*\n/);
    const [controlUrl = ""] = /(?<="controlUrl":\s*")[^"]+/.exec(line) ?? [];
    const words = ["contract", "--control", controlUrl, "--only", "AUTH-02", "--seed", "9"];
    expect((await startCommand(words, directory).exit).exitCode).toBe(1);

    const again = ["replay", "reports/latest/report.json", "auth-02"];
    const end = await startCommand(again, directory).exit;
    expect(end).toMatchObject({ exitCode: 1, errors: "" });
    expect(end.output).toMatch(/^Again AUTH-02 .*: seed 9, dialect spec; it was fail\.$/m);
    expect(end.output.trimEnd()).toMatch(/AUTH-02 is fail, as it was\.$/);
    const latest = readFileSync(join(directory, "reports/latest/report.json"), "utf8");
    expect(JSON.parse(latest)).toMatchObject({ seed: 9, target: { controlUrl } });

    served.kill("SIGTERM");
    await served.exit;
    // As after the defect was mended: the same report, held against the embedded reference.
    const { integrity: _own, target, ...report } = parseReport(latest, "latest");
    const path = join(directory, "mended.json");
    writeFileSync(path, JSON.stringify({ ...report, target: { ...target, embedded: true } }));
    const mended = await startCommand(["replay", "mended.json", "AUTH-02"], directory).exit;
    expect(mended.exitCode).toBe(0);
    expect(mended.output.trimEnd()).toMatch(/AUTH-02 is pass; it was fail\.$/);
  });

  test("says what it needs", async () => {
    const directory = temporaryDirectory();
    const end = await startCommand(["replay", "none.json", "AUTH-02"], directory).exit;
    expect(end.exitCode).toBe(2);
    expect(end.errors).toMatch(/^error: The report none\.json cannot be read/);
    const misspelt = await startCommand(["replay", "none.json", "AUHT-02"], directory).exit;
    expect(misspelt.errors).toMatch(/no requirement "AUHT-02"; did you mean "AUTH-02"\?/);
  });
});

describe("a signal that comes before the program has loaded", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("%s still leaves a report", async (signal) => {
    const directory = temporaryDirectory();
    // The process sends it to itself at the first moment at which it could be heard.
    const early = `process.once("newListener", () => setImmediate(() => process.kill(process.pid, "${signal}")))`;
    const preload = `--import=data:text/javascript,${encodeURIComponent(early)}`;
    const run = startCommand(["contract"], directory, { NODE_OPTIONS: preload });
    expect((await run.exit).exitCode).toBe(130);
    const report = readFileSync(join(directory, "reports/latest/report.json"), "utf8");
    expect(JSON.parse(report)).toMatchObject({ interrupted: true });
  });
});
