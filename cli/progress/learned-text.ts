import { paceText } from "../../harness/endpoint/pace.ts";
import type { RunEvent } from "../../harness/run-events.ts";
import type { Fact } from "../../reports/model.ts";
import { countText, durationText } from "../../reports/words.ts";
import { oneLine } from "./one-line.ts";

const topicCharacters = 11;

/** Formats what a run learned of its target before it judged, a line for each fact; empty where it asked nothing. */
export function learnedText({
  facts,
  requests,
  tookMs,
}: Omit<Extract<RunEvent, { type: "learned" }>, "type">): string {
  const cost = `${durationText(tookMs)} with ${countText(requests, "request")}`;
  if (requests === 0) return "";
  if (facts.length === 0) return `Learned in ${cost}: nothing departs so far.\n`;
  return `Learned in ${cost}:\n${facts.map(factLine).join("")}`;
}

/** One thing that was learned, as a line. */
function factLine({ topic, text, adapted }: Fact): string {
  const how = adapted === undefined ? "" : ` (${adapted})`;
  return `  ${topic.padEnd(topicCharacters)}${oneLine(text + how)}\n`;
}

/** What is printed at once of what a run learns; undefined for other events. */
export function textOfEvent(event: RunEvent): string | undefined {
  if (event.type === "learned") return learnedText(event);
  if (event.type === "learned-later") return factLine(event.fact);
  if (event.type !== "slowed") return undefined;
  return `The run slows down: ${paceText(event.perSecond)}.\n`;
}
