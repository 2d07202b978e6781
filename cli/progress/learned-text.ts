import type { RunEvent } from "../../harness/run.ts";
import type { Fact } from "../../reports/model.ts";
import { countText, durationText } from "../../reports/words.ts";
import { oneLine } from "./one-line.ts";

const topicCharacters = 11;

/** Formats what a run learned of its target: one line where nothing departs, else one for each fact. */
export function learnedText({
  facts,
  requests,
  tookMs,
}: Extract<RunEvent, { type: "learned" }>): string {
  const cost = `${durationText(tookMs)} with ${countText(requests, "request")}`;
  if (facts.length === 0) return `Learned in ${cost}: the target is as specified so far.\n`;
  return `Learned in ${cost}:\n${facts.map(factLine).join("")}`;
}

function factLine({ topic, text, adapted }: Fact): string {
  const how = adapted === undefined ? "" : ` (${adapted})`;
  return `  ${topic.padEnd(topicCharacters)}${oneLine(text + how)}\n`;
}
