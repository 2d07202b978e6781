import { countsMore, nestsDeeper } from "../openapi/depth.ts";
import type { Answer } from "./exchange.ts";
import { hasMark, jsonFlawOf, markFlaw, parseJson } from "./parse-json.ts";

/** A body as JSON, with what of it a reader passes over and nobody may send; or why it is none. */
export type ParsedBody =
  | { readonly ok: true; readonly value: unknown; readonly flaw?: string }
  | { readonly ok: false; readonly why: string };

/**
 * Parses the body of an answer. The value is unknown until a validator has read it, but it is no deeper than a
 * recursive reader can go.
 */
export function bodyOf(answer: Answer): ParsedBody {
  const known = parsedLast.get(answer) ?? parsedBefore.get(answer);
  if (known !== undefined) return known;
  const parsed = parse(answer);
  keep(answer, parsed);
  return parsed;
}

/**
 * What was parsed last, and before that: check, history and lease all read an answer, soon after one another. Not every
 * body is kept, since the answers of a run are many, and some are megabytes.
 */
let parsedLast = new Map<Answer, ParsedBody>();
let parsedBefore = new Map<Answer, ParsedBody>();
const answersKept = 256;
const charactersKept = 4_000_000;
let charactersParsed = 0;

function keep(answer: Answer, parsed: ParsedBody): void {
  if (parsedLast.size >= answersKept || charactersParsed >= charactersKept) {
    parsedBefore = parsedLast;
    parsedLast = new Map();
    charactersParsed = 0;
  }
  parsedLast.set(answer, parsed);
  charactersParsed += answer.rawText().length;
}

/** More than any answer has; each value takes a hundred times the bytes of the shortest that say it. */
const jsonValuesMax = 500_000;

/** Far deeper than any answer, and no deeper than recursive code can go. */
const jsonDepthMax = 1000;

function parse(answer: Answer): ParsedBody {
  const text = answer.rawText();
  if (text === "") return { ok: false, why: "an empty body" };
  if (answer.characters > text.length) {
    return { ok: false, why: `a body of ${answer.characters} characters` };
  }
  if (answer.unreadable !== undefined) return { ok: false, why: answer.unreadable };
  // A text that is no longer than the limit is no deeper.
  if (text.length > jsonDepthMax && nestsDeeper(text, jsonDepthMax)) {
    return { ok: false, why: `JSON nested more than ${jsonDepthMax} levels deep` };
  }
  if (text.length > jsonValuesMax && countsMore(text, jsonValuesMax)) {
    return { ok: false, why: `JSON of more than ${jsonValuesMax} values` };
  }
  const value = parseJson(text);
  if (value !== undefined) return { ok: true, value, ...(hasMark(text) && { flaw: markFlaw }) };
  const flaw = jsonFlawOf(text);
  return { ok: false, why: `a body that is not JSON${flaw === undefined ? "" : `: ${flaw}`}` };
}
