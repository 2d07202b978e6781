import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { blockWith } from "../../test/docs/pages.ts";
import { readersDirectory, runLines } from "../../test/docs/shell.ts";

const page = "docs/before-a-release.md";

function lines(holds: string): string {
  return blockWith(page, "sh", holds).text;
}

describe("the page about a release, followed literally", () => {
  test("restarts a server under load, holds it to objectives, and compares it with last week", async () => {
    const directory = readersDirectory();
    onTestFinished(async () => {
      await runLines(lines("pkill -f"), directory);
    });
    expect((await runLines(lines("cat > start.sh"), directory)).exitCode).toBe(0);

    const killed = await runLines(lines("load kill"), directory);
    expect(killed.output).toContain(blockWith(page, "text", "load/fault/kill").text.trim());
    expect(killed.exitCode).toBe(0);

    const objectives = blockWith(page, "json", '"queueDelay"').text;
    writeFileSync(join(directory, "objectives.json"), objectives);
    const mixed = await runLines(lines("--objectives objectives.json"), directory);
    // Whether it keeps them depends on the machine: that each is judged does not.
    for (const name of ["status p99", "status errors", "run queueDelay p95", "mix errors"]) {
      expect(mixed.output).toMatch(new RegExp(`^\\w+ objective/${name} `, "m"));
    }

    const compared = await runLines(lines("compare reports/week-1"), directory);
    expect(compared.output).toMatch(/Times of load, over several runs[^]*\(4 and 4 runs\)/);
    expect(compared.output).not.toContain("decides nothing");
  });
});
