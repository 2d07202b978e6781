import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startCommand } from "../test/cli/command.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";
import { openTerminal, tmux } from "../test/cli/terminal.ts";
import { main } from "../test/project.ts";

const queueproof = `'${process.execPath}' '${main}'`;

/** Starts the reference on a real clock, so that checks have to wait; returns the options that lead to it. */
async function realTarget(directory: string): Promise<string> {
  const served = startCommand(["serve", "--json", "--no-control", "--real"], directory);
  const [line] = await served.printed(/^.*\n/);
  const told: unknown = JSON.parse(line);
  const [baseUrl, endpointId, apiKey] = Object.values(told ?? {}).map(String);
  return `--base-url ${baseUrl} --endpoint ${endpointId} --api-key ${apiKey} --capability handler`;
}

describe.skipIf(tmux.missing !== "")(`on a real terminal ${tmux.missing}`, () => {
  test("long waits are bars that overlap, at any width, and survive a resize in the middle", async () => {
    const directory = temporaryDirectory();
    const target = await realTarget(directory);
    const words = `${queueproof} contract ${target} --only 'POLI-*,STAT-*,SYNC-*' --time-budget full`;
    const terminal = await openTerminal(words, {
      columns: 100,
      rows: 30,
      workingDirectory: directory,
    });
    // At least two bars are shown at once.
    await terminal.shows(/POLI-\d\d .*\[[#-]+\] .*\n.*POLI-\d\d .*\[[#-]+\] /);
    await terminal.resize(20, 30);
    const narrow = await terminal.shows(/^\d+\/\d+/m);
    expect(Math.max(...narrow.split("\n").map((line) => line.length))).toBeLessThanOrEqual(20);
    await terminal.shows(/^….+ \d+:\d\d$/m);
    await terminal.resize(100, 30);
    await terminal.shows(/ of \d+ checks, 0 failed; .*\n.*POLI-\d\d .*\[/);

    await terminal.press("C-c");
    const end = await terminal.shows(/ended with 130/);
    expect(end).toContain(", seed 1: http://");
    // No live lines are left at the end.
    const [, afterStop = ""] = end.split("Stopping; the report of what was decided follows.");
    expect(afterStop).toMatch(/Report:/);
    expect(afterStop).not.toMatch(/\[[#-]{6,}\]| checks, 0 failed; /);
    expect(existsSync(join(directory, "reports/latest/report.json"))).toBe(true);
  });

  test("--watch runs again what failed, and everything, and q ends with the last exit code", async () => {
    const directory = temporaryDirectory();
    const fault = ["--fault", "auth/stream-takes-any-key"];
    const served = startCommand(["serve", "--json", ...fault], directory);
    const [line] = await served.printed(/^.*\n/);
    const [control = ""] = /(?<="controlUrl":\s*")[^"]+/.exec(line) ?? [];
    const words = `${queueproof} contract --watch --control ${control} --only AUTH-02 --only RUNA-01`;
    const terminal = await openTerminal(words, {
      columns: 100,
      rows: 50,
      workingDirectory: directory,
    });
    await terminal.shows(/Again: r what is not settled \(1\), a everything, q quit/);
    await terminal.press("r");
    // The second report also lists RUNA-01, though only AUTH-02 was run again.
    await terminal.shows(/(1 passed, 1 failed[^]*){2}Again: r what is not settled \(1\)/);
    await terminal.press("a");
    await terminal.shows(/(1 passed, 1 failed[^]*){3}Again: r what is not settled \(1\)/);
    await terminal.press("q");
    await terminal.shows(/ended with 1/);
    const report = readFileSync(join(directory, "reports/latest/report.json"), "utf8");
    expect(JSON.parse(report)).toMatchObject({ summary: { requirements: { pass: 1, fail: 1 } } });
  });

  test("init asks, and tells a wrong answer", async () => {
    const directory = temporaryDirectory();
    const terminal = await openTerminal(`${queueproof} init`, {
      columns: 100,
      rows: 30,
      workingDirectory: directory,
    });
    await terminal.shows(/URL of the server to test.*:$/m);
    await terminal.press("a.test", "Enter");
    await terminal.shows(/expected an http or https URL[^]*URL of the server to test/);
    await terminal.press("Enter");
    await terminal.shows(/Longest time for one check/);
    await terminal.press("5m", "Enter");
    await terminal.shows(/Directory of the report/);
    await terminal.press("Enter");
    await terminal.shows(/Wrote queueproof\.config\.json[^]*ended with 0/);
    const text = readFileSync(join(directory, "queueproof.config.json"), "utf8");
    expect(text).toMatch(/^ {2}"timeBudget": "5m",$/m);
  });
});

test("--watch where nobody can press a key is wrong usage", async () => {
  const end = await startCommand(["contract", "--watch"], temporaryDirectory()).exit;
  expect(end.exitCode).toBe(2);
  expect(end.errors).toMatch(/^error: --watch needs a terminal/);
});
