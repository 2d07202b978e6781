import type { Evidence, Mismatch } from "../model.ts";
import { cutText, prettyBody } from "../bounded.ts";
import { failingEvidence } from "../failing-evidence.ts";
import { html, type Markup } from "./markup.ts";

/** The differences that one exchange shows. */
export interface ShownDifferences {
  /** The difference in the HTTP status. */
  readonly status?: Mismatch<string>;
  /** Differences by line number of the indented body. */
  readonly lines: ReadonlyMap<number, Mismatch<string>>;
}

/** Finds the exchange of each difference: the one the check named, else the last one whose answer contains it. */
export function differencesIn(
  evidence: readonly Evidence[],
  mismatches: readonly Mismatch<string>[],
): ReadonlyMap<Evidence, ShownDifferences> {
  const shown = new Map<
    Evidence,
    { status?: Mismatch<string>; lines: Map<number, Mismatch<string>> }
  >();
  const bodies = new Map(
    evidence.map((each) => [each, prettyBody(each.response?.body ?? null).split("\n", linesMax)]),
  );
  for (const mismatch of mismatches) {
    const shows = (each: Evidence): boolean =>
      isStatusOf(each, mismatch) || lineOf(bodies.get(each) ?? [], mismatch) >= 0;
    const exchange = failingEvidence(evidence, mismatch) ?? evidence.findLast(shows);
    if (exchange === undefined) continue;
    const found = shown.get(exchange) ?? { lines: new Map<number, Mismatch<string>>() };
    const line = lineOf(bodies.get(exchange) ?? [], mismatch);
    if (line >= 0) found.lines.set(line, mismatch);
    else if (isStatusOf(exchange, mismatch)) found.status = mismatch;
    shown.set(exchange, found);
  }
  return shown;
}

const linesMax = 400;

function isStatusOf({ response }: Evidence, { expected, got }: Mismatch<string>): boolean {
  const told = /^status (\d{3})\b/u.exec(got)?.[1] ?? (/status|^\d{3}$/u.test(expected) ? got : "");
  return response !== null && told === String(response.status);
}

/** The line whose value is `got`; a value of up to five characters counts only if `at` contains the member's name. */
function lineOf(lines: readonly string[], { at, got }: Mismatch<string>): number {
  if (got.length > 200) return -1;
  return lines.findIndex((line) => {
    const [, name = "", value = ""] = /^\s*"((?:[^"\\]|\\.)*)": (.*?),?$/u.exec(line) ?? [];
    if (value !== got && value !== JSON.stringify(got)) return false;
    return value.length > 5 || at.includes(name);
  });
}

/** Shows a body with each difference marked and explained beside it. */
export function markedBody(
  text: string,
  lines: ShownDifferences["lines"],
  charsMax: number,
): Markup {
  const cut = cutText(text, charsMax);
  if (lines.size === 0) return html`${cut}`;
  return html`${cut.split("\n").map((line, at) => {
    const difference = lines.get(at);
    const end = at === 0 ? "" : "\n";
    if (difference === undefined) return html`${end}${line}`;
    return html`${end}<mark>${line}</mark> ${expectedNote(difference)}`;
  })}`;
}

export function expectedNote({ expected }: Mismatch<string>): Markup {
  return html`<span class="expected">expected ${cutText(expected, 160)}</span>`;
}
