import { dirname } from "node:path";
import { expect, test } from "vitest";
import { Redactor } from "../../client/redactor.ts";
import { nodeWorkerScript } from "../../test/node-worker-script.ts";
import { judgeWorker } from "./judge-worker.ts";
import { workerPlan } from "./worker-plan.ts";

const script = nodeWorkerScript();
const tests = [{ name: "two", input: { prompt: "a b" }, timeoutMs: 30_000, expectsFailure: false }];

test.concurrent.each([
  ["slow", /ends and leaves the job/],
  ["slow-finishes", /does it first\.$/],
] as const)(
  "what a worker that is %s makes of its job when it is told to stop is told",
  async (what, told) => {
    const { results, figures } = await judgeWorker({
      program: {
        command: [process.execPath, script, what],
        environment: { PATH: process.env["PATH"] },
        workingDirectory: dirname(script),
      },
      workers: 1,
      testEnvironment: {},
      startWithinMs: 30_000,
      redactor: new Redactor(),
      signal: new AbortController().signal,
      plan: workerPlan({
        tests,
        runs: 1,
        once: new Set(),
        hasBadInputs: false,
        only: new Set(["WORK-33"]),
      }),
      secrets: [],
      onResults: () => undefined,
      onEstimate: () => undefined,
    });
    expect(results).toMatchObject([{ covers: ["WORK-33"], verdict: "pass" }]);
    expect(figures?.told).toEqual([expect.stringMatching(told)]);
  },
);
