import { countLess, IntervalCount, countUpTo } from "./interval-count.ts";
import { selectCompared, selectOutline, numberSteps, comparedEvery } from "./compared-requests.ts";
import type {
  ComparedRequests,
  ComparedRequest,
  StepRequest,
  TracedStepRequest,
} from "./compared-requests.ts";
import type { TracedRequest } from "./trace.ts";

export interface CountedSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

interface AdmittedAnswer {
  readonly answeredMs: number;
  readonly answeredBefore: number;
}

/** A trace as models read it. */
export class Timeline implements ComparedRequests {
  readonly admitted: IntervalCount;
  readonly refused: IntervalCount;
  readonly comparedAdmitted: readonly ComparedRequest[];
  readonly comparedRefused: readonly ComparedRequest[];
  /** A few compared requests of both kinds. A model that contradicts itself at these does so at all of them, by no less. */
  readonly outline: ComparedRequests;
  /** The refused request of every step that was sent first, with the first answer to it or to a later refused one. */
  readonly firstRefused: readonly StepRequest[];
  readonly firstMs: number;
  readonly lastMs: number;
  /** The stretches between a refusal and an admission that came after it for certain. */
  readonly edges: readonly CountedSpan[];
  /** From when to when the requests of each step were on their way. */
  readonly steps: readonly CountedSpan[];
  /** The first admitted request of every step, and some others, each with how many were sent before it. */
  readonly starts: readonly { readonly sentMs: number; readonly sentBefore: number }[];
  /** All admitted in the order of their answers, and how many had their answer when each was sent. */
  readonly #admittedByAnswer: readonly AdmittedAnswer[];
  readonly #admittedAnsweredMs: Float64Array;
  #bucketMaxima:
    { perMsMost: number; all: readonly AdmittedAnswer[]; answered: Float64Array } | undefined;
  readonly #leastBeside: Float64Array;
  readonly #pauses: readonly CountedSpan[];
  #maxBucketGains: { perMs: number; values: Float64Array } | undefined;
  readonly #admittedBySent: readonly TracedRequest[];
  readonly #admittedSent: Float64Array;
  readonly #firstAnswerOfLater: EarliestAnswer;
  readonly #firstAnswerOfRefused: EarliestAnswer;

  /**
   * @param grainMs what the target's clock rounds to: each moment that its limiter sees may be off by
   * half of it either way. The order in which requests came is certain all the same.
   */
  constructor(requests: readonly TracedRequest[], grainMs = 0) {
    const sorted = requests
      .map(({ sentMs, answeredMs, isAdmitted }) => ({
        sentMs: sentMs - grainMs / 2,
        answeredMs: answeredMs + grainMs / 2,
        isAdmitted,
      }))
      .toSorted((one, other) => one.sentMs - other.sentMs);
    const admitted = sorted.filter(({ isAdmitted }) => isAdmitted);
    const refused = sorted.filter(({ isAdmitted }) => !isAdmitted);
    this.admitted = new IntervalCount(admitted, grainMs);
    this.refused = new IntervalCount(refused, grainMs);
    this.firstMs = sorted[0]?.sentMs ?? 0;
    this.lastMs = sorted.reduce((most, { answeredMs }) => Math.max(most, answeredMs), 0);
    const requestsWithSteps = numberSteps(sorted);
    ({ comparedAdmitted: this.comparedAdmitted, comparedRefused: this.comparedRefused } =
      selectCompared(requestsWithSteps, this.admitted));
    this.outline = {
      comparedAdmitted: selectOutline(this.comparedAdmitted, requestsWithSteps),
      comparedRefused: selectOutline(this.comparedRefused, requestsWithSteps),
    };
    this.edges = edgesOf(sorted, grainMs);
    this.#pauses = pausesOf(sorted);
    this.#admittedByAnswer = admitted
      .map(({ sentMs, answeredMs }) => ({
        answeredMs,
        answeredBefore: this.admitted.answeredBefore(sentMs),
      }))
      .toSorted((one, other) => one.answeredMs - other.answeredMs);
    this.#admittedAnsweredMs = Float64Array.from(
      this.#admittedByAnswer,
      ({ answeredMs }) => answeredMs,
    );
    this.#leastBeside = suffixMinima(
      this.#admittedByAnswer.map(({ answeredBefore }) => answeredBefore),
    );
    this.starts = startsOf(requestsWithSteps);
    this.steps = stepsOf(requestsWithSteps);
    this.#admittedBySent = admitted;
    this.#admittedSent = Float64Array.from(admitted, ({ sentMs }) => sentMs);
    this.#firstAnswerOfLater = new EarliestAnswer(sorted);
    this.#firstAnswerOfRefused = new EarliestAnswer(refused);
    const allRefused = requestsWithSteps.filter(({ isAdmitted }) => !isAdmitted);
    this.firstRefused = allRefused
      .filter(({ step }, at) => allRefused[at - 1]?.step !== step)
      .map(({ sentMs, step }) => ({
        sentMs,
        step,
        answeredMs: this.#firstAnswerOfRefused.from(sentMs),
      }));
  }

  /** The parts of the trace between pauses of at least that length. */
  stretches(pauseMs: number): readonly { readonly firstMs: number; readonly lastMs: number }[] {
    const pauses = this.#pauses.filter(({ fromMs, toMs }) => toMs - fromMs >= pauseMs);
    const starts = [this.firstMs, ...pauses.map(({ toMs }) => toMs)];
    return starts.map((firstMs, at) => ({ firstMs, lastMs: pauses[at]?.fromMs ?? this.lastMs }));
  }

  /** The latest moment by which some request was counted that was sent at `fromMs` or later. */
  firstCountedAfter(fromMs: number): number {
    return this.#firstAnswerOfLater.from(fromMs);
  }

  /** The earliest answer to a refused request that was sent at `fromMs` or later. */
  firstRefusalAfter(fromMs: number): number {
    return this.#firstAnswerOfRefused.from(fromMs);
  }

  /**
   * The maximum, over all admitted requests answered by `ms`, of what a bucket that fills at `perMs` gained
   * until the answer, less how many requests were admitted before.
   */
  maxBucketGain(perMs: number, ms: number): number {
    const { all, answered } = this.#bucketMaximaFor(perMs);
    if (this.#maxBucketGains?.perMs !== perMs) {
      const values = Float64Array.from(
        all,
        ({ answeredMs, answeredBefore }) => perMs * answeredMs - answeredBefore,
      );
      for (let at = 1; at < values.length; at += 1) {
        values[at] = Math.max(values[at] ?? 0, values[at - 1] ?? 0);
      }
      this.#maxBucketGains = { perMs, values };
    }
    return this.#maxBucketGains.values[countUpTo(answered, ms) - 1] ?? -Infinity;
  }

  /** Drops the requests that cannot be the maximum of `maxBucketGain` at any rate up to this: they are not at this rate. */
  limitBucketRates(perMsMost: number): void {
    let most = -Infinity;
    const all = this.#admittedByAnswer.filter(({ answeredMs, answeredBefore }) => {
      const value = perMsMost * answeredMs - answeredBefore;
      if (value <= most) return false;
      most = value;
      return true;
    });
    const answered = Float64Array.from(all, ({ answeredMs }) => answeredMs);
    this.#bucketMaxima = { perMsMost, all, answered };
    this.#maxBucketGains = undefined;
  }

  #bucketMaximaFor(perMs: number): { all: readonly AdmittedAnswer[]; answered: Float64Array } {
    const isKnown = this.#bucketMaxima !== undefined && perMs <= this.#bucketMaxima.perMsMost;
    return isKnown && this.#bucketMaxima !== undefined
      ? this.#bucketMaxima
      : { all: this.#admittedByAnswer, answered: this.#admittedAnsweredMs };
  }

  /** The minimum, over all admitted requests without an answer at `ms`, of how many were answered when it was sent. */
  leastAnsweredBeside(ms: number): number {
    return this.#leastBeside[countUpTo(this.#admittedAnsweredMs, ms)] ?? Infinity;
  }

  /** The admitted request that was sent first at `sentFromMs` or later and answered at `answeredFromMs` or later. */
  firstAdmitted(sentFromMs: number, answeredFromMs: number): TracedRequest | undefined {
    const from = countLess(this.#admittedSent, sentFromMs);
    for (let at = from; at < this.#admittedBySent.length; at += 1) {
      const one = this.#admittedBySent[at];
      if (one !== undefined && one.answeredMs >= answeredFromMs) return one;
    }
    return undefined;
  }
}

