import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseReport } from "../reports/parse-report.ts";
import { changed, specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { faultNamed } from "../proof/faults/faults.ts";
import { runHere } from "../test/cli/failed-run.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

describe("replay", () => {
  test("repeats on the same target what failed, and tells when it is mended", async () => {
    const directory = temporaryDirectory();
    const change = faultNamed("auth/stream-takes-any-key")?.change(specified) ?? {};
    const served = await startReference({ behaviour: changed(specified, change) });
    onTestFinished(() => served.stop());
    const { controlUrl = "" } = served;
    const words = ["contract", "--control", controlUrl, "--only", "AUTH-02", "--seed", "9"];
    expect((await runHere(words, directory)).exitCode).toBe(1);

    const again = ["replay", "reports/latest/report.json", "auth-02"];
    const end = await runHere(again, directory);
    expect(end).toMatchObject({ exitCode: 1, errors: "" });
    expect(end.output).toMatch(/^Again AUTH-02 .*: seed 9, dialect spec; it failed then\.$/m);
    expect(end.output.trimEnd()).toMatch(/AUTH-02 fails, as before\.$/);
    const latest = readFileSync(join(directory, "reports/latest/report.json"), "utf8");
    expect(JSON.parse(latest)).toMatchObject({ seed: 9, target: { controlUrl } });

    const [cause] = parseReport(latest, "latest").causes ?? [];
    const byCause = await runHere(["replay", again[1] ?? "", cause?.id ?? ""], directory);
    expect(byCause.output.trimEnd()).toMatch(/AUTH-02 fails, as before\.$/);
    const misspelt = await runHere(["replay", again[1] ?? "", "AUHT-02"], directory);
    expect(misspelt.errors).toMatch(/no requirement "AUHT-02"; did you mean "AUTH-02"\?/);

    await served.stop();
    // Simulates a fixed defect: replays the same report against the embedded reference.
    const { integrity: _own, target, ...report } = parseReport(latest, "latest");
    const path = join(directory, "mended.json");
    writeFileSync(path, JSON.stringify({ ...report, target: { ...target, embedded: true } }));
    const mended = await runHere(["replay", "mended.json", "AUTH-02"], directory);
    expect(mended.exitCode).toBe(0);
    expect(mended.output.trimEnd()).toMatch(/AUTH-02 passes; it failed then\.$/);
  });

  test("says what it needs", async () => {
    const directory = temporaryDirectory();
    const end = await runHere(["replay", "none.json", "AUTH-02"], directory);
    expect(end.exitCode).toBe(2);
    expect(end.errors).toMatch(/^error: the report none\.json cannot be read/);
  });
});
