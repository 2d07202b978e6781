import type { Capability, RequirementId } from "../../openapi/index.ts";
import type { Findings } from "./findings.ts";
import type { LoadSession } from "./load-session.ts";

export type Verdict = "pass" | "fail" | "inconclusive" | "not-run";

/** A check of the areas rate and concurrency: data, and one function that looks. */
export interface LoadCheck {
  /** `rate/what` or `concurrency/what`, unique. */
  readonly name: string;
  readonly title: string;
  readonly covers: RequirementId;
  readonly needs: readonly Capability[];
  /** What it takes on a real clock; 0 where it waits for nothing. */
  readonly realTimeMs: number;
  /** What it sends at most, roughly, and how many jobs that makes: for the plan. */
  readonly requests: number;
  readonly jobs: number;
  readonly run: (session: LoadSession, findings: Findings) => Promise<void>;
}
