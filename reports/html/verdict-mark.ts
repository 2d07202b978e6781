import type { Verdict } from "../verdict.ts";
import { verdictWords } from "../sentence.ts";
import { html, type Markup } from "./markup.ts";

const units = [
  { ms: 3_600_000, name: "h" },
  { ms: 60_000, name: "min" },
] as const;

/** Formats a duration in full: 1_799_999 becomes "29 min 59.999 s". */
export function timeText(ms: number): string {
  const sign = ms < 0 ? "−" : "";
  let rest = Math.abs(ms);
  if (rest < 1000) return `${sign}${Number(rest.toFixed(rest < 10 ? 2 : 0))} ms`;
  const parts: string[] = [];
  for (const unit of units) {
    const whole = Math.floor(rest / unit.ms);
    if (whole > 0) parts.push(`${whole} ${unit.name}`);
    rest -= whole * unit.ms;
  }
  if (rest > 0) parts.push(`${Number((rest / 1000).toFixed(3))} s`);
  return sign + parts.join(" ");
}

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
