import { excerpt } from "../../client/redactor.ts";
import type { Redactor } from "../../client/redactor.ts";
import { mapTexts } from "../../client/map-texts.ts";
import { roundedMs } from "../../harness/evidence/evidence.ts";
import type { Evidence } from "../../reports/model.ts";
import type { RecordedExchange } from "./recorded-exchange.ts";

/** Makes evidence of an exchange that somebody else sent, with every secret taken out. */
export function evidenceOfRecorded(
  exchange: RecordedExchange,
  redactor: Redactor,
  startedAtMs: number,
): Evidence {
  const { method, origin, target, headers, body, answer, arrivedMs, brokenOff } = exchange;
  const hide = <Value>(value: Value): Value =>
    mapTexts(value, (text) => redactor.redact(text), none);
  const endMs = answer?.endedMs ?? brokenOff?.atMs ?? arrivedMs;
  return {
    request: {
      method,
      url: redactor.redact(`${origin}${target}`),
      headers: hide({ ...headers }),
      body: body.bytes.length === 0 ? null : excerpt(body.bytes, redactor),
    },
    response:
      answer === undefined
        ? null
        : {
            status: answer.status,
            headers: hide({ ...answer.headers }),
            body: excerpt(answer.body.bytes, redactor),
          },
    ...(brokenOff !== undefined && {
      error:
        brokenOff.by === "client"
          ? "the client broke off"
          : "the connection was closed before the whole answer was sent",
    }),
    atMs: roundedMs(arrivedMs - startedAtMs),
    durationMs: roundedMs(endMs - arrivedMs),
    curl: "",
  };
}

const none: ReadonlySet<string> = new Set();