/** The earliest answer to any request that was sent at a moment or later. */
class EarliestAnswer {
  readonly #sent: Float64Array;
  readonly #answered: Float64Array;

  constructor(bySent: readonly TracedRequest[]) {
    this.#sent = Float64Array.from(bySent, ({ sentMs }) => sentMs);
    this.#answered = suffixMinima(bySent.map(({ answeredMs }) => answeredMs));
  }

  from(ms: number): number {
    return this.#answered[countLess(this.#sent, ms)] ?? Infinity;
  }
}

/** For each position the least of its value and all after it. */
function suffixMinima(values: readonly number[]): Float64Array {
  const minima = Float64Array.from(values);
  for (let at = minima.length - 2; at >= 0; at -= 1) {
    minima[at] = Math.min(minima[at] ?? Infinity, minima[at + 1] ?? Infinity);
  }
  return minima;
}

function startsOf(requests: readonly TracedStepRequest[]): Timeline["starts"] {
  const admitted = requests.filter(({ isAdmitted }) => isAdmitted);
  return admitted.flatMap(({ sentMs, step }, at) =>
    at % comparedEvery === 0 || admitted[at - 1]?.step !== step ? [{ sentMs, sentBefore: at }] : [],
  );
}

/** The pauses in which no request was in flight. */
function pausesOf(bySent: readonly TracedRequest[]): readonly CountedSpan[] {
  let reachesMs = Infinity;
  return bySent.flatMap(({ sentMs, answeredMs }) => {
    const pause = reachesMs < sentMs ? [{ fromMs: reachesMs, toMs: sentMs }] : [];
    reachesMs = reachesMs === Infinity ? answeredMs : Math.max(reachesMs, answeredMs);
    return pause;
  });
}

/** The stretches of time between a refusal and an admission that was sent after its answer. */
function edgesOf(bySent: readonly TracedRequest[], overlapMs: number): readonly CountedSpan[] {
  return bySent.flatMap((one, at) => {
    const next = bySent[at + 1];
    if (next === undefined || one.isAdmitted || !next.isAdmitted) return [];
    const isSure = one.answeredMs - next.sentMs <= overlapMs;
    return isSure ? [{ fromMs: one.sentMs, toMs: next.answeredMs }] : [];
  });
}

/** From when to when the requests of each step were on their way. */
function stepsOf(requests: readonly TracedStepRequest[]): readonly CountedSpan[] {
  const steps = new Map<number, CountedSpan>();
  for (const { step, sentMs, answeredMs } of requests) {
    const { fromMs = sentMs, toMs = answeredMs } = steps.get(step) ?? {};
    steps.set(step, { fromMs, toMs: Math.max(toMs, answeredMs) });
  }
  return [...steps.values()];
}
