// What the checks of contracts and of load find, in the form that reports take (REPORT.md, report.json).
import type { RequirementId } from "./requirements.ts";

/** One difference between what a requirement wants and what the target did. */
export interface Mismatch {
  readonly requirement: RequirementId;
  /** Where it was seen: an operation, a member, a moment. */
  readonly at: string;
  readonly expected: string;
  readonly got: string;
}

/** What the target showed of a requirement on which the specification is open. */
export interface Reading {
  readonly requirement: RequirementId;
  readonly reading: string;
  /** Where it was seen: readings may differ from place to place. */
  readonly at: string;
}

/** One exchange: redacted, long bodies cut. */
export interface Evidence {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  };
  /** `null` when no whole answer came: then `error` says why. */
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  } | null;
  readonly error?: string;
  /** When it was sent, in milliseconds after the start of the run. */
  readonly atMs: number;
  readonly durationMs: number;
  readonly curl: string;
}
