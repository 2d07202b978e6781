import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../cli/temporary-directory.ts";
import { pythonWithRunpod } from "./python.ts";
import { conformanceScript } from "./python.ts";
import { faultyHandlers, jobTest, rightHandlers } from "./workers/cases.ts";
import { brokenOf, judgedHandler, judgedWorker } from "./workers/judged-handler.ts";

const { missing, path: python } = pythonWithRunpod();

/** A module of the package, as `runpod project create` copies it. */
const startingHandler = "runpod.cli.groups.project.starter_templates.default.src.handler";

// Nearly all of it is waiting: the library rests for a second after each job.
const together = { concurrent: true };

describe.skipIf(missing !== "")(`workers of the package runpod ${missing}`, together, () => {
  test.for(faultyHandlers)("$name breaks $breaks", async (handler, { onTestFinished }) => {
    const folder = temporaryDirectory(onTestFinished);
    const { ids, sentences } = brokenOf(await judgedHandler(python, handler, folder));
    const byChance = new Set<string>(handler.alsoBreaks);
    expect(ids.filter((id) => !byChance.has(id))).toEqual(handler.breaks.toSorted());
    expect(sentences).toContainEqual(expect.stringMatching(handler.says ?? /./));
  });

  test.for(rightHandlers)("$name breaks nothing", async (handler, { onTestFinished }) => {
    const folder = temporaryDirectory(onTestFinished);
    const { sentences } = brokenOf(await judgedHandler(python, handler, folder));
    expect(sentences).toEqual([]);
  });

  test("the conformance handler breaks nothing", async ({ onTestFinished }) => {
    const tests = [
      { ...jobTest("echo", ""), input: { op: "echo", value: "hello" } },
      { ...jobTest("sleep", ""), input: { op: "sleep", ms: 100, value: "done" } },
    ];
    const command = [python, "-u", conformanceScript] as const;
    const { sentences } = brokenOf(
      await judgedWorker(command, tests, temporaryDirectory(onTestFinished)),
    );
    expect(sentences).toEqual([]);
  });

  test("the handler that the package begins a project with breaks nothing", async ({
    onTestFinished,
  }) => {
    const tests = [
      { ...jobTest("ann", ""), input: { name: "Ann" } },
      { ...jobTest("bob", ""), input: { name: "Bob" } },
    ];
    const command = [python, "-u", "-m", startingHandler] as const;
    const { sentences } = brokenOf(
      await judgedWorker(command, tests, temporaryDirectory(onTestFinished)),
    );
    expect(sentences).toEqual([]);
  });
});
