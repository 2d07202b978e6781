import { parseFile } from "../openapi/depth.ts";
import { CommandError, messageOf } from "./errors.ts";
import { readTextFile } from "./text-file.ts";

/**
 * Reads a file of JSON.
 * @throws CommandError WRONG_USAGE where it cannot be read or is no JSON
 */
export function jsonOfFile(path: string, what: string, hint: string): unknown {
  return parsedJson(readTextFile(path, what, hint), path);
}

/**
 * Parses JSON without quoting the text in errors, as the JSON parser's message may show a secret.
 * @throws CommandError WRONG_USAGE with the place
 */
export function parsedJson(text: string, source: string): unknown {
  try {
    return parseFile(text);
  } catch (cause) {
    throw new CommandError("WRONG_USAGE", `${source} is not JSON that can be used`, {
      problems: [placeOf(cause)],
      hint: "Correct it; comments and trailing commas are not JSON.",
      cause,
    });
  }
}

function placeOf(error: unknown): string {
  const message = messageOf(error);
  const [place] = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message) ?? [];
  return error instanceof SyntaxError ? `it is wrong ${place ?? "at its end"}` : message;
}
