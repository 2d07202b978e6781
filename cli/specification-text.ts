import { readFileSync } from "node:fs";
import { installedFile } from "../openapi/installation.ts";
import type { RequirementId } from "../openapi/requirements.ts";

/** Returns the text of docs/specification.md for a requirement; empty where the page is not installed. */
export function specificationText(id: RequirementId): string {
  const [, text = ""] = pageText().split(`\n### ${id}\n`);
  const [own = ""] = text.split(/\n#{2,3} /);
  return own.trim().replace(/^_\w+\._ /, "");
}

function pageText(): string {
  try {
    return readFileSync(installedFile("docs/specification.md"), "utf8");
  } catch {
    return "";
  }
}
