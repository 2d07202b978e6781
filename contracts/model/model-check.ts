import * as fc from "fast-check";
import type { Check } from "../../harness/check.ts";
import { Stopped, Inconclusive } from "../../harness/outcome.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { Disagreement } from "./model-comparison.ts";
import { ModelRunner } from "./model-runner.ts";
import type { SequenceLimits } from "./model-runner.ts";
import { longSequences } from "./long-steps.ts";
import { sequences, onJob, setWorkers } from "./steps.ts";
import type { Step, JobStep } from "./steps.ts";

const fail: Step = { do: "submit", work: { op: "fail" }, policy: {} };
const sleep: Step = { do: "submit", work: { op: "sleep", ms: 9300 }, policy: {} };
const shortTimeout: Step = { ...sleep, policy: { executionTimeout: 5000 } };
const sixSeconds: Step = { do: "advance", ms: 6007 };
const noWorkers = setWorkers(0);
const twoWorkers = setWorkers(2);

const onFirst = (operation: JobStep["do"]): Step => onJob(operation)(0);

/**
 * Sequences that are tried before the random ones. They find faults that only a combination of steps shows, which a
 * few random sequences would meet only by luck.
 */
const exampleSequences: readonly (readonly Step[])[] = [
  // A retried job waits again: it can be cancelled, purged and processed like a job that never ran.
  [fail, noWorkers, onFirst("retry"), onFirst("cancel"), twoWorkers],
  [fail, noWorkers, onFirst("retry"), { do: "purge" }, twoWorkers],
  [shortTimeout, sleep, sixSeconds, onFirst("retry"), sixSeconds, sixSeconds],
  // A worker whose job was cancelled takes the next job, and the cancelled work counts nowhere.
  [sleep, sleep, onFirst("cancel"), sixSeconds, onFirst("cancel"), { do: "advance", ms: 15_007 }],
];

/** Sequences that are drawn, and run. */
interface Plan {
  readonly sequences: fc.Arbitrary<readonly Step[]>;
  /** Sequences that are tried before the random ones. */
  readonly examples: readonly (readonly Step[])[];
  /** Another seed draws other sequences. */
  readonly randomCount: number;
  readonly limits: SequenceLimits;
}

/** After so long no further sequence is run, nor a shorter one sought. */
const shrinkingMsMax = 20_000;

/** Enough sequences to meet each pair of steps. After each step all jobs are read. */
const short: Plan = {
  sequences,
  examples: exampleSequences,
  randomCount: 12,
  limits: { jobsMax: 6, unfinishedMax: 6, endedReads: 6, stopsAtDeletions: true },
};

/** Some thousand jobs. Each is read while it is unfinished and once it has ended, and some of those before in turn. */
const long: Plan = {
  sequences: longSequences,
  examples: [],
  randomCount: 8,
  limits: { jobsMax: 5000, unfinishedMax: 40, endedReads: 3, stopsAtDeletions: false },
};

/** Random sequences against target and model (LIFE-06). */
export const modelChecks: readonly Check[] = [
  {
    name: "states/random-sequences-agree-with-the-model",
    title:
      "after any sequence of operations every job and every count is where the state machine says",
    covers: ["LIFE-06"],
    needs: ["handler", "workers", "endpoints", "clock"],
    run: async (context) => runPlan(short, context),
  },
  {
    name: "states/long-random-sequences-agree-with-the-model",
    title:
      "after hundreds of operations on thousands of jobs, over days, every job and every count is where the state machine says",
    covers: ["LIFE-06"],
    needs: ["handler", "workers", "endpoints", "clock"],
    thorough: true,
    run: async (context) => runPlan(long, context),
  },
];

async function runPlan(plan: Plan, context: CheckContext): Promise<void> {
  const { examples, randomCount } = plan;
  let compared = 0;
  const details = await fc.check(
    fc.asyncProperty(plan.sequences, async (steps) => {
      compared += await runSequence(steps, plan, context);
    }),
    {
      seed: Math.floor(context.random() * 2 ** 31),
      examples: examples.map((steps) => [steps]),
      numRuns: examples.length + randomCount,
      interruptAfterTimeLimit: shrinkingMsMax,
    },
  );
  const [shortest] = details.counterexample ?? [];
  if (shortest !== undefined) await report(shortest, plan, context);
  else if (compared === 0) throw new Inconclusive("no step of any sequence could be compared");
  else context.expect.equal(details.failed, false, "random sequences, whether one disagreed");
}

/** Runs one sequence on an endpoint of its own, and returns how many steps were compared. @throws Disagreement, Inconclusive */
async function runSequence(
  steps: readonly Step[],
  { limits }: Plan,
  context: CheckContext,
): Promise<number> {
  const endpoint = await context.anotherEndpoint({ workers: 1 });
  const runner = new ModelRunner(endpoint, limits);
  try {
    await runner.runSteps(steps);
    return runner.compared;
  } finally {
    await endpoint.release();
  }
}

/** Runs the shortest failing sequence once more, so that the evidence holds its exchanges and its steps only. */
async function report(
  steps: readonly Step[],
  { limits }: Plan,
  context: CheckContext,
): Promise<void> {
  context.recorder.startOver();
  const endpoint = await context.anotherEndpoint({ workers: 1 });
  const runner = new ModelRunner(endpoint, limits);
  try {
    await runner.runSteps(steps);
  } catch (error) {
    if (!(error instanceof Disagreement)) throw error;
    context.recorder.steps.push(...runner.log);
    const { at, expected, got } = error;
    context.expect.that(false, { at, expected, got });
    throw new Stopped(error.message);
  }
  throw new Inconclusive(
    `a sequence of ${steps.length} steps disagreed once and agreed when it was repeated`,
  );
}
