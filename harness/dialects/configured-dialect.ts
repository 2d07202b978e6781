import { bodyOf } from "../../client/parsed-body.ts";
import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import type { Answer, MetDeviation, Exchange } from "../../client/exchange.ts";
import { withEmptyObject } from "../../client/translation.ts";
import type { OutgoingRequest, Translation } from "../../client/translation.ts";
import type { AnswerForm } from "../../openapi/departures.ts";
import { isSubmission, namesJob, operations } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Mismatch } from "../../reports/model.ts";
import { matchesGlob } from "../glob.ts";
import { describeAnswer, isSuccess } from "../read.ts";
import { show } from "../show.ts";
import { askedUnder, mayBeRecord } from "./record-operations.ts";
import { absenceOf, endpointMark, lackingOf } from "./lacking.ts";
import { mergeDeviations } from "./schema.ts";
import { normalise, normaliseShape, readAsUnfinished } from "./normalise.ts";
import type { AnswerRead } from "./content.ts";
import type { Deviations, Dialect, Lackable } from "./schema.ts";
import { isFinal, isLooseRecord } from "../record.ts";

/** More than the checks of one run read twice. */
const charactersMax = 32 * 1_048_576;

/** Keeps the records of finished jobs, for a service that lets each result be read once. */
class KeptResults {
  readonly #texts = new Map<string, string>();
  #characters = 0;

  /** Keeps what status or runsync showed of a finished job. */
  keep({ operation, request }: Exchange, body: unknown): void {
    if (operation !== "status" && operation !== "runsync") return;
    if (!isLooseRecord(body) || !isFinal(body)) return;
    const text = JSON.stringify(body);
    if (this.#characters + text.length > charactersMax) return;
    this.#characters += text.length;
    this.#texts.set(keyOf(request.endpointId, body.id), text);
  }

  /** The record that was kept of this job. */
  of({ operation, request }: Exchange): string | undefined {
    if (operation !== "status" || request.jobId === undefined) return undefined;
    return this.#texts.get(keyOf(request.endpointId, request.jobId));
  }
}

function keyOf(endpointId: string, jobId: string): string {
  return JSON.stringify([endpointId, jobId]);
}

/** What an answer without a body holds. */
const emptyObject = { ok: true, value: {} } as const;

const usualMethods = new Map(operations.map(({ name, method }) => [name, method]));

/** What was learned of a target, and the cause under which it is told. */
export interface LearnedDeviations {
  readonly cause: string;
  /** The requirements that fail for it once, so that no check lists it as a deviation. */
  readonly breaks: readonly RequirementId[];
  readonly deviations: Deviations;
}

/** What learns how a target departs, from all that comes of it. */
interface DialectLearning {
  /** Called with every exchange as it came, before it is translated. */
  readonly fromExchange?: (exchange: Exchange) => void;
  /** Called with the body of every call of a webhook, outside any envelope. */
  readonly fromWebhook?: (body: unknown) => void;
}

/** What a check saw where it expected something else. */
export type Difference = Pick<Mismatch, "requirement" | "at" | "got">;

/**
 * Translates requests into the service's terms, and answers into those of the specification. Whatever is changed or
 * allowed for that is noted as a deviation, with the requirement it departs from.
 */
export class ConfiguredDialect implements Translation {
  readonly name: string;
  readonly #dialect: Dialect;
  #deviations: Deviations;
  #lacking: ReadonlyMap<RequirementId, string>;
  readonly #given: Deviations;
  readonly #learned: LearnedDeviations[] = [];
  readonly #kept = new KeptResults();
  readonly #learning: DialectLearning;

  /** @param learning what learns from all that comes, before it is translated */
  constructor(dialect: Dialect, learning: DialectLearning = {}) {
    this.#learning = learning;
    this.name = dialect.name;
    this.#dialect = dialect;
    this.#given = dialect.deviations ?? {};
    this.#deviations = this.#given;
    this.#lacking = lackingOf(this.#deviations);
  }

  /** Takes over how the target departs; what the dialect itself says of it wins. */
  learn(learned: LearnedDeviations): void {
    this.#learned.push(learned);
    this.#deviations = mergeDeviations(this.#deviations, learned.deviations);
    this.#lacking = lackingOf(this.#deviations);
  }

