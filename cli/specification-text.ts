import { readFileSync } from "node:fs";
import type { RequirementId } from "../openapi/requirements.ts";

/** Returns the text of docs/specification.md for a requirement; empty where the page is not installed. */
export function specificationText(id: RequirementId): string {
  const [, text = ""] = pageText().split(`\n### ${id}\n`);
  const [own = ""] = text.split(/\n#{2,3} /);
  return own.trim().replace(/^_\w+\._ /, "");
}

/** Reads the page, which lies above the sources and above the build. */
function pageText(): string {
  for (const path of ["../docs/specification.md", "../../docs/specification.md"]) {
    try {
      return readFileSync(new URL(path, import.meta.url), "utf8");
    } catch {
      // The page is at the other path.
    }
  }
  return "";
}
