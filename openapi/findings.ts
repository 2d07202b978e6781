// What the checks of contracts and of load find, in the form that reports take.
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

/** An earlier try of a check that could not decide and was run again by itself. */
export interface CheckAttempt {
  readonly verdict: "pass" | "fail" | "inconclusive" | "not-run";
  readonly reason: string;
  readonly durationMs: number;
}

/** A request that got no answer, and got one when it was sent again on a new connection. */
export interface DroppedRequest {
  /** Method and path, such as `POST /v2/abc/run`. */
  readonly request: string;
  /** How it went without an answer. */
  readonly error: string;
  /** How often it was sent without an answer. */
  readonly times: number;
}

/** A time in which the target answered nothing, and after which it answered again. */
export interface Outage {
  /** Both in milliseconds after the start of the run. */
  readonly lastAnswerAtMs: number;
  readonly backAtMs: number;
  /** The check that ran when the answers stopped. */
  readonly check: string;
  /** Method and path of the first request that was not answered. */
  readonly request: string;
}

/** The target stopped answering for good. */
export interface TargetGone {
  /** Method and path of the first request that was not answered. */
  readonly request: string;
  /** When it was sent, in milliseconds after the start of the run. */
  readonly atMs: number;
  readonly reason: string;
}
