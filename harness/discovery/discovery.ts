import { isDeepStrictEqual } from "node:util";

import type { Exchange, RequestSpan } from "../../client/exchange.ts";
import { Redactor } from "../../client/redactor.ts";
import { monotonicNowMs } from "../../client/exchange.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Evidence, Fact, Mismatch } from "../../reports/model.ts";
import type { Difference, LearnedDeviations } from "../dialects/configured-dialect.ts";
import { mergeDeviations } from "../dialects/schema.ts";
import type { Deviations, RecordMember } from "../dialects/schema.ts";
import { curlOf } from "../evidence/curl.ts";
import { evidenceOf } from "../evidence/evidence.ts";
import { SeenOfJobs } from "./seen-of-jobs.ts";

/** What was seen of the target, before it is told as a fact. */
export interface Learning extends Omit<Fact, "evidence" | "dialect" | "breaks"> {
  readonly breaks?: readonly RequirementId[];
  /** Requirements that the run cannot decide, for what it is itself not able to. */
  readonly leavesOpen?: readonly RequirementId[];
  /** What the specification says at this place, and what came; absent: as the exchange shows. */
  readonly expected?: string;
  readonly got?: string;
  /** Differences of checks that it explains: they are failures still, and are told under it. */
  readonly explains?: (mismatch: Mismatch, evidence: Evidence | undefined) => boolean;
  /** Differences that prove nothing because of it: what showed them is not run, under it. */
  readonly excuses?: (mismatch: Mismatch, evidence: Evidence | undefined) => boolean;
  /** The same by the reason for which something could not be decided. */
  readonly excusesReason?: (reason: string) => boolean;
  /** Reasons of what was not decided in the end because of it: that is not run, under it. */
  readonly undecides?: (reason: string) => boolean;
  /** Whether an answer is the one that came where nothing was wrong, so that as a refusal it proves nothing. */
  readonly isUsualAnswer?: (exchange: Exchange) => boolean;
  /** The capability that it shows to be absent: no check that needs it proves anything. */
  readonly takesAway?: Capability;
  /** What the run goes on with. */
  readonly deviations?: Deviations;
  /** What describes it in a dialect's file; absent: what the run goes on with. */
  readonly dialect?: Deviations;
  /** The exchanges that show it, the one that departs first. */
  readonly seen: readonly Exchange[];
}

/** What was seen of an operation that may fail with every job. */
interface Attempts {
  succeeded: boolean;
  /** The first failure with each job. */
  readonly failed: Map<string, Exchange>;
}

/** All that a run learns of its target before it judges. What was not learned counts as specified. */
export class Discovery {
  readonly startedAtMs = monotonicNowMs();
  /** How long after its submission a job's id may still be unknown, in milliseconds; absent: as usual. */
  idsReadableWithinMs: number | undefined;
  /** The kinds of job of which the jobs file is not true, with the cause. */
  readonly kindsTakenAway = new Map<Capability, string>();
  /** Operations of which the first answers did not tell whether they are there. */
  readonly doubtful = new Set<OperationName>();
  /** Whether a state was seen that the specification has, so that any other name is a fault of its own. */
  hasUsualStates = false;
  /** Whether status has answered the record of a job. */
  readsJobs = false;
  /** The operations that were seen to accept with a record. */
  readonly answersRecords = new Set<OperationName>();
  /** What was seen of operations that may fail with every job. */
  readonly attempts = new Map<OperationName, Attempts>();
  /** What was seen of the jobs of the run, from which more is learned. */
  readonly seenOfJobs = new SeenOfJobs();
  /** Successes of runsync that held no record. */
  readonly seenOutputsAlone: Exchange[] = [];
  /** Whether an output was seen that is not JSON as a text. */
  hasUsualOutputs = false;
  /** Whether a time of a record was seen that is an integer. */
  hasUsualTimes = false;
  /** Whether an element of a stream was seen that has metrics. */
  hasUsualChunks = false;
  /** The members of records that were seen by their own names. */
  readonly usualMembers = new Set<RecordMember>();
  /** What a POST was answered where no operation is; absent where that was not asked. */
  unknownPath: Exchange | undefined;
  /** Whether the endpoint on which it was learned is still there when a reader repeats what was sent. */
  isRepeatable = true;
  /** Makes evidence of what others sent; absent: of what the run itself has sent. */
  evidenceFor: ((exchange: Exchange) => Evidence) | undefined;
  /** Knows every secret of the target. */
  readonly redactor: Redactor;
  /** Called with what is learned from then on. */
  onLearning: ((learning: Learning, fact: Fact) => void) | undefined;
  /** Called with what a cause breaks beyond what it was seen to break before. */
  onGrown: ((learning: Learning) => void) | undefined;
  /** What the dialect allows the target to do instead; absent: nothing. */
  tolerates: ((difference: Difference) => string | undefined) | undefined;
  readonly #learnings = new Map<string, Learning>();
  readonly #listeners: ((learned: LearnedDeviations) => void)[] = [];
  #requests = 0;
  readonly #answersMs: number[] = [];
  #tookMs = 0;

