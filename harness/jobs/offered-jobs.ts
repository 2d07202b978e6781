import type { CheckContext } from "../check-context.ts";
import type { JobInput } from "../inputs/jobs.ts";
import { Unsupported } from "../outcome.ts";
import { runToFailure } from "./fixtures.ts";
import type { FinishedJob } from "./fixtures.ts";

/**
 * Records a difference unless a completed job has the output that is known of it; or any output, where none is known.
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

/** Runs a job that fails and returns it; returns none where no job can be asked to fail. */
export async function runToFailureIfOffered(
  context: CheckContext,
): Promise<readonly FinishedJob[]> {
  return context.offers("failing") ? [await runToFailure(context)] : [];
}

/**
 * Ends the check where a quick job might take longer than `ms`.
 * @throws Unsupported
 */
export function requireQuickWithin({ jobs }: Pick<CheckContext, "jobs">, ms: number): void {
  if (jobs.quickMs <= ms) return;
  throw new Unsupported(
    `the quick job may take ${jobs.quickMs} ms; one that takes at most ${ms} ms would show it`,
  );
}
