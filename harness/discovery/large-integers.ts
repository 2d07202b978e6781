import type { Exchange } from "../../client/exchange.ts";
import { isSuccess } from "../read.ts";
import type { Discovery } from "./discovery.ts";

/** An integer beyond 2^53 that no double holds: the nearest ones are its neighbours. */
export const largeInteger = "9007199254740993";

/** The id of the cause that such integers come back changed. */
export const largeIntegersId = "large-integers-rounded";

/** The nearest doubles, as they are written. */
const rounded = /\b(?:900719925474099[24](?:\.0)?|9\.00719925474099[24]e\+?15)\b/i;

/** Longer than the record of a job that gives such a number back. */
const charactersMax = 2000;

/**
 * Learns that integers beyond 2^53 come back changed. Whether they may is not stated, and JSON leaves it to who reads it
 * (RFC 8259, 6), so that it breaks nothing. What is compared is the text: parsed, both numbers are the same.
 */
export function learnLargeIntegers(discovery: Discovery, exchange: Exchange): void {
  const { answer, operation } = exchange;
  if (answer === undefined || answer.characters > charactersMax || !isSuccess(answer)) return;
  const [got] = rounded.exec(answer.rawText()) ?? [];
  if (got === undefined) return;
  discovery.learn({
    id: largeIntegersId,
    topic: "answers",
    text: `integers beyond 2^53 are rounded: ${largeInteger} came back as ${got} in the answer of ${operation}`,
    expected: largeInteger,
    got,
    seen: [exchange],
  });
}
