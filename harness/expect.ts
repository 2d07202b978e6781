import { isDeepStrictEqual } from "node:util";

import { describeFailure } from "../client/exchange.ts";
import type { Answer, Exchange, MetDeviation } from "../client/exchange.ts";
import { requirements } from "../openapi/requirements.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { SchemaName, Schemas } from "../openapi/schemas.ts";
import type { Mismatch, Reading } from "../reports/model.ts";
import { Stopped, Inconclusive } from "./outcome.ts";
import type { Unanswered } from "./outcome.ts";
import { admittedAnswerOf, answerOf, describeAnswer, isSuccess, readBody } from "./read.ts";
import type { Read } from "./read.ts";
import { readRecord } from "./record.ts";
import type { LooseRecord } from "./record.ts";
import { show } from "./show.ts";
import type { Hook } from "./webhooks/hook.ts";
import { recordOperations } from "./dialects/record-operations.ts";
import type { ConfiguredDialect } from "./dialects/configured-dialect.ts";

/** A difference, with the exchange or the webhook that shows it. */
export interface FoundMismatch extends Mismatch {
  /** The exchange whose answer was compared; absent where another value was. */
  readonly compared?: Exchange;
  /** Where `compared` is absent: what the check looked at last before it compared. */
  readonly seenLast?: Exchange | Hook | undefined;
  /** Whether no worker and no moment can have changed what differs. */
  readonly isSure?: boolean;
}

/** What a check has compared so far. All `Expectations` of the check share it. */
export interface Findings {
  /** How often each requirement was compared; a check that compared nothing is a harness error. */
  readonly comparisons: Map<RequirementId, number>;
  readonly mismatches: FoundMismatch[];
  /** The exchange, or the calls of a webhook, that the check looked at last. */
  seenLast?: Exchange | Hook;
  readonly readings: Reading[];
  /** The departures from the specification that were met and that the dialect allows. */
  readonly deviations: DeviationLog;
  readonly dialect: ConfiguredDialect;
  /** Why a difference proves nothing from now on: a request may have had its effect twice, never or late. */
  doubt?: string;
}

/** The deviations that were met, each once, with the first example of it. */
export class DeviationLog {
  readonly #met = new Map<string, MetDeviation>();