  constructor(redactor = new Redactor()) {
    this.redactor = redactor;
  }

  /** Counts an exchange that was made to learn something. */
  count({ sentAtMs, answeredAtMs }: RequestSpan): void {
    this.#requests += 1;
    this.#answersMs.push(answeredAtMs - sentAtMs);
    this.#tookMs = answeredAtMs - this.startedAtMs;
  }

  /** How many requests were sent, and how long that took in milliseconds. */
  get cost(): { readonly requests: number; readonly tookMs: number } {
    return { requests: this.#requests, tookMs: this.#tookMs };
  }

  /** How long the target takes to answer, the median of what was asked so far; 0 where nothing was. */
  get answerMs(): number {
    const sorted = this.#answersMs.toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  }

  /** Keeps what was found; a second learning of one id is the same cause, which only grows by what is new in it. */
  learn(learning: Learning): void {
    const known = this.#learnings.get(learning.id);
    if (known !== undefined) {
      this.#grow(known, learning);
      return;
    }
    this.#learnings.set(learning.id, learning);
    for (const tell of this.#listeners) tell(learnedBy(learning));
    this.onLearning?.(learning, this.#factOf(learning));
  }

  #grow(known: Learning, { breaks = [], deviations = {}, seen }: Learning): void {
    const broken = breaks.filter((id) => known.breaks?.includes(id) !== true);
    const merged = mergeDeviations(known.deviations ?? {}, deviations);
    if (broken.length === 0 && isDeepStrictEqual(merged, known.deviations ?? {})) return;
    const grown = {
      ...known,
      breaks: [...(known.breaks ?? []), ...broken],
      deviations: merged,
      seen: broken.length === 0 ? known.seen : [...known.seen, ...seen],
    };
    this.#learnings.set(known.id, grown);
    for (const tell of this.#listeners) tell(learnedBy(grown));
    this.onGrown?.({ ...grown, breaks: broken, seen });
  }

  /** Everything that was learned, in that order. */
  get learned(): readonly Learning[] {
    return [...this.#learnings.values()];
  }

  knows(id: string): boolean {
    return this.#learnings.has(id);
  }

  /** Calls back with what was and will be learned of how the target departs. */
  onLearned(tell: (learned: LearnedDeviations) => void): void {
    for (const learning of this.#learnings.values()) tell(learnedBy(learning));
    this.#listeners.push(tell);
  }

  /** Everything that was learned, as reports take it. */
  get facts(): readonly Fact[] {
    return this.learned.map((learning) => this.#factOf(learning));
  }

  #factOf({ dialect, deviations, seen, text, breaks = [], ...rest }: Learning): Fact {
    const lines = dialect ?? deviations;
    return {
      ...rest,
      text: this.redactor.redact(text),
      breaks,
      ...(lines !== undefined && { dialect: lines }),
      evidence: this.evidenceOf(seen),
    };
  }

  /** Exchanges as reports show them. */
  evidenceOf(seen: readonly Exchange[]): readonly Evidence[] {
    const { evidenceFor } = this;
    if (evidenceFor !== undefined) return seen.map((exchange) => evidenceFor(exchange));
    return seen.map((exchange) => {
      const { request, operation } = exchange;
      const isOfJob = request.jobId !== undefined && operation !== "run";
      const curl = isOfJob || !this.isRepeatable ? undefined : curlOf(request);
      return evidenceOf(exchange, this.redactor, { startedAtMs: this.startedAtMs, curl });
    });
  }
}

function learnedBy({ id, breaks = [], deviations = {} }: Learning): LearnedDeviations {
  return { cause: id, breaks, deviations };
}
