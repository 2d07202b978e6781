import type { Verdict } from "../verdict.ts";
import { verdictWords } from "../sentence.ts";
import { html, type Markup } from "./markup.ts";

/** Verdicts differ by shape and word, not by colour alone. */
const glyphs: Readonly<Record<Verdict, string>> = {
  pass: "✓",
  fail: "✕",
  inconclusive: "?",
  "not-run": "–",
};

export function verdictMark(verdict: Verdict): Markup {
  return html`<span class="mark ${verdict}"
    ><span aria-hidden="true" class="glyph">${glyphs[verdict]}</span>${verdictWords[verdict]}</span
  >`;
}

export function verdictGlyph(verdict: Verdict): Markup {
  return html`<span aria-hidden="true" class="glyph ${verdict}">${glyphs[verdict]}</span>`;
}
