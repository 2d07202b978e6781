import { createHash } from "node:crypto";
import type { Report } from "./model.ts";
import { compareText } from "./order.ts";

/**
 * The report with a digest of everything else it holds: SHA-256 of its canonical JSON (RFC 8785),
 * so that neither the order of members nor white space counts, and every value does. It tells
 * accidents and careless edits; it is no signature, since anybody can compute it.
 */
export function withDigest(report: Report): Report {
  return { ...report, integrity: { algorithm: "sha-256", digest: digestOf(report) } };
}

/** Whether a report is as it was written; `none` where it holds no digest. */
export function digestState(report: Report): "whole" | "broken" | "none" {
  if (report.integrity === undefined) return "none";
  return report.integrity.digest === digestOf(report) ? "whole" : "broken";
}

function digestOf(report: Report): string {
  // As JSON holds it: undefined members are gone, and a number that JSON has no word for is null.
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
