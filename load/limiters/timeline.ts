import type { TracedRequest } from "./trace.ts";

/** Requests in order of time, of which only an interval each is known. */
export class Counted {
  readonly size: number;
  readonly #sent: Float64Array;
  readonly #answered: Float64Array;

  constructor(requests: readonly TracedRequest[]) {
    this.size = requests.length;
    this.#sent = Float64Array.from(requests, ({ sentMs }) => sentMs).toSorted();
    this.#answered = Float64Array.from(requests, ({ answeredMs }) => answeredMs).toSorted();
  }

  /** How many were counted between two moments for certain, both included; never too many. */
  surely(fromMs: number, toMs: number): number {
    return Math.max(0, upTo(this.#answered, toMs) - before(this.#sent, fromMs));
  }

  /** The same without the first moment: what a window of that length still holds at its end. */
  surelyAfter(fromMs: number, toMs: number): number {
    return Math.max(0, upTo(this.#answered, toMs) - upTo(this.#sent, fromMs));
  }

  /** How many may have been counted between two moments; never too few. */
  possibly(fromMs: number, toMs: number): number {
    return Math.max(0, upTo(this.#sent, toMs) - before(this.#answered, fromMs));
  }

  sentUpTo(ms: number): number {
    return upTo(this.#sent, ms);
  }

  answeredUpTo(ms: number): number {
    return upTo(this.#answered, ms);
  }

  answeredBefore(ms: number): number {
    return before(this.#answered, ms);
  }
}

/** How many of sorted values are less. */
function before(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of sorted values are not more. */
function upTo(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A request at which a model is asked, with its place among the steps of the trace. */
export interface Point {
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly step: number;
}

interface Taken {
  readonly answeredMs: number;
  readonly answeredBefore: number;
}

/** Requests this far from those before them begin a step of their own. */
const stepGapMs = 1;

/** Within a step, one admitted request in so many is asked about, and its last. */
const thinning = 128;

/** The points at which a model is asked. */
export interface Asked {
  /** Some of those admitted, the last of every step among them; each that is left out demands less. */
  readonly admittedPoints: readonly Point[];
  /** The first refused of every step, and some others. */
  readonly refusedPoints: readonly Point[];
}

/** A trace as models read it. */
export class Timeline implements Asked {
  readonly admitted: Counted;
  readonly refused: Counted;
  readonly admittedPoints: readonly Point[];
  readonly refusedPoints: readonly Point[];
  /** Few of both. What contradicts itself at these does so at all of them, by no less. */
  readonly outline: Asked;
  /** The refused that was sent first in every step, and the first answer to it or to a later one. */
  readonly firstRefused: readonly Point[];
  readonly firstMs: number;
  readonly lastMs: number;
  /** The gaps between a refusal and the admission after it: where a window may end. */
  readonly edges: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** The first admitted of every step, and how many were sent before it. */
  readonly starts: readonly { readonly sentMs: number; readonly sentBefore: number }[];
  /** All admitted in the order of their answers, and how many had their answer when each was sent. */
  readonly #taken: readonly Taken[];
  readonly #takenAnswered: Float64Array;
  #fuller: { perMsMost: number; all: readonly Taken[]; answered: Float64Array } | undefined;
  readonly #leastBeside: Float64Array;
  #fullest: { perMs: number; values: Float64Array } | undefined;
  readonly #admittedBySent: readonly TracedRequest[];
  readonly #admittedSent: Float64Array;
  readonly #firstAnswerOfLater: First;
  readonly #firstAnswerOfRefused: First;

  constructor(requests: readonly TracedRequest[]) {
    const sorted = requests.toSorted((one, other) => one.sentMs - other.sentMs);
    const admitted = sorted.filter(({ isAdmitted }) => isAdmitted);
    const refused = sorted.filter(({ isAdmitted }) => !isAdmitted);
    this.admitted = new Counted(admitted);
    this.refused = new Counted(refused);
    this.firstMs = sorted[0]?.sentMs ?? 0;
    this.lastMs = sorted.reduce((most, { answeredMs }) => Math.max(most, answeredMs), 0);
    const points = pointsOf(sorted);
    this.admittedPoints = thinned(points.filter(({ isAdmitted }) => isAdmitted));
    this.refusedPoints = earliest(points.filter(({ isAdmitted }) => !isAdmitted));
    this.outline = {
      admittedPoints: fewOf(this.admittedPoints, points),
      refusedPoints: fewOf(this.refusedPoints, points),
    };
    this.edges = edgesOf(sorted);
    this.#taken = admitted
      .map(({ sentMs, answeredMs }) => ({
        answeredMs,
        answeredBefore: this.admitted.answeredBefore(sentMs),
      }))
      .toSorted((one, other) => one.answeredMs - other.answeredMs);
    this.#takenAnswered = Float64Array.from(this.#taken, ({ answeredMs }) => answeredMs);
    this.#leastBeside = suffixMinima(this.#taken.map(({ answeredBefore }) => answeredBefore));
    this.starts = startsOf(points);
    this.#admittedBySent = admitted;
    this.#admittedSent = Float64Array.from(admitted, ({ sentMs }) => sentMs);
    this.#firstAnswerOfLater = new First(sorted);
    this.#firstAnswerOfRefused = new First(refused);
    const refusedPoints = points.filter(({ isAdmitted }) => !isAdmitted);
    this.firstRefused = refusedPoints
      .filter(({ step }, at) => refusedPoints[at - 1]?.step !== step)
      .map(({ sentMs, step }) => ({
        sentMs,
        step,
        answeredMs: this.#firstAnswerOfRefused.from(sentMs),
      }));
  }

  /** When, at the latest, the first request was counted that came after `fromMs` for certain. */
  firstCountedAfter(fromMs: number): number {
    return this.#firstAnswerOfLater.from(fromMs);
  }

  /** The earliest answer to a refused request that was sent at `fromMs` or later. */
  firstRefusalAfter(fromMs: number): number {
    return this.#firstAnswerOfRefused.from(fromMs);
  }

  /**
   * Over all admitted requests that had their answer at `ms`: the most of what a bucket that fills at
   * `perMs` would have filled until each, less how many were admitted before it.
   */
  fullest(perMs: number, ms: number): number {
    const { all, answered } = this.#fullerFor(perMs);
    if (this.#fullest?.perMs !== perMs) {
      const values = Float64Array.from(
        all,
        ({ answeredMs, answeredBefore }) => perMs * answeredMs - answeredBefore,
      );
      for (let at = 1; at < values.length; at += 1) {
        values[at] = Math.max(values[at] ?? 0, values[at - 1] ?? 0);
      }
      this.#fullest = { perMs, values };
    }
    return this.#fullest.values[upTo(answered, ms) - 1] ?? -Infinity;
  }

  /** Leaves out who can be the fullest at no rate up to this one: it is not at the highest. */
  ratesUpTo(perMsMost: number): void {
    let most = -Infinity;
    const all = this.#taken.filter(({ answeredMs, answeredBefore }) => {
      const value = perMsMost * answeredMs - answeredBefore;
      if (value <= most) return false;
      most = value;
      return true;
    });
    const answered = Float64Array.from(all, ({ answeredMs }) => answeredMs);
    this.#fuller = { perMsMost, all, answered };
    this.#fullest = undefined;
  }

  #fullerFor(perMs: number): { all: readonly Taken[]; answered: Float64Array } {
    const isKnown = this.#fuller !== undefined && perMs <= this.#fuller.perMsMost;
    return isKnown && this.#fuller !== undefined
      ? this.#fuller
      : { all: this.#taken, answered: this.#takenAnswered };
  }

  /** Over all that had no answer yet at `ms`: the fewest that had theirs when one was sent. */
  leastAnsweredBeside(ms: number): number {
    return this.#leastBeside[upTo(this.#takenAnswered, ms)] ?? Infinity;
  }

  /** The admitted request that was sent first at `sentFromMs` or later and answered at `answeredFromMs` or later. */
  firstAdmitted(sentFromMs: number, answeredFromMs: number): TracedRequest | undefined {
    const from = before(this.#admittedSent, sentFromMs);
    for (let at = from; at < this.#admittedBySent.length; at += 1) {
      const one = this.#admittedBySent[at];
      if (one !== undefined && one.answeredMs >= answeredFromMs) return one;
    }
    return undefined;
  }
}

/** The earliest answer to any request that was sent at a moment or later. */
class First {
  readonly #sent: Float64Array;
  readonly #answered: Float64Array;

  constructor(bySent: readonly TracedRequest[]) {
    this.#sent = Float64Array.from(bySent, ({ sentMs }) => sentMs);
    this.#answered = suffixMinima(bySent.map(({ answeredMs }) => answeredMs));
  }

  from(ms: number): number {
    return this.#answered[before(this.#sent, ms)] ?? Infinity;
  }
}

/** Of each value and all after it, the least. */
function suffixMinima(values: readonly number[]): Float64Array {
  const minima = Float64Array.from(values);
  for (let at = minima.length - 2; at >= 0; at -= 1) {
    minima[at] = Math.min(minima[at] ?? Infinity, minima[at + 1] ?? Infinity);
  }
  return minima;
}

type StepPoint = Point & { readonly isAdmitted: boolean };

function pointsOf(bySent: readonly TracedRequest[]): readonly StepPoint[] {
  let step = 0;
  let reachesMs = -Infinity;
  return bySent.map(({ sentMs, answeredMs, isAdmitted }) => {
    if (sentMs > reachesMs + stepGapMs) step += 1;
    reachesMs = Math.max(reachesMs, answeredMs);
    return { sentMs, answeredMs, step, isAdmitted };
  });
}

function startsOf(points: readonly StepPoint[]): Timeline["starts"] {
  const admitted = points.filter(({ isAdmitted }) => isAdmitted);
  return admitted.flatMap(({ sentMs, step }, at) =>
    at % thinning === 0 || admitted[at - 1]?.step !== step ? [{ sentMs, sentBefore: at }] : [],
  );
}

function thinned(points: readonly StepPoint[]): readonly StepPoint[] {
  const byAnswer = points.toSorted((one, other) => one.answeredMs - other.answeredMs);
  return byAnswer.filter(({ step }, at) => at % thinning === 0 || byAnswer[at + 1]?.step !== step);
}

function earliest(points: readonly StepPoint[]): readonly StepPoint[] {
  const byAnswer = points.toSorted((one, other) => one.answeredMs - other.answeredMs);
  return byAnswer.filter(({ step }, at) => at % thinning === 0 || byAnswer[at - 1]?.step !== step);
}

/** A step of so many requests is a burst. */
const burstFrom = 20;
/** Of the others one in so many stands for all. */
const oneIn = 12;

/** A point of each burst, and a few others. */
function fewOf(asked: readonly Point[], all: readonly Point[]): readonly Point[] {
  const sizes = new Map<number, number>();
  for (const { step } of all) sizes.set(step, (sizes.get(step) ?? 0) + 1);
  const isOfBurst = ({ step }: Point): boolean => (sizes.get(step) ?? 0) >= burstFrom;
  const ofBursts = new Map(asked.filter(isOfBurst).map((point) => [point.step, point]));
  const others = asked.filter((point) => !isOfBurst(point));
  return asked.filter(
    (point) => ofBursts.get(point.step) === point || others.indexOf(point) % oneIn === oneIn - 1,
  );
}

function edgesOf(bySent: readonly TracedRequest[]): { fromMs: number; toMs: number }[] {
  return bySent.flatMap((one, at) => {
    const next = bySent[at + 1];
    if (next === undefined || one.isAdmitted || !next.isAdmitted) return [];
    return [{ fromMs: one.sentMs, toMs: next.answeredMs }];
  });
}
