import { Answer } from "../../client/exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { OperationName } from "../../openapi/operations.ts";

/** What an exchange shows beside its body. */
interface Parts {
  readonly operation?: OperationName;
  readonly status?: number;
  readonly jobId?: string;
  readonly authorization?: string;
  /** The body of the request. */
  readonly sent?: unknown;
}

/** An exchange that was answered with this body; a text is taken as it is. */
export function exchangeOf(body: unknown, parts: Parts = {}): Exchange {
  const { operation = "status", status = 200, jobId = "j", authorization, sent } = parts;
  const headers = { "content-type": "application/json" };
  return {
    operation,
    request: {
      method: "GET",
      url: `http://a.test/v2/e/${operation}/${jobId}`,
      headers: authorization === undefined ? {} : { authorization },
      keyName: undefined,
      body: sent === undefined ? undefined : JSON.stringify(sent),
      bodyBytes: 0,
      endpointId: "e",
      jobId,
    },
    answer: new Answer(status, headers, typeof body === "string" ? body : JSON.stringify(body)),
    failure: undefined,
    sentAtMs: 0,
    answeredAtMs: 1,
  };
}

/** The same exchange at another moment. */
export function at(exchange: Exchange, sentAtMs: number, answeredAtMs = sentAtMs): Exchange {
  return { ...exchange, sentAtMs, answeredAtMs };
}
