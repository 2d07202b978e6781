import type { CheckContext } from "../check-context.ts";
import type { JobInput } from "../inputs/jobs.ts";
import { Unsupported } from "../outcome.ts";
import { runToFailure } from "./fixtures.ts";
import type { FinishedJob } from "./fixtures.ts";

/**
 * Records a difference unless the output of a completed job is what is known of it; where nothing is known, unless it
 * has one.
 */
export function expectOutput(
  { expect, jobs }: Pick<CheckContext, "expect" | "jobs">,
  output: unknown,
  { input, at }: { readonly input: JobInput; readonly at: string },
): void {
  const known = jobs.outputOf(input);
  if (known !== undefined) expect.equal(output, known.output, at);
  else expect.that(output !== undefined, { at, expected: "an output", got: "none" });
}

/** A job that has failed, where one can be asked to. */
export async function failedJobs(context: CheckContext): Promise<readonly FinishedJob[]> {
  return context.offers("failing") ? [await runToFailure(context)] : [];
}

/**
 * Ends the check where a quick job might take longer than `ms`.
 * @throws Unsupported
 */
export function requireQuickWithin({ jobs }: Pick<CheckContext, "jobs">, ms: number): void {
  if (jobs.quickMs <= ms) return;
  throw new Unsupported(
    `the quick job may take ${String(jobs.quickMs)} ms; one that takes at most ${String(ms)} ms would show it`,
  );
}
