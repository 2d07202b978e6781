import { burstFrom } from "./burst-plan.ts";
import type { IntervalCount } from "./interval-count.ts";
import type { TracedRequest } from "./trace.ts";

/** A request with the number of its step in the trace. */
export interface StepRequest {
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly step: number;
}

/** A request against which models are checked, with how many were admitted when its answer came, which is the same for every model. */
export interface ComparedRequest extends StepRequest {
  /** How many of the admitted had their answer by then, its own included. */
  readonly answeredUpTo: number;
  /** How many of them had been sent before. */
  readonly sentBefore: number;
}

/** The requests against which a model is checked, in the order of their answers. */
export interface ComparedRequests {
  /** Some admitted requests, with the last of every step among them; those left out demand less. */
  readonly comparedAdmitted: readonly ComparedRequest[];
  /** The refused request of every step that was answered first, and some others. */
  readonly comparedRefused: readonly ComparedRequest[];
}

/** A traced request with the number of its step. */
export type TracedStepRequest = StepRequest & { readonly isAdmitted: boolean };

/** Requests that come this long after those before them begin a new step. */
const stepGapMs = 1;

/** Every request with the number of its step in the trace. */
export function numberSteps(bySent: readonly TracedRequest[]): readonly TracedStepRequest[] {
  let step = 0;
  let reachesMs = -Infinity;
  return bySent.map(({ sentMs, answeredMs, isAdmitted }) => {
    if (sentMs > reachesMs + stepGapMs) step += 1;
    reachesMs = Math.max(reachesMs, answeredMs);
    return { sentMs, answeredMs, step, isAdmitted };
  });
}

/** One request in so many is compared, and so is the last admitted and the first refused of each step. */
export const comparedEvery = 128;

/** The requests against which every model is checked, counted against all that were admitted. */
export function selectCompared(
  requests: readonly TracedStepRequest[],
  allAdmitted: IntervalCount,
): ComparedRequests {
  const pairs = selectRefusalThenAdmissions(requests);
  const admitted = sampleOfSteps(
    requests.filter(({ isAdmitted }) => isAdmitted),
    "last",
  );
  const refused = sampleOfSteps(
    requests.filter(({ isAdmitted }) => !isAdmitted),
    "first",
  );
  const counted = (
    some: readonly TracedStepRequest[],
    more: readonly TracedStepRequest[],
  ): ComparedRequest[] =>
    merged(some, more).map(({ sentMs, answeredMs, step }) => ({
      sentMs,
      answeredMs,
      step,
      answeredUpTo: allAdmitted.answeredUpTo(answeredMs),
      sentBefore: allAdmitted.sentBefore(answeredMs),
    }));
  return {
    comparedAdmitted: counted(
      admitted,
      pairs.map((pair) => pair.admitted),
    ),
    comparedRefused: counted(
      refused,
      pairs.map((pair) => pair.refused),
    ),
  };
}

/** One request in so many, and the first or the last of each step, in the order of their answers. */
function sampleOfSteps(
  requests: readonly TracedStepRequest[],
  which: "first" | "last",
): readonly TracedStepRequest[] {
  const byAnswer = requests.toSorted((one, other) => one.answeredMs - other.answeredMs);
  const toNeighbour = which === "first" ? -1 : 1;
  return byAnswer.filter(
    ({ step }, at) => at % comparedEvery === 0 || byAnswer[at + toNeighbour]?.step !== step,
  );
}

/** A refusal and the admission that was sent next: between the two a place came free. */
interface RefusalThenAdmission {
  readonly refused: TracedStepRequest;
  readonly admitted: TracedStepRequest;
}

/** How many pairs of each step are compared: those whose moment is known most exactly. */
const pairsPerStep = 4;

function selectRefusalThenAdmissions(
  bySent: readonly TracedStepRequest[],
): readonly RefusalThenAdmission[] {
  const ofStep = new Map<number, RefusalThenAdmission[]>();
  for (const [at, refused] of bySent.entries()) {
    const admitted = bySent[at + 1];
    if (refused.isAdmitted || admitted?.isAdmitted !== true) continue;
    if (admitted.step !== refused.step) continue;
    const pairs = ofStep.get(refused.step) ?? [];
    ofStep.set(refused.step, pairs);
    pairs.push({ refused, admitted });
  }
  return [...ofStep.values()].flatMap((pairs) =>
    pairs
      .toSorted((one, other) => uncertaintyMs(one) - uncertaintyMs(other))
      .slice(0, pairsPerStep),
  );
}

function uncertaintyMs({ refused, admitted }: RefusalThenAdmission): number {
  return admitted.answeredMs - refused.sentMs;
}

/** Both lists together in the order of their answers, each request once. */
function merged(
  some: readonly TracedStepRequest[],
  more: readonly TracedStepRequest[],
): readonly TracedStepRequest[] {
  return [...new Set([...some, ...more])].toSorted(
    (one, other) => one.answeredMs - other.answeredMs,
  );
}

/** Outside bursts one request in this many stands for all. */
const oneIn = 12;

/** A request of each burst, and a few others. */
export function selectOutline(
  asked: readonly ComparedRequest[],
  all: readonly StepRequest[],
): readonly ComparedRequest[] {
  const sizes = new Map<number, number>();
  for (const { step } of all) sizes.set(step, (sizes.get(step) ?? 0) + 1);
  const isOfBurst = ({ step }: StepRequest): boolean => (sizes.get(step) ?? 0) >= burstFrom;
  const ofBursts = new Map(asked.filter(isOfBurst).map((request) => [request.step, request]));
  let others = 0;
  return asked.filter((request) => {
    if (isOfBurst(request)) return ofBursts.get(request.step) === request;
    others += 1;
    return others % oneIn === 0;
  });
}
