import { beginning } from "../client/beginning.ts";
import { printable } from "../client/printable.ts";

const charactersMax = 160;

/** A value as a short text for a message, whatever a target has put into it. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  return brief(typeof value === "string" ? value : jsonOf(value), charactersMax);
}

/** A text in one line, without characters that act on a terminal, cut to `max` characters. */
export function brief(text: string, max: number): string {
  // Cut before it is read through: it may be as long as an answer.
  const line = printable(beginning(text, max + 1));
  return text.length <= max && line.length <= 2 * max ? line : `${line.slice(0, max)}…`;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "a value that cannot be written as JSON";
  }
}
