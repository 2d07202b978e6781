import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { UnreliableTarget } from "../test/hostile/unreliable-target.ts";
import { changed, specified } from "../reference/behaviour.ts";
import { faultNamed } from "../proof/faults/faults.ts";
import type { Behaviour } from "../reference/behaviour.ts";
import { parseReport } from "../reports/parse-report.ts";
import type { Report } from "../reports/model.ts";
import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

type OnFinished = (clean: () => void) => void;

// RATE-06 is decided first; the target goes away during RATE-08.
describe.concurrent("a target of load that goes in the middle", () => {
  test("for good ends the run with exit code 3", async ({ onTestFinished }) => {
    const ended = await load((target) => target.kill(), onTestFinished);
    expect(ended.exitCode).toBe(3);
    expect(ended.report.targetGone?.request).toMatch(/^GET \/v2\/[^/]+\/requests/);
    expect(ended.verdicts).toEqual({ "RATE-06": "pass", "RATE-08": "inconclusive" });
    expect(ended.output).toContain("stopped answering after GET /v2/");
  });

  test("for good ends it with exit code 1 where a requirement had failed", async ({
    onTestFinished,
  }) => {
    const change = faultNamed("rate/purge-queue-one-short")?.change(specified) ?? {};
    const behaviour = changed(specified, change);
    const ended = await load((target) => target.kill(), onTestFinished, behaviour);
    expect(ended.exitCode).toBe(1);
    expect(ended.report.targetGone).toBeDefined();
    expect(ended.verdicts).toEqual({ "RATE-06": "fail", "RATE-08": "inconclusive" });
  });

  test("and comes back is told, and judged by what was run again", async ({ onTestFinished }) => {
    const ended = await load((target) => target.restart(2_000), onTestFinished);
    expect(ended.exitCode).toBe(0);
    expect(ended.report.targetGone).toBeUndefined();
    expect(ended.report.outages).toMatchObject([{ check: "rate/limit-of-requests" }]);
    expect(ended.verdicts).toEqual({ "RATE-06": "pass", "RATE-08": "pass" });
  });
});

interface Ended {
  readonly exitCode: number;
  readonly output: string;
  readonly report: Report;
  readonly verdicts: Readonly<Record<string, string>>;
}

/** Loads a target and calls `happen` once, at the fifth request of the operation requests. */
async function load(
  happen: (target: UnreliableTarget) => Promise<void>,
  onFinished: OnFinished,
  behaviour: Behaviour = specified,
): Promise<Ended> {
  let seen = 0;
  const target = await UnreliableTarget.start(({ operation }) => {
    if (operation === "requests") seen += 1;
    // The check before also sends this operation, to see that its own limit is not shared; that is answered.
    if (operation !== "requests" || seen !== 5) return "answer";
    void happen(target);
    return "silence";
  }, behaviour);
  onFinished(() => void target.kill());
  const io = fakeIo({
    workingDirectory: temporaryDirectory(onFinished),
    environment: { PATH: "" },
  });
  const only = ["--only", "RATE-06", "--only", "RATE-08", "--format", "json"];
  const exitCode = await runCommandLine(["load", "--control", target.controlUrl, ...only], io);
  const file = join(io.workingDirectory, "reports", "latest", "report.json");
  const report = parseReport(await readFile(file, "utf8"), file);
  const tried = report.requirements.filter(({ verdict }) => verdict !== "not-run");
  const verdicts = Object.fromEntries(tried.map(({ id, verdict }) => [id, verdict]));
  return { exitCode, output: io.output(), report, verdicts };
}