  add(deviation: MetDeviation): void {
    const key = `${deviation.requirement} ${deviation.what}`;
    if (!this.#met.has(key)) this.#met.set(key, deviation);
  }

  all(): readonly MetDeviation[] {
    return [...this.#met.values()];
  }
}

/** More differences of one check would only repeat the first ones. */
const mismatchesMax = 40;

const nothingToTell = { expected: "", got: "" };

/** Compares, and records differences. After one the check goes on where that makes sense, else it is stopped. */
export class Expectations {
  readonly #requirement: RequirementId;
  readonly #findings: Findings;
  readonly #compared: Exchange | undefined;
  readonly #isSure: boolean;

  constructor(
    requirement: RequirementId,
    findings: Findings,
    { compared, isSure = false }: { readonly compared?: Exchange; readonly isSure?: boolean } = {},
  ) {
    this.#requirement = requirement;
    this.#findings = findings;
    this.#compared = compared;
    this.#isSure = isSure;
  }

  /** The same expectations, of what no worker and no moment can change: a difference counts, however busy all were. */
  get surely(): Expectations {
    return new Expectations(this.#requirement, this.#findings, { isSure: true });
  }

  /** Attributes later differences to the calls of a webhook. Returns itself. */
  about(hook: Hook): Expectations {
    this.#findings.seenLast = hook;
    return this;
  }

  /** The same expectations, with differences attributed to this exchange. */
  #comparing(exchange: Exchange): Expectations {
    return new Expectations(this.#requirement, this.#findings, { compared: exchange });
  }

  /** The same expectations, about another requirement that the check covers. */
  of(requirement: RequirementId): Expectations {
    return new Expectations(requirement, this.#findings);
  }

  /** Records a difference unless `holds`; where the dialect allows the difference, records a deviation instead. */
  that(holds: boolean, { at, expected, got }: Omit<Mismatch, "requirement">): boolean {
    const { dialect } = this.#findings;
    this.#count();
    const requirement = this.#requirement;
    const known = holds ? undefined : dialect.tolerates({ requirement, at, got });
    if (known !== undefined) {
      this.note({ requirement, what: known, seen: `${at}: expected ${expected}, got ${got}` });
      return true;
    }
    const { doubt } = this.#findings;
    if (!holds && doubt !== undefined && !this.#isSure) throw new Inconclusive(doubt);
    if (!holds && this.#findings.mismatches.length < mismatchesMax) {
      this.#differs({ at, expected, got });
    }
    return holds;
  }

  /** Notes a deviation that was met on the way. */
  note(deviation: MetDeviation): void {
    this.#findings.deviations.add(deviation);
  }

  /** Records a difference unless the two are deeply equal. */
  equal(actual: unknown, expected: unknown, at: string): boolean {
    // Equal values need no text, and the values of a whole run are many and long.
    const holds = isDeepStrictEqual(actual, expected);
    const words = holds ? nothingToTell : { expected: show(expected), got: show(actual) };
    return this.that(holds, { at, ...words });
  }

  /** Records a difference unless the answer has one of the statuses. A 429 that is none of them ends the check. */
  status(
    exchange: Exchange,
    expected: number | readonly number[],
    at: string = exchange.operation,
  ): boolean {
    const allowed = typeof expected === "number" ? [expected] : expected;
    const words = `status ${allowed.join(" or ")}`;
    this.#demandAnswer(exchange, words, at);
    const answer = allowed.includes(429) ? answerOf(exchange) : admittedAnswerOf(exchange);
    const holds = allowed.includes(answer.status);
    const known = holds ? undefined : this.#findings.dialect.toleratesStatus(exchange, allowed);
    if (known !== undefined) {
      const seen = `${at}: ${describeAnswer(answer)}`;
      this.note({ requirement: this.#requirement, what: known, seen });
    }
    const passes = holds || known !== undefined;
    const got = passes ? "" : describeAnswer(answer);
    return this.#comparing(exchange).that(passes, { at, expected: words, got });
  }

  /** Records a difference unless the answer is a refusal: any 4xx except 429, which ends the check. */
  refused(exchange: Exchange, at: string = exchange.operation): boolean {
    return this.#answer(exchange, { expected: "a refusal (4xx)", at }, isRefusal);
  }

  /**
   * Records a difference unless the answer is a success (any 2xx). A success that should be a job's record and is none
   * leaves the check inconclusive: it does not show an acceptance, and the checks of the operation judge it.
   */
  accepted(exchange: Exchange, at: string = exchange.operation): boolean {
    return this.#answer(exchange, { expected: "a success (2xx)", at }, (answer) => {
      const holds = isSuccess(answer);
      if (!holds || !recordOperations.has(exchange.operation)) return holds;
      const read = readRecord(exchange);
      if (!read.ok) throw new Inconclusive(`${exchange.operation} gave no record: ${read.got}`);
      return true;
    });
  }

  #answer(
    exchange: Exchange,
    { expected, at }: Pick<Mismatch, "expected" | "at">,
    isExpected: (answer: Answer) => boolean,
  ): boolean {
    this.#demandAnswer(exchange, expected, at);
    const answer = admittedAnswerOf(exchange);
    const holds = isExpected(answer);
    const got = holds ? "" : describeAnswer(answer);
    return this.#comparing(exchange).that(holds, { at, expected, got });
  }

  /** Returns the typed body of a success. A refusal, or a body against its schema, is recorded and stops the check. */
  body<Name extends SchemaName>(exchange: Exchange, schema: Name, at?: string): Schemas[Name] {
    return this.#read(exchange, `2xx with a valid ${schema}`, () => readBody(exchange, schema), at);
  }

  /** Returns the record of a success. Anything but a JSON object with id and status is recorded and stops the check. */
  record(exchange: Exchange, at?: string): LooseRecord {
    const expected = "2xx with a record of id and status";
    return this.#read(exchange, expected, () => readRecord(exchange), at);
  }

  #read<Body>(
    exchange: Exchange,
    expected: string,
    readAnswer: () => Read<Body>,
    at: string = exchange.operation,
  ): Body {
    this.#demandAnswer(exchange, expected, at);
    const read = readAnswer();
    const got = read.ok ? "" : read.got;
    this.#comparing(exchange).that(read.ok, { at, expected, got });
    if (read.ok) return read.body;
    throw new Stopped(read.got);
  }

  /** Records as a difference that a request got no answer. */
  unanswered({ operation, message }: Unanswered): void {
    this.#count();
    this.#differs({ at: operation, expected: "an answer", got: message });
  }

  /** If no answer came although the request was sent again, that is recorded and stops the check. */
  #demandAnswer(exchange: Exchange, expected: string, at: string): void {
    if (exchange.failure?.kind !== "unanswered") return;
    const got = describeFailure(exchange);
    this.#count();
    this.#comparing(exchange).#differs({ at, expected, got });
    throw new Stopped(got);
  }

  #differs(difference: Omit<Mismatch, "requirement">): void {
    const { mismatches, seenLast } = this.#findings;
    const compared = this.#compared;
    const shownBy = compared === undefined ? { seenLast } : { compared };
    const sure = this.#isSure ? { isSure: true } : {};
    mismatches.push({ requirement: this.#requirement, ...difference, ...shownBy, ...sure });
  }

  #count(): void {
    const { comparisons } = this.#findings;
    comparisons.set(this.#requirement, (comparisons.get(this.#requirement) ?? 0) + 1);
  }

  /**
   * Records which reading of an open requirement the target shows. It is a difference if the requirement does not
   * accept the reading, or if the dialect demands another one.
   */
  reading(reading: string, at: string): void {
    const { accepts } = requirements[this.#requirement];
    const { readings, dialect } = this.#findings;
    readings.push({ requirement: this.#requirement, reading, at });
    const pinned = dialect.pinned(this.#requirement);
    const allowed = pinned === undefined ? accepts : [pinned];
    const demand = pinned === undefined ? "" : `, as the dialect ${dialect.name} demands`;
    this.that(allowed.includes(reading), {
      at,
      expected: `${allowed.join(", or ")}${demand}`,
      got: reading,
    });
  }
}

function isRefusal({ status }: Answer): boolean {
  return status >= 400 && status < 500;
}
