import { withDigest } from "./integrity.ts";
import type { Report } from "./model.ts";

/** Writes report.json with its digest. Lone surrogates are escaped, so the text is always valid UTF-8. */
export function writeJson(report: Report): string {
  return `${JSON.stringify(withDigest(report), null, 2)}\n`;
}
