import type { Exchange } from "../../client/exchange.ts";
import { markFlaw } from "../../client/parse-json.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import { isSuccess } from "../read.ts";
import type { Discovery } from "./discovery.ts";

/** Learns that bodies begin with a byte order mark, which nobody may send and a reader may pass over (RFC 8259, 8.1). */
export function learnByteOrderMark(discovery: Discovery, exchange: Exchange): void {
  const { answer, operation } = exchange;
  if (answer === undefined || !isSuccess(answer)) return;
  const body = bodyOf(answer);
  if (!body.ok || body.flaw !== markFlaw) return;
  discovery.learn({
    id: "byte-order-mark",
    topic: "answers",
    text: `bodies begin with a byte order mark, as that of ${operation} does`,
    adapted: "read without it",
    breaks: ["ENDP-03"],
    expected: "a JSON body, without a byte order mark",
    explains: ({ got }) => got.endsWith(markFlaw),
    seen: [exchange],
  });
}
