import { randomUUID } from "node:crypto";

import { isJsonObject } from "../behaviour/submission.ts";
import type { JsonObject } from "../job.ts";
import { TimeSlice } from "../time-slice.ts";

/** What a completion is called in its `object`. */
export type Kind = "chat.completion" | "text_completion";

/** The only model there is: it repeats the last message, or the prompt. */
export const MODEL = {
  id: "queueproof-echo",
  object: "model",
  created: 0,
  owned_by: "queueproof",
} as const;

/** A whole completion of the OpenAI API. One token a word. */
export function completion(kind: Kind, input: JsonObject, nowMs: number): JsonObject {
  const text = repeated(input);
  const tokens = wordCountOf(text);
  return {
    ...frame(kind, input, nowMs),
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        logprobs: null,
        ...(kind === "text_completion"
          ? { text }
          : { message: { role: "assistant", content: text } }),
      },
    ],
    usage: { prompt_tokens: tokens, completion_tokens: tokens, total_tokens: 2 * tokens },
  };
}

/** The same as server-sent events, one word each; many words are written together, and in turns. */
export async function* completionEvents(
  kind: Kind,
  input: JsonObject,
  nowMs: number,
): AsyncGenerator<string> {
  const head = frame(kind === "chat.completion" ? "chat.completion.chunk" : kind, input, nowMs);
  const slice = new TimeSlice();
  let written = "";
  for (const [word] of repeated(input).matchAll(wordPattern)) {
    const said = kind === "text_completion" ? { text: word } : { delta: { content: word } };
    written += event({ ...head, choices: [{ index: 0, finish_reason: null, ...said }] });
    if (written.length < eventCharacters) continue;
    yield written;
    written = "";
    if (slice.isOver) await slice.next();
  }
  yield written;
  const end = kind === "text_completion" ? { text: "" } : { delta: {} };
  yield event({ ...head, choices: [{ index: 0, finish_reason: "stop", ...end }] });
  yield "data: [DONE]\n\n";
}

function event(value: JsonObject): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function frame(object: string, { model }: JsonObject, nowMs: number): JsonObject {
  return {
    id: `chatcmpl-${randomUUID()}`,
    object,
    created: Math.floor(nowMs / 1_000),
    model: typeof model === "string" ? model : MODEL.id,
  };
}

/** So many characters of events are written together. */
const eventCharacters = 65_536;

/** A word of a text with the space in front of it. */
const wordPattern = /\s*\S+/g;

/** How many words a text has. They are counted where they begin: a text may be megabytes long. */
function wordCountOf(text: string): number {
  let count = 0;
  for (const start = /(?:^|\s)\S/g; start.test(text);) count += 1;
  return count;
}

function repeated({ messages, prompt }: JsonObject): string {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = isJsonObject(last) ? last["content"] : prompt;
  return typeof content === "string" ? content : "";
}
