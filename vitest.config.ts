import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";
import type { TestProjectInlineConfiguration } from "vitest/config";

const elsewhere = ["**/node_modules/**", ".cache/**", "dist/**", "examples/**"];
const ofFull = "**/*.full.test.ts";
const ofContract = "contracts/contract.test.ts";

/**
 * Ends what hangs; no test depends on how fast the machine is. A run that takes two minutes by itself, and is tried again,
 * has its time also where six others share two cores with it.
 */
const hangMs = 900_000;

/** The files that take minutes, the longest first: what is left at the end then ends soon. */
const longFiles = [
  ofContract,
  "contracts/strangers.full.test.ts",
  "proof/client-faults/right-clients.full.test.ts",
  "test/foreign/clients.full.test.ts",
  "contracts/stranger-combinations.full.test.ts",
  "contracts/unreliable.full.test.ts",
  "contracts/lacks.full.test.ts",
  "contracts/fronts.full.test.ts",
  "cli/repeat.full.test.ts",
];

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longFiles.findIndex((path) => moduleId.endsWith(path));
  return rank === -1 ? longFiles.length : rank;
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer's method, no array's
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

interface Files {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

type TestOptions = TestProjectInlineConfiguration["test"];

function project(name: string, { include, exclude }: Files, options: TestOptions) {
  const files = { include: [...include], exclude: [...elsewhere, ...exclude] };
  const poll = { timeout: hangMs };
  const limits = { testTimeout: hangMs, hookTimeout: hangMs, expect: { poll } };
  // What was transformed is kept for the next run, by its content.
  const experimental = { fsModuleCache: true };
  return { test: { name, ...files, ...limits, experimental, ...options } };
}

/** In one group with the tests of the project, it runs beside them. */
const contract = project(
  "contract",
  { include: [ofContract], exclude: [] },
  { isolate: false, maxWorkers: 6 },
);
/**
 * What depends on when each process gets its turn: what three processes of k6 send together, how a server's time and memory
 * grow, and what programs of others do in seconds.
 */
const ofAlone = [
  "load/scenarios/{scenarios,soak,shared-counts,shared-verdicts}.full.test.ts",
  "test/foreign/workers.full.test.ts",
  "proof/client-faults/client-faults.full.test.ts",
  "proof/recovery/faults-under-load.full.test.ts",
];
const setupFiles = ["test/without-settings.ts"];

/** Whether the environment names a server of the user's own; an empty variable still names one. */
const isTargetNamed = ["QUEUEPROOF_BASE_URL", "QUEUEPROOF_URL", "QUEUEPROOF_CONTROL"].some(
  (name) => process.env[name] !== undefined,
);

/**
 * `unit` needs nothing but Node; `contract` is the contract suite, a test for each check, against the embedded
 * reference or the server that the environment names, and then that alone; `full` holds what needs other programs, or
 * minutes, and mostly waits; `alone` the few of them that a busy machine disturbs, one file after the other when all else
 * has ended. `npm test` runs the first two, `npm run test:full` the others.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./test/count-reporter.ts"],
    projects: isTargetNamed
      ? [contract]
      : [
          // Loading the project anew for each file would take longer than all of the tests.
          project(
            "unit",
            { include: ["**/*.test.ts"], exclude: [ofFull, ofContract] },
            // Six in all with the contract suite, since they wait more than they compute.
            { isolate: false, maxWorkers: 6, setupFiles },
          ),
          contract,
          project(
            "full",
            { include: [ofFull], exclude: ofAlone },
            // Of more, none would get its turn soon enough on two cores: servers and runs compute, too.
            { isolate: false, maxWorkers: 3, setupFiles },
          ),
          project(
            "alone",
            { include: ofAlone, exclude: [] },
            // Tests of one file that run together only wait.
            {
              isolate: false,
              maxWorkers: 1,
              maxConcurrency: 10,
              setupFiles,
              sequence: { groupOrder: 1 },
            },
          ),
        ],
  },
});
