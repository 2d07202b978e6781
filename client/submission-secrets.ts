import type { Redactor } from "./redactor.ts";

/** Words that any JSON holds: hidden, they would be missing from every sentence ("expected false, got ***"). */
const commonWords: ReadonlySet<string> = new Set(["true", "false", "null"]);

/** Adds every text but common words in a submission's s3Config to the redactor before anything is recorded (S3CF-02). */
export function redactSubmission(body: unknown, redactor: Redactor): void {
  if (typeof body !== "object" || body === null || !("s3Config" in body)) return;
  const { s3Config } = body;
  if (typeof s3Config !== "object" || s3Config === null) return;
  for (const [name, value] of Object.entries(s3Config)) {
    if (typeof value === "string" && !commonWords.has(value)) {
      redactor.add(`s3Config.${name}`, value);
    }
  }
}
