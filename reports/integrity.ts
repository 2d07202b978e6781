import { createHash } from "node:crypto";
import type { Report } from "./model.ts";
import { compareText } from "./groups.ts";

/**
 * Adds a digest of everything else in the report: SHA-256 of its canonical JSON (RFC 8785). Every value counts;
 * white space and the order of members do not. It reveals accidents and careless edits, but it is no signature,
 * since anybody can compute it.
 */
export function withDigest(report: Report): Report {
  return { ...report, integrity: { algorithm: "sha-256", digest: digestOf(report) } };
}

/** Whether a report is unchanged since it was written; `none` where it holds no digest. */
export function digestState(report: Report): "whole" | "broken" | "none" {
  if (report.integrity === undefined) return "none";
  return report.integrity.digest === digestOf(report) ? "whole" : "broken";
}

function digestOf(report: Report): string {
  // The report as JSON holds it: undefined members are left out, and numbers that JSON cannot hold become null.
  const held: unknown = JSON.parse(JSON.stringify({ ...report, integrity: undefined }));
  return createHash("sha256").update(canonical(held)).digest("hex");
}

/** Canonical JSON: no white space, members in the order of their names by code unit. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => compareText(a, b));
  return `{${members.map(([name, held]) => `${JSON.stringify(name)}:${canonical(held)}`).join(",")}}`;
}
