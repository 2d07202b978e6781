import { Answer } from "../../client/exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { Evidence } from "../../reports/model.ts";
import { isSuccess } from "../../harness/read.ts";
import { askedFor, jsonOf } from "../recording/recorded-exchange.ts";
import type { OperationRoute, RecordedExchange } from "../recording/recorded-exchange.ts";

/** A recorded exchange of an operation, as the judges of servers look at it. */
export interface SeenExchange {
  readonly recorded: RecordedExchange;
  readonly operation: OperationName;
  readonly endpointId: string;
  readonly jobId: string | undefined;
  readonly status: number;
  readonly isSuccess: boolean;
  /** The request's body as JSON; undefined where it is none, or is not known. */
  readonly sent: unknown;
  /** The answer's. */
  readonly got: unknown;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** The same in the form that the checks' own rules read. */
  readonly exchange: Exchange;
  readonly evidence: () => Evidence;
}

/** How exchanges are read. */
interface ReadsExchanges {
  readonly evidenceOf: (recorded: RecordedExchange) => Evidence;
  /** The exchange with its answer in the specification's terms; the same one where it is in them. */
  readonly translated: (exchange: Exchange) => Exchange;
}

/** Reads an exchange; undefined where it is of no operation, or no whole answer to it is known. */
export function seenExchange(
  recorded: RecordedExchange,
  routes: readonly OperationRoute[],
  { evidenceOf, translated }: ReadsExchanges,
): SeenExchange | undefined {
  const asked = askedFor(recorded, routes);
  const { answer, brokenOff, body, headers, method, origin, target, arrivedMs } = recorded;
  if (asked === undefined || answer === undefined || brokenOff !== undefined) return undefined;
  const { operation, endpointId, jobId } = asked;
  const isWhole = answer.body.kind === "whole";
  const text = isWhole ? answer.body.bytes.toString("utf8") : "";
  const plain: Exchange = {
    operation,
    request: {
      method,
      url: `${origin}${target}`,
      headers,
      keyName: undefined,
      body: undefined,
      bodyBytes: body.bytes.length,
      endpointId,
      jobId,
    },
    answer: new Answer(answer.status, answer.headers, text),
    failure: undefined,
    sentAtMs: arrivedMs,
    answeredAtMs: answer.endedMs,
  };
  const exchange = isWhole ? translated(plain) : plain;
  const told = exchange.answer ?? plain.answer;
  return {
    recorded,
    operation,
    endpointId,
    jobId,
    status: told?.status ?? answer.status,
    isSuccess: told !== undefined && isSuccess(told),
    sent: jsonOf(body),
    got: told === undefined || !isWhole ? undefined : valueOf(told),
    sentAtMs: arrivedMs,
    answeredAtMs: answer.endedMs,
    exchange,
    evidence: () => evidenceOf(recorded),
  };
}

function valueOf(answer: Answer): unknown {
  const body = bodyOf(answer);
  return body.ok ? body.value : undefined;
}
