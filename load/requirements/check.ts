import type { CheckHeader } from "../../harness/check.ts";
import type { LoadFindings } from "./findings.ts";
import type { LoadSession } from "./load-session.ts";

/** A check of the areas rate and concurrency: data, and one function that looks. */
export interface LoadCheck extends CheckHeader {
  /** What it sends at most, roughly, and how many jobs that makes: for the plan. */
  readonly requests: number;
  readonly jobs: number;
  readonly run: (session: LoadSession, findings: LoadFindings) => Promise<void>;
}
