import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { Redactor } from "../../client/redactor.ts";
import type { JobTest } from "../../harness/inputs/tests-file.ts";
import type { CheckResult } from "../../reports/model.ts";
import { nodeWorkerScript } from "../../test/node-worker-script.ts";
import { judgeWorker } from "./judge-worker.ts";
import type { WorkerJudgement, WorkerOutcome } from "./judge-worker.ts";
import { workerIds, workerPlan } from "./worker-plan.ts";

const script = nodeWorkerScript();
const secrets = [{ name: "MODEL_TOKEN", value: "t0k3n-of-a-model" }];

function jobTest(name: string, prompt: string): JobTest {
  return { name, input: { prompt }, timeoutMs: 60_000, expectsFailure: false };
}
const tests = [jobTest("three", "three words here"), jobTest("two", "two words")];

function judged(what: string, changes: Partial<WorkerJudgement> = {}): Promise<WorkerOutcome> {
  const environment = { PATH: process.env["PATH"], MODEL_TOKEN: "t0k3n-of-a-model" };
  const only = new Set(workerIds.filter((id) => id !== "WORK-50"));
  return judgeWorker({
    program: {
      command: [process.execPath, script, what],
      environment,
      workingDirectory: dirname(script),
    },
    workers: 1,
    testEnvironment: {},
    startWithinMs: 30_000,
    redactor: new Redactor(),
    signal: new AbortController().signal,
    plan: workerPlan({ tests, runs: 2, once: new Set(), hasBadInputs: true, only }),
    secrets,
    onResults: () => undefined,
    onEstimate: () => undefined,
    ...changes,
  });
}

/** The entries that fail, each with the sentences that say why. */
function failuresOf(results: readonly CheckResult[]): ReadonlyMap<string, readonly string[]> {
  const failures = new Map<string, string[]>();
  for (const { covers, verdict, mismatches = [] } of results) {
    if (verdict !== "fail") continue;
    for (const id of covers) {
      failures.set(id, [...(failures.get(id) ?? []), ...mismatches.map(({ got }) => got)]);
    }
  }
  return failures;
}

describe("a worker", { concurrent: true }, () => {
  test("a worker whose jobs come out breaks nothing, and has its figures", async () => {
    const { results, figures } = await judged("right");
    expect([...failuresOf(results)]).toEqual([]);
    const passed = new Set(
      results.filter(({ verdict }) => verdict === "pass").flatMap(({ covers }) => covers),
    );
    for (const id of [
      "WORK-01",
      "WORK-02",
      "WORK-10",
      "WORK-11",
      "WORK-12",
      "WORK-13",
      "WORK-33",
    ]) {
      expect([...passed]).toContain(id);
    }
    expect(figures?.tests.map(({ name, outcome }) => [name, outcome])).toEqual([
      ["three", "as expected"],
      ["two", "as expected"],
    ]);
  });

  test.each([
    ["dies", ["WORK-02", "WORK-10"], /exit code 7/],
    ["untold", ["WORK-10", "WORK-11"], /stay IN_PROGRESS/],
    ["no-json", ["WORK-10", "WORK-11"], /NaN at line 1/],
    ["too-large", ["WORK-10", "WORK-11"], /21\.0 MiB, and the service takes 20/],
    ["once", ["WORK-10", "WORK-12"], /used up/],
    ["errs", ["WORK-21"], /"status": failed/],
    ["leaks", ["WORK-23"], /the variable MODEL_TOKEN/],
  ] as const)("a worker that %s breaks %s", async (what, ids, sentence) => {
    const { results } = await judged(what);
    const failures = failuresOf(results);
    expect([...failures.keys()].toSorted()).toEqual(ids);
    expect([...failures.values()].flat()).toContainEqual(expect.stringMatching(sentence));
  });

  test("what keeps a result from coming out is one cause of all that it breaks", async () => {
    const { results, causes } = await judged("no-json");
    expect(causes.map(({ text }) => text)).toEqual([expect.stringMatching(/NaN at line 1/)]);
    const failed = results.filter(({ verdict }) => verdict === "fail");
    expect(new Set(failed.map(({ cause }) => cause))).toEqual(new Set(causes.map(({ id }) => id)));
  });

  test("a stream is read as it was sent", async () => {
    const { results } = await judged("streams");
    expect([...failuresOf(results)]).toEqual([]);
    const stream = results.filter(({ covers }) => covers.includes("WORK-40"));
    expect(stream.map(({ verdict }) => verdict)).toContain("pass");
  });

  test("a chunk that will be split is told, and is no fault", async () => {
    const only = new Set(["WORK-40"] as const);
    const plan = workerPlan({ tests, runs: 1, once: new Set(), hasBadInputs: false, only });
    const { results, figures } = await judged("big-chunks", { plan });
    expect([...failuresOf(results)]).toEqual([]);
    const told = /^A chunk of "t\w+" has 1\.1 MiB: the service splits what is above 1 MB/;
    expect(figures?.told).toEqual([expect.stringMatching(told)]);
  });

  test("what a worker printed stands with the failure, and no secret does", async () => {
    const { results } = await judged("errs");
    const failed = results.find(({ verdict }) => verdict === "fail");
    expect(failed?.printed?.join("\n")).toMatch(/took /);
    expect(JSON.stringify(failed)).not.toContain("a key of its own");
  });

  test("a program that never asks for a job is told so, and decides nothing else", async () => {
    const { results, figures } = await judged("ends");
    expect([...failuresOf(results)]).toEqual([
      ["WORK-01", [expect.stringMatching(/exit code 0: its program has to call/)]],
    ]);
    expect(figures).toBeUndefined();
    expect(results).toHaveLength(1);
  });

  test("several processes work, each under an id of its own", async () => {
    const { results, figures } = await judged("right", { workers: 3 });
    expect([...failuresOf(results)]).toEqual([]);
    expect(figures?.tests).toHaveLength(2);
  });

  test("a signal ends the run and every process", async () => {
    const stopping = new AbortController();
    const { results } = await judged("right", {
      signal: stopping.signal,
      onResults: () => stopping.abort(),
    });
    expect(results.map(({ covers }) => covers)).toEqual([["WORK-01"]]);
  });
});
