import { excerpt } from "../../client/redactor.ts";
import type { Exchange, SentRequest } from "../../client/exchange.ts";
import type { Redactor } from "../../client/redactor.ts";
import type { Evidence } from "../../reports/model.ts";

/** The parts of an exchange that are shown. Its request is redacted already. */
export interface ShownExchange extends Pick<
  Exchange,
  "answer" | "failure" | "sentAtMs" | "answeredAtMs"
> {
  readonly request: Pick<SentRequest, "method" | "url" | "headers" | "body">;
}

/** Turns an exchange into evidence, with the redactor of the check that made it. */
export type EvidenceMaker = (exchange: Exchange) => Evidence;

/** What is added to an exchange. */
interface EvidenceOptions {
  /** When the run began. */
  readonly startedAtMs: number;
  /** The job it is about. */
  readonly job?: string | undefined;
  /** A command that repeats it by itself. */
  readonly curl?: string | undefined;
}

/** Makes evidence of an exchange, with every secret taken out. */
export function evidenceOf(
  exchange: ShownExchange,
  redactor: Redactor,
  { startedAtMs, job, curl = "" }: EvidenceOptions,
): Evidence {
  const { request, failure, sentAtMs, answeredAtMs } = exchange;
  // What went over the wire, whatever a dialect made of it.
  const answer = exchange.answer?.asSent;
  const { method, url, headers } = request;
  return {
    request: { method, url, headers, body: request.body ?? null },
    response:
      answer === undefined
        ? null
        : {
            status: answer.status,
            headers: redactValues(answer.headers, redactor),
            body: excerpt(answer.rawText(), redactor, answer.characters),
          },
    ...(failure === undefined ? {} : { error: redactor.redact(failure.message) }),
    atMs: roundedMs(sentAtMs - startedAtMs),
    durationMs: roundedMs(answeredAtMs - sentAtMs),
    ...(job !== undefined && { job: redactor.redact(job) }),
    curl,
  };
}

/** Only hostile targets send more headers, or longer ones. */
const headersMax = 100;
const headerCharactersMax = 2000;

function redactValues(
  headers: Readonly<Record<string, string>>,
  redactor: Redactor,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, headersMax)
      .map(([name, value]) => [name, redactor.redact(value).slice(0, headerCharactersMax)]),
  );
}

/** Rounds milliseconds to whole microseconds. */
export function roundedMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
