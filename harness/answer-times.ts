import type { OperationName } from "../openapi/operations.ts";
import type { Evidence } from "../reports/model.ts";
import type { Exchange, RequestSpan } from "../client/exchange.ts";
import type { EvidenceMaker } from "./evidence/evidence.ts";
import { isSuccess, readBody } from "./read.ts";
import { recordShownBy } from "./record.ts";

/** How long one answer took. */
export interface AnswerTime extends RequestSpan {
  readonly operation: OperationName;
  readonly findsNoConnection: boolean;
  /** Returns the exchange in the form that a report has; absent where the answer came soon. */
  readonly evidence?: () => Evidence;
}

/** An answer that comes sooner is not late, whatever others take, in milliseconds. */
export const lateMsMin = 2000;

/** More answers than any run gets; a target that answers without end must not fill the memory. */
const answersMax = 100_000;
/** Larger requests and answers take their time on the way, in bytes and characters. */
const smallMax = 65_536;

/** The times of the successes of a run, of small requests and answers. */
export class AnswerTimes {
  readonly #times: AnswerTime[] = [];

  observe(exchange: Exchange, makeEvidence: EvidenceMaker): void {
    const {
      operation,
      request,
      answer,
      sentAtMs,
      answeredAtMs,
      findsNoConnection = false,
    } = exchange;
    const isSmall = request.bodyBytes <= smallMax && (answer?.rawText().length ?? 0) <= smallMax;
    if (!isSmall || this.#times.length >= answersMax || !showsItsOperation(exchange)) return;
    const isLate = answeredAtMs - sentAtMs >= lateMsMin;
    const evidence = isLate ? { evidence: () => makeEvidence(exchange) } : {};
    this.#times.push({ operation, sentAtMs, answeredAtMs, findsNoConnection, ...evidence });
  }

  all(): readonly AnswerTime[] {
    return this.#times;
  }

  forget(): void {
    this.#times.length = 0;
  }
}

const schemas = {
  stream: "StreamAnswer",
  "purge-queue": "PurgeAnswer",
  health: "HealthAnswer",
} as const;

/** Whether an answer is a success of its operation: the time of any other proves nothing of it. */
function showsItsOperation(exchange: Exchange): boolean {
  const { answer, operation } = exchange;
  if (answer === undefined || !isSuccess(answer)) return false;
  return operation === "stream" || operation === "purge-queue" || operation === "health"
    ? readBody(exchange, schemas[operation]).ok
    : recordShownBy(exchange) !== undefined;
}
