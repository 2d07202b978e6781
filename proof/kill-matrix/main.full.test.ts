import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";

interface Ended {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

const main = fileURLToPath(new URL("../../dist/proof/kill-matrix/main.js", import.meta.url));

/** Runs what `npm run faults` runs, in a directory of the test's own. */
async function runFaults(
  words: readonly string[],
  directory = temporaryDirectory(),
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: directory };
    execFile(process.execPath, [main, ...words], options, (error, output, errors) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), output, errors });
    });
  });
}

describe("npm run faults", () => {
  test("writes the rows of what it ran, finds them current, and finds one missing", async () => {
    const directory = temporaryDirectory();
    const words = ["cancel/waits-for-the-handler", "--out", "matrix.json"];
    const file = join(directory, "matrix.json");
    writeFileSync(file, '{"another/fault": ["another/check"]}');
    expect(await runFaults(words, directory)).toEqual({
      exitCode: 0,
      output: "1 faults, 1 killed, 0 survived; 0 checks, 0 proved\n",
      errors: "",
    });
    const kept = readFileSync(file, "utf8");
    expect(kept).toMatch(
      /"another\/fault": \["another\/check"\],\n {2}"cancel\/waits-for-the-handler": \["/,
    );

    expect(await runFaults([...words, "--check"], directory)).toMatchObject({ exitCode: 0 });
    writeFileSync(file, "{}");
    const stale = await runFaults([...words, "--check"], directory);
    expect(stale).toMatchObject({ exitCode: 1 });
    expect(stale.output).toContain("matrix.json is out of date for cancel/waits-for-the-handler");
    expect(readFileSync(file, "utf8")).toBe("{}");
  });

  test("runs a permitted variation", async () => {
    expect(await runFaults(["--variations", "errors/body-is-empty"])).toEqual({
      exitCode: 0,
      output: "1 permitted variations, 1 without a failure\n",
      errors: "",
    });
  });

  test("refuses a wrong option by exit code 2", async () => {
    const ended = await runFaults(["--only", "CANC-01"]);
    expect(ended).toMatchObject({ exitCode: 2, output: "" });
    expect(ended.errors).toMatch(/^error: unknown option '--only'\n/);
  });

  test("refuses a name of nothing by exit code 2", async () => {
    const ended = await runFaults(["no/such"]);
    expect(ended).toMatchObject({ exitCode: 2, output: "" });
    expect(ended.errors).toMatch(/^error: no\/such matches nothing\nhint: /);
  });

  test("prints its options", async () => {
    const ended = await runFaults(["--help"]);
    expect(ended).toMatchObject({ exitCode: 0, errors: "" });
    expect(ended.output).toContain("--real-clock");
  });
});
