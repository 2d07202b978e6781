import { fileURLToPath } from "node:url";
import { Redactor } from "../../../client/redactor.ts";
import type { RequirementId } from "../../../openapi/requirements.ts";
import type { JobTest } from "../../../harness/inputs/tests-file.ts";
import type { CheckResult } from "../../../reports/model.ts";
import { withoutOwnVariables } from "../../../traffic/clients/variables.ts";
import { judgeWorker } from "../../../traffic/workers/judge-worker.ts";
import { workerIds, workerPlan } from "../../../traffic/workers/worker-plan.ts";
import { usualTests } from "./cases.ts";
import type { WorkerCase } from "./cases.ts";

const script = fileURLToPath(new URL("handlers.py", import.meta.url));
const token = "t0k3n-of-a-model";

/** What takes half a minute, and is left out where it is not what a handler is faulty in. */
const longOnes: readonly RequirementId[] = ["WORK-13", "WORK-50", "WORK-51"];

/** Judges a worker with that handler: a faulty one by all but what takes long and is not its fault. */
export function judgedHandler(
  python: string,
  { name, breaks, tests = usualTests }: WorkerCase,
  workingDirectory: string,
): Promise<readonly CheckResult[]> {
  const left = breaks.length === 0 ? [] : longOnes.filter((id) => !breaks.includes(id));
  const startWithinMs = name === "never_asks" ? 5_000 : 120_000;
  const command = [python, "-u", script, name] as const;
  return judgedWorker(command, tests, workingDirectory, { left, startWithinMs });
}

/** Judges a worker by everything, but for what is left out. */
export async function judgedWorker(
  command: readonly [string, ...string[]],
  tests: readonly JobTest[],
  workingDirectory: string,
  { left = [], startWithinMs = 120_000 }: JudgedWorkerOptions = {},
): Promise<readonly CheckResult[]> {
  const only = new Set(workerIds.filter((id) => !left.includes(id)));
  const environment = {
    ...withoutOwnVariables(process.env),
    MODEL_TOKEN: token,
    HANDLERS_FOLDER: workingDirectory,
  };
  const outcome = await judgeWorker({
    program: { command, environment, workingDirectory },
    workers: 1,
    testEnvironment: {},
    startWithinMs,
    redactor: new Redactor(),
    signal: new AbortController().signal,
    plan: workerPlan({ tests, runs: 2, once: new Set(), hasBadInputs: true, only }),
    secrets: [{ name: "MODEL_TOKEN", value: token }],
    onResults: () => undefined,
    onEstimate: () => undefined,
  });
  return outcome.results;
}

interface JudgedWorkerOptions {
  readonly left?: readonly RequirementId[];
  readonly startWithinMs?: number;
}

/** The entries that a worker was found to break, and the sentences that say so. */
export function brokenOf(results: readonly CheckResult[]): {
  readonly ids: readonly string[];
  readonly sentences: readonly string[];
} {
  const failed = results.filter(({ verdict }) => verdict === "fail");
  const ids = [...new Set(failed.flatMap(({ covers }) => covers))].toSorted();
  const sentences = failed.flatMap(({ covers, mismatches = [] }) =>
    mismatches.map(
      ({ at, expected, got }) => `${covers.join()} ${at}: expected ${expected}, got ${got}`,
    ),
  );
  return { ids, sentences };
}
