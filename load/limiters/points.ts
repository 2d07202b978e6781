import type { IntervalCount } from "./interval-count.ts";
import type { TracedRequest } from "./trace.ts";

/** A request against which models are checked, with the number of its step in the trace. */
export interface Point {
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly step: number;
}

/** A point with how many were admitted when its answer came, which is the same for every model. */
export interface CountedPoint extends Point {
  /** How many of the admitted had their answer by then, its own included. */
  readonly answeredUpTo: number;
  /** How many of them had been sent before. */
  readonly sentBefore: number;
}

/** The points against which a model is checked, in the order of their answers. */
export interface AskedPoints {
  /** Some admitted requests, with the last of every step among them; those left out demand less. */
  readonly admittedPoints: readonly CountedPoint[];
  /** The refused request of every step that was answered first, and some others. */
  readonly refusedPoints: readonly CountedPoint[];
}

export type StepPoint = Point & { readonly isAdmitted: boolean };

/** Requests that come this long after those before them begin a new step. */
const stepGapMs = 1;

/** Every request with the number of its step in the trace. */
export function pointsOf(bySent: readonly TracedRequest[]): readonly StepPoint[] {
  let step = 0;
  let reachesMs = -Infinity;
  return bySent.map(({ sentMs, answeredMs, isAdmitted }) => {
    if (sentMs > reachesMs + stepGapMs) step += 1;
    reachesMs = Math.max(reachesMs, answeredMs);
    return { sentMs, answeredMs, step, isAdmitted };
  });
}

/** One request in so many is a point, and so is the last admitted and the first refused of each step. */
export const thinning = 128;

/** The points against which every model is checked, counted against all that were admitted. */
export function askedOf(points: readonly StepPoint[], allAdmitted: IntervalCount): AskedPoints {
  const turns = turnsOf(points);
  const admitted = thinned(points.filter(({ isAdmitted }) => isAdmitted));
  const refused = earliest(points.filter(({ isAdmitted }) => !isAdmitted));
  const counted = (some: readonly StepPoint[], more: readonly StepPoint[]): CountedPoint[] =>
    merged(some, more).map(({ sentMs, answeredMs, step }) => ({
      sentMs,
      answeredMs,
      step,
      answeredUpTo: allAdmitted.answeredUpTo(answeredMs),
      sentBefore: allAdmitted.sentBefore(answeredMs),
    }));
  return {
    admittedPoints: counted(
      admitted,
      turns.map((turn) => turn.admitted),
    ),
    refusedPoints: counted(
      refused,
      turns.map((turn) => turn.refused),
    ),
  };
}

function thinned(points: readonly StepPoint[]): readonly StepPoint[] {
  const byAnswer = points.toSorted((one, other) => one.answeredMs - other.answeredMs);
  return byAnswer.filter(({ step }, at) => at % thinning === 0 || byAnswer[at + 1]?.step !== step);
}

function earliest(points: readonly StepPoint[]): readonly StepPoint[] {
  const byAnswer = points.toSorted((one, other) => one.answeredMs - other.answeredMs);
  return byAnswer.filter(({ step }, at) => at % thinning === 0 || byAnswer[at - 1]?.step !== step);
}

/** A refusal and the admission that was sent next: between the two a place came free. */
interface Turn {
  readonly refused: StepPoint;
  readonly admitted: StepPoint;
}

/** How many turns of each step are points: those whose moment is known most exactly. */
const turnsPerStep = 4;

function turnsOf(bySent: readonly StepPoint[]): readonly Turn[] {
  const ofStep = new Map<number, Turn[]>();
  for (const [at, refused] of bySent.entries()) {
    const admitted = bySent[at + 1];
    if (refused.isAdmitted || admitted?.isAdmitted !== true) continue;
    if (admitted.step !== refused.step) continue;
    const turns = ofStep.get(refused.step) ?? [];
    ofStep.set(refused.step, turns);
    turns.push({ refused, admitted });
  }
  return [...ofStep.values()].flatMap((turns) =>
    turns.toSorted((one, other) => width(one) - width(other)).slice(0, turnsPerStep),
  );
}

function width({ refused, admitted }: Turn): number {
  return admitted.answeredMs - refused.sentMs;
}

/** Both lists together in the order of their answers, each point once. */
function merged(some: readonly StepPoint[], more: readonly StepPoint[]): readonly StepPoint[] {
  return [...new Set([...some, ...more])].toSorted(
    (one, other) => one.answeredMs - other.answeredMs,
  );
}

/** A step of at least this many requests is a burst. */
const burstFrom = 20;
/** Outside bursts one request in this many stands for all. */
const oneIn = 12;

/** A point of each burst, and a few others. */
export function fewOf(
  asked: readonly CountedPoint[],
  all: readonly Point[],
): readonly CountedPoint[] {
  const sizes = new Map<number, number>();
  for (const { step } of all) sizes.set(step, (sizes.get(step) ?? 0) + 1);
  const isOfBurst = ({ step }: Point): boolean => (sizes.get(step) ?? 0) >= burstFrom;
  const ofBursts = new Map(asked.filter(isOfBurst).map((point) => [point.step, point]));
  let others = 0;
  return asked.filter((point) => {
    if (isOfBurst(point)) return ofBursts.get(point.step) === point;
    others += 1;
    return others % oneIn === 0;
  });
}
