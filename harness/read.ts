import { bodyOf } from "../client/parsed-body.ts";
import { describeFailure } from "../client/exchange.ts";
import type { Answer, Exchange } from "../client/exchange.ts";
import { describeErrors } from "../openapi/describe-errors.ts";
import { validators } from "../openapi/generated/validators.ts";
import { valueAt } from "../openapi/departures.ts";
import type { SchemaName, Schemas } from "../openapi/schemas.ts";
import { Unsupported, Unanswered, Inconclusive } from "./outcome.ts";
import { show } from "./show.ts";

/** A body that could be read, or what came instead in a few words. */
export type Read<Body> =
  { readonly ok: true; readonly body: Body } | { readonly ok: false; readonly got: string };

/** The validated body of a success, or what came instead in a few words. */
export function readBody<Name extends SchemaName>(
  exchange: Exchange,
  schema: Name,
): Read<Schemas[Name]> {
  const read = readJson(exchange);
  if (!read.ok) return read;
  const validate = validators[schema];
  if (validate(read.body)) return { ok: true, body: read.body };
  const got = `${describeAnswer(answerOf(exchange))}: ${describeErrors(validate.errors)}`;
  return { ok: false, got };
}

/** The JSON of a success, whatever it is, or what came instead in a few words. */
export function readJson(exchange: Exchange): Read<unknown> {
  const answer = admittedAnswerOf(exchange);
  if (!isSuccess(answer)) return { ok: false, got: describeAnswer(answer) };
  const parsed = bodyOf(answer);
  if (parsed.ok) return { ok: true, body: parsed.value };
  return { ok: false, got: `${answer.status} with ${parsed.why}` };
}

/**
 * The answer, or the end of the check where none came.
 * @throws Unanswered where the target did not answer this request, though it answered others
 * @throws Inconclusive where it is not known what the target would have said
 */
export function answerOf(exchange: Exchange): Answer {
  const { answer, failure, operation } = exchange;
  if (answer !== undefined) return answer;
  if (failure?.kind === "lacking") throw new Unsupported(failure.message, failure.cause);
  const message = `${operation}: ${describeFailure(exchange)}`;
  if (failure?.kind === "unanswered") throw new Unanswered(operation, message);
  throw new Inconclusive(message);
}

/** The same; a 429 ends the check, too, for it says nothing of what was asked. */
export function admittedAnswerOf(exchange: Exchange): Answer {
  const answer = answerOf(exchange);
  if (answer.status === 429) throw new Inconclusive(`${exchange.operation} answered 429`);
  return answer;
}

/** Whether an answer is a success: the specification names no code, so any 2xx is. */
export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Status and the beginning of the body as they came, for a message. */
export function describeAnswer({ asSent }: Answer): string {
  const text = asSent.rawText();
  return text === ""
    ? `status ${asSent.status}, no body`
    : `status ${asSent.status}, ${show(text)}`;
}

/** Whether an answer of health counts jobs at work, and none that waits. */
export function countsNoneWaiting(exchange: Exchange): boolean {
  const { answer } = exchange;
  if (exchange.operation !== "health" || answer === undefined || !isSuccess(answer)) return false;
  const body = bodyOf(answer);
  if (!body.ok || valueAt(body.value, "jobs.inQueue") !== 0) return false;
  const working = valueAt(body.value, "jobs.inProgress");
  return typeof working === "number" && working > 0;
}
