import type { Exchange } from "../../client/exchange.ts";
import type { RecordedStep } from "./recorder.ts";

/** A step with the time it took, in milliseconds. */
export interface TimedStep {
  readonly step: RecordedStep;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The steps up to an exchange, in the order in which they were begun. */
export function stepsUpTo(steps: readonly RecordedStep[], last: Exchange): readonly TimedStep[] {
  const timed = steps.map((step): TimedStep => {
    if (step.kind !== "exchange") return { step, fromMs: step.atMs, toMs: step.atMs };
    const { sentAtMs, answeredAtMs } = step.exchange;
    return { step, fromMs: sentAtMs, toMs: answeredAtMs };
  });
  return timed
    .filter(({ fromMs }) => fromMs < last.answeredAtMs)
    .filter(({ step }) => step.kind !== "exchange" || step.exchange.failure?.kind !== "lacking")
    .toSorted((a, b) => a.fromMs - b.fromMs);
}

/** Whether a later step was begun before this one was over. */
export function isOvertaken(step: TimedStep, steps: readonly TimedStep[]): boolean {
  return steps.some(({ fromMs }, at) => at > steps.indexOf(step) && fromMs < step.toMs);
}
