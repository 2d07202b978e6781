import { isJsonObject } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import type { Exchange } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import type { Deviations } from "../dialects/schema.ts";
import { isSuccess } from "../read.ts";
import { show } from "../show.ts";
import type { Discovery, Learning } from "./discovery.ts";
import { isSuccessOf } from "./shown-by.ts";

/**
 * Learns from an answer of stream, as it came, that its array stands in an object, that its elements have no metrics, or
 * that it sends events in place of JSON. Each is one cause, and where there is an array the run reads it.
 * @param given what the dialect says already: that is tolerated, and no cause
 */
export function learnStream(
  discovery: Discovery,
  exchange: Exchange,
  { stream = {} }: Deviations = {},
): void {
  const { answer, operation } = exchange;
  if (operation !== "stream" || answer === undefined || !isSuccess(answer)) return;
  const type = answer.headers["content-type"] ?? "";
  if (/^text\/event-stream/i.test(type)) learnEvents(discovery, exchange);
  const body = bodyOf(answer);
  if (body.ok) learnArray(discovery, exchange, { value: body.value, given: stream });
}

function learnArray(
  discovery: Discovery,
  exchange: Exchange,
  { value, given }: { readonly value: unknown; readonly given: Deviations["stream"] & object },
): void {
  const member = isJsonObject(value) ? arrayIn(value) : undefined;
  if (member !== undefined && member !== given.member) learnObject(discovery, exchange, member);
  const elements = isJsonObject(value) && member !== undefined ? value[member] : value;
  // Elements that lack metrics alone are for the checks, which give a script that repeats it.
  const isOther = discovery.knows("stream-in-object") || given.member !== undefined;
  if (isOther && given.withoutMetrics !== true) learnMetrics(discovery, exchange, elements);
}

const jsonArray: Pick<Learning, "topic" | "breaks" | "expected"> = {
  topic: "stream",
  breaks: ["ENDP-05", "STRM-01"],
  expected: "a JSON array whose elements have an object output and an object metrics",
};

function learnObject(discovery: Discovery, exchange: Exchange, member: string): void {
  discovery.learn({
    ...jsonArray,
    id: "stream-in-object",
    text: `stream answers an object, and has its array in the member ${show(member)}`,
    adapted: "read from there",
    deviations: { stream: { member } },
    seen: [exchange],
  });
}

function learnMetrics(discovery: Discovery, exchange: Exchange, elements: unknown): void {
  if (!Array.isArray(elements) || elements.length === 0) return;
  const all: readonly unknown[] = elements;
  discovery.hasUsualChunks ||= !all.every(lacksMetrics);
  if (discovery.hasUsualChunks) return;
  discovery.learn({
    ...jsonArray,
    id: "stream-without-metrics",
    text: "the elements of a stream have no metrics",
    adapted: "read without them",
    deviations: { stream: { withoutMetrics: true } },
    seen: [exchange],
  });
}

function lacksMetrics(element: unknown): boolean {
  return (
    isJsonObject(element) && Object.hasOwn(element, "output") && !Object.hasOwn(element, "metrics")
  );
}

const isStream = isSuccessOf("stream");

function learnEvents(discovery: Discovery, exchange: Exchange): void {
  discovery.learn({
    ...jsonArray,
    id: "stream-of-events",
    text: "stream sends events (text/event-stream) in place of a JSON array",
    adapted: "not asked for again",
    deviations: { lacks: ["stream"] },
    breaks: ["ENDP-03", "ENDP-05", "STRM-01"],
    excuses: (_, evidence) => isStream(evidence),
    seen: [exchange],
  });
}

/** The one member that is an array, where the object is no record of an error. */
function arrayIn(value: JsonMembers): string | undefined {
  const names = Object.keys(value).filter((name) => Array.isArray(value[name]));
  return names.length === 1 && value["error"] === undefined ? names[0] : undefined;
}
