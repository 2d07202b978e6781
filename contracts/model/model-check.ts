import * as fc from "fast-check";

import type { Check } from "../../harness/check.ts";
import { Stopped, Undecided } from "../../harness/outcome.ts";
import type { Tools } from "../../harness/check-context.ts";
import { Conductor, Disagreement } from "./conduct.ts";
import { exampleSequences } from "./examples.ts";
import { sequences } from "./steps.ts";
import type { Step } from "./steps.ts";

/** Enough to meet each pair of steps; a seed of one's own draws others. */
const sequencesPerRun = 12;
const shrinkingMsMax = 20_000;

/** Random sequences against target and model (LIFE-06). */
export const modelCheck: Check = {
  name: "states/random-sequences-agree-with-the-model",
  title:
    "after any sequence of operations every job and every count is where the state machine says",
  covers: ["LIFE-06"],
  needs: ["handler", "workers", "endpoints", "clock"],
  run: async (tools) => {
    const details = await fc.check(
      fc.asyncProperty(sequences, async (steps) => {
        await conductOnce(steps, tools);
      }),
      {
        seed: Math.floor(tools.random() * 2 ** 31),
        examples: exampleSequences.map((steps) => [steps]),
        numRuns: exampleSequences.length + sequencesPerRun,
        interruptAfterTimeLimit: shrinkingMsMax,
      },
    );
    const [shortest] = details.counterexample ?? [];
    if (shortest === undefined) {
      tools.expect.that(!details.failed, {
        at: "random sequences",
        expected: "at least one sequence to be tried",
        got: "none",
      });
      return;
    }
    await report(shortest, tools);
  },
};

/** Runs one sequence on an endpoint of its own. @throws Disagreement, Undecided */
async function conductOnce(steps: readonly Step[], tools: Tools): Promise<readonly string[]> {
  const endpoint = await tools.anotherEndpoint({ workers: 1 });
  try {
    const conductor = new Conductor(endpoint);
    await conductor.conduct(steps);
    return conductor.told;
  } finally {
    await endpoint.release();
  }
}

/** Runs the shortest failing sequence once more, so that its exchanges are the last ones, and tells its steps. */
async function report(steps: readonly Step[], tools: Tools): Promise<void> {
  tools.recorder.startOver();
  const endpoint = await tools.anotherEndpoint({ workers: 1 });
  const conductor = new Conductor(endpoint);
  try {
    await conductor.conduct(steps);
  } catch (error) {
    if (!(error instanceof Disagreement)) throw error;
    tools.recorder.steps.push(...conductor.told);
    const { at, expected, got } = error;
    tools.expect.that(false, { at, expected, got });
    throw new Stopped(error.message);
  }
  throw new Undecided(
    `a sequence of ${String(steps.length)} steps disagreed once and agreed when it was repeated`,
  );
}