  /** The cause for which a requirement cannot be asked of the target, where that was learned. */
  causeOf(requirement: RequirementId): string | undefined {
    if (lackingOf(this.#given).has(requirement)) return undefined;
    return this.#learned.find(({ deviations }) => lackingOf(deviations).has(requirement))?.cause;
  }

  /** Who says what the target lacks: the dialect, or what was learned of the target. */
  sourceOf(requirement: RequirementId): string {
    return this.#sourceOf(this.causeOf(requirement));
  }

  #sourceOf(cause: string | undefined): string {
    return cause === undefined ? `dialect ${this.name}` : `learned: ${cause}`;
  }

  /** The cause for which an operation is not asked for, or no webhook awaited, where that was learned. */
  causeOfMissing(what: Lackable): string | undefined {
    if (this.#given.lacks?.includes(what) === true) return undefined;
    const isMissing = ({ deviations }: LearnedDeviations): boolean =>
      deviations.lacks?.includes(what) === true;
    return this.#learned.find(isMissing)?.cause;
  }

  request(request: OutgoingRequest): OutgoingRequest {
    const { basePath, methods = {}, authorization, trailingSlash, bodiesNeeded } = this.#deviations;
    const { operation, path, endpointSegment, method } = request;
    const usual = `/v2/${endpointSegment}`;
    const translated =
      basePath === undefined
        ? path
        : basePath.replaceAll(endpointMark, endpointSegment) + path.slice(usual.length);
    const asked = {
      ...request,
      path: trailingSlash === true ? translated.replace(/(?=\?|$)/, "/") : translated,
      method: methods[operation] ?? method,
      headers: withScheme(request.headers, authorization),
    };
    return bodiesNeeded === true ? withEmptyObject(asked) : asked;
  }

  get answers(): AnswerForm {
    const { envelope, members, states } = this.#deviations;
    return {
      ...(envelope !== undefined && { envelope }),
      ...(members !== undefined && { members }),
      ...(states !== undefined && { states }),
    };
  }

  /** Keeps the results that these reads show, for later reads of a target that has them once. */
  keepResults(reads: readonly Exchange[]): void {
    for (const read of reads) {
      const body = read.answer === undefined ? undefined : bodyOf(read.answer);
      if (body?.ok === true) this.#kept.keep(read, body.value);
    }
  }

  exchange(exchange: Exchange): Exchange {
    this.#learning.fromExchange?.(exchange);
    const { answer } = exchange;
    const departs = this.#dialect.deviations !== undefined || this.#learned.length > 0;
    if (answer === undefined || !departs) return exchange;

    const seen = `${exchange.request.method} ${exchange.request.url}: ${describeAnswer(answer)}`;
    const asked = this.#asked(exchange).map(([requirement, what]) => ({ requirement, what, seen }));
    const { content, changes } = this.#read(exchange, answer);
    const recalled = this.#recall(exchange, content?.status ?? answer.status);
    if (recalled !== undefined) {
      const what = "the result of a finished job can be read once";
      const note: MetDeviation = { requirement: "LIFE-02", what, seen };
      const again = answer.translated({ status: 200, text: recalled });
      return this.#noted(exchange, again, [...asked, note]);
    }
    if (content === undefined) return this.#noted(exchange, answer, asked);

    this.#kept.keep(exchange, content.body);
    if (changes.length === 0) return this.#noted(exchange, answer, asked);
    const notes = changes.map(({ requirement, what }) => ({ requirement, what, seen }));
    const text = JSON.stringify(content.body);
    const translated = answer.translated({ status: content.status, text });
    return this.#noted(exchange, translated, [...asked, ...notes]);
  }

  obstacle(what: Lackable): string | undefined {
    if (this.#deviations.lacks?.includes(what) !== true) return undefined;
    return `${absenceOf(what)} (${this.#sourceOf(this.causeOfMissing(what))})`;
  }

  /** The reading of an open requirement that the dialect demands, where it demands one. */
  pinned(requirement: RequirementId): string | undefined {
    return this.#dialect.readings?.[requirement];
  }

  /** What the target is known to do instead, where the dialect allows a difference. */
  tolerates({ requirement, at, got }: Difference): string | undefined {
    return this.#deviations.tolerates?.find(
      (known) =>
        known.requirement === requirement &&
        (known.at === undefined || matchesGlob(at, known.at)) &&
        (known.got === undefined || matchesGlob(got, known.got)),
    )?.what;
  }

  /** The same for a status that is none of the expected ones. */
  toleratesStatus(exchange: Exchange, expected: readonly number[]): string | undefined {
    const { refusals = [], authorization } = this.#deviations;
    const { answer, operation } = exchange;
    if (answer === undefined) return undefined;
    const submits = isSubmission(operation);
    if (submits && expected.includes(400) && refusals.includes(answer.status)) {
      return `a refused submission is answered ${answer.status}`;
    }
    const asksForKeys = authorization !== "none";
    if (asksForKeys || !expected.includes(401)) return undefined;
    return "no authorization is asked for";
  }

  /** Why the target cannot fulfil a requirement at all, where that is known. */
  lacking(requirement: RequirementId): string | undefined {
    return this.#lacking.get(requirement);
  }

  /** The same for what one check presupposes. */
  lackingFor(checkName: string): string | undefined {
    const { skipsChecks = {} } = this.#deviations;
    return Object.entries(skipsChecks).find(([glob]) => matchesGlob(checkName, glob))?.[1];
  }

  /** The body of a webhook's call in the specification's terms, and what had to be changed for that. */
  webhookBody(text: string): { readonly text: string; readonly deviation?: MetDeviation } {
    const body = parseJson(text);
    this.#learning.fromWebhook?.(normaliseShape(body, this.#deviations).content);
    const { webhookMember: member } = this.#deviations;
    const inside = member === undefined ? undefined : memberOf(body, member);
    const { content, changes } = normaliseShape(inside ?? body, this.#deviations);
    if (inside === undefined && changes.length === 0) return { text };
    const translated = JSON.stringify(content);
    if (inside === undefined) return { text: translated };
    const what = `the body of a webhook has the record as its member ${String(member)}`;
    const seen = `a webhook was called with ${show(text)}`;
    return { text: translated, deviation: { requirement: "HOOK-02", what, seen } };
  }

  /** An exchange with what the dialect had to make up for; what was learned is told once, and not as a deviation. */
  #noted(exchange: Exchange, answer: Answer, met: readonly MetDeviation[]): Exchange {
    const deviations = met.filter(
      ({ requirement }) => !this.#learned.some(({ breaks }) => breaks.includes(requirement)),
    );
    if (deviations.length === 0 && answer === exchange.answer) return exchange;
    return { ...exchange, answer, ...(deviations.length > 0 && { deviations }) };
  }

  /** The ways in which the request had to depart from the specification. */
  #asked({ operation, request }: Exchange): readonly (readonly [RequirementId, string])[] {
    const { basePath, methods = {}, authorization } = this.#deviations;
    const found: (readonly [RequirementId, string])[] = [];
    if (basePath !== undefined) {
      found.push(["ENDP-01", `paths begin with ${basePath === "" ? "the operation" : basePath}`]);
    }
    const method = methods[operation];
    if (method !== undefined && method !== usualMethods.get(operation)) {
      found.push([askedUnder[operation], `${operation} is asked for by ${method}`]);
    }
    if (request.headers["authorization"] === undefined) return found;
    if (authorization === "bearer") found.push(["AUTH-03", "a key is sent as Bearer alone"]);
    if (authorization === "raw") found.push(["AUTH-04", "a key is sent bare alone"]);
    return found;
  }

  /** Translates what is, or stands for, a success with a JSON body into the specification's terms; no content else. */
  #read({ operation, request: { jobId } }: Exchange, answer: Answer): AnswerRead {
    const { unknownJobs, waitOver, bareAnswers = [] } = this.#deviations;
    if (answer.status === unknownJobs && namesJob(operation)) {
      const content = { operation, status: 404, body: {} };
      const what = `an unknown job is answered ${unknownJobs}: read as 404`;
      return { content, changes: [{ requirement: "STAT-09", what }] };
    }
    if (operation === "runsync" && answer.status === waitOver) return readAsUnfinished(answer);
    if (!isSuccess(answer) && !this.#isRecord(operation, answer)) return { changes: [] };
    const isBare = answer.rawText() === "" && bareAnswers.some((name) => name === operation);
    const parsed = isBare ? emptyObject : bodyOf(answer);
    if (!parsed.ok) return { changes: [] };
    const content = { operation, jobId, status: answer.status, body: parsed.value };
    return normalise(content, this.#deviations);
  }

  /** Whether an answer that is no success is said to be a record. */
  #isRecord(operation: OperationName, { status }: Answer): boolean {
    const { recordStatuses = [] } = this.#deviations;
    return recordStatuses.includes(status) && mayBeRecord(operation, status);
  }

  /** The record of a job that was read before, where the service now says that the job is unknown. */
  #recall(exchange: Exchange, status: number): string | undefined {
    const isAsked = this.#deviations.oneShotResults === true && status === 404;
    return isAsked ? this.#kept.of(exchange) : undefined;
  }
}

function memberOf(body: unknown, member: string): unknown {
  return isJsonObject(body) && Object.hasOwn(body, member) ? body[member] : undefined;
}

function withScheme(
  headers: OutgoingRequest["headers"],
  authorization: Deviations["authorization"],
): OutgoingRequest["headers"] {
  const given = headers["authorization"];
  if (given === undefined || authorization === undefined || authorization === "none") {
    return headers;
  }
  const key = given.replace(/^Bearer /, "");
  return { ...headers, authorization: authorization === "bearer" ? `Bearer ${key}` : key };
}
