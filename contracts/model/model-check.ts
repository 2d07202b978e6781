import * as fc from "fast-check";

import type { Check } from "../../harness/check.ts";
import { Stopped, Inconclusive } from "../../harness/outcome.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { ModelRunner, Disagreement } from "./model-runner.ts";
import { exampleSequences } from "./examples.ts";
import { sequences } from "./steps.ts";
import type { Step } from "./steps.ts";

/** Enough sequences to meet each pair of steps; another seed draws other sequences. */
const sequencesPerRun = 12;
const shrinkingMsMax = 20_000;

/** Random sequences against target and model (LIFE-06). */
export const modelCheck: Check = {
  name: "states/random-sequences-agree-with-the-model",
  title:
    "after any sequence of operations every job and every count is where the state machine says",
  covers: ["LIFE-06"], // Any sequence of submit, work, time, cancel, retry, purge and read leaves every job and every health count where the state machine says.
  needs: ["handler", "workers", "endpoints", "clock"],
  run: async (context) => {
    const details = await fc.check(
      fc.asyncProperty(sequences, async (steps) => {
        await runSequence(steps, context);
      }),
      {
        seed: Math.floor(context.random() * 2 ** 31),
        examples: exampleSequences.map((steps) => [steps]),
        numRuns: exampleSequences.length + sequencesPerRun,
        interruptAfterTimeLimit: shrinkingMsMax,
      },
    );
    const [shortest] = details.counterexample ?? [];
    if (shortest === undefined) {
      context.expect.that(!details.failed, {
        at: "random sequences",
        expected: "at least one sequence to be tried",
        got: "none",
      });
      return;
    }
    await report(shortest, context);
  },
};

/** Runs one sequence on an endpoint of its own. @throws Disagreement, Inconclusive */
async function runSequence(
  steps: readonly Step[],
  context: CheckContext,
): Promise<readonly string[]> {
  const endpoint = await context.anotherEndpoint({ workers: 1 });
  try {
    const runner = new ModelRunner(endpoint);
    await runner.runSteps(steps);
    return runner.log;
  } finally {
    await endpoint.release();
  }
}

/** Runs the shortest failing sequence once more, so that the evidence holds its exchanges and its steps only. */
async function report(steps: readonly Step[], context: CheckContext): Promise<void> {
  context.recorder.startOver();
  const endpoint = await context.anotherEndpoint({ workers: 1 });
  const runner = new ModelRunner(endpoint);
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
    `a sequence of ${String(steps.length)} steps disagreed once and agreed when it was repeated`,
  );
}
