import type { Verdict } from "../../harness/outcome.ts";
import type { RequirementId } from "../../openapi/index.ts";

/** The server one run of the suite is about, by name: a process of its own looks the name up. */
export type Subject =
  | {
      readonly kind: "clean";
      /** Added to every answer. */
      readonly delayMs: number;
      /** Whose checks are run; absent: all. */
      readonly requirements?: readonly RequirementId[];
      /** Whether it ends at the first failure, and runs what costs little before what moves or waits much. */
      readonly failFast?: boolean;
    }
  | { readonly kind: "variation"; readonly name: string }
  | { readonly kind: "fault"; readonly name: string; readonly aim: SuiteScope }
  /** The contract alone, as a plain server on a real clock shows it: no fault, or one and what it breaks. */
  | {
      readonly kind: "contract on a real clock";
      readonly handler: Handler;
      readonly latencyMs: number;
      readonly fault?: string;
    }
  /** A fault under workers that run an owner's handler, or the conformance handler: what a plain server shows of it. */
  | { readonly kind: "fault on a plain server"; readonly name: string; readonly handler: Handler }
  | {
      /** A fault or a permitted limiter, of which only load is asked, on a real clock. */
      readonly kind: "fault on a real clock" | "variation on a real clock";
      readonly name: string;
      readonly requirements: readonly RequirementId[];
    };

/**
 * Which checks a fault meets. `named`: those of the requirements it breaks, and the others only where
 * these find nothing; it answers the same question in a tenth of the time. `whole`: all of them. `whole-until-caught`:
 * all of them in the order of the suite, until the first failure of a requirement that it breaks.
 */
export type SuiteScope = "named" | "whole" | "whole-until-caught";

/** Whose handler the workers run. */
export type Handler = "owners" | "conformance";

/** What one check said of one requirement, as far as a table needs it. */
export interface Finding {
  readonly check: string;
  readonly requirement: RequirementId;
  readonly verdict: Verdict;
  readonly reason?: string;
  readonly reading?: string;
  /** The harness itself broke. */
  readonly broke?: true;
}

/** One run of the whole suite against one server. */
export interface SuiteRun {
  readonly findings: readonly Finding[];
  /** Why there is no finding at all. */
  readonly failed?: string;
}

/** What goes to a process that runs suites, and what comes back. */
export interface SuiteOrder {
  readonly id: number;
  readonly subject: Subject;
}

export interface SuiteReply {
  readonly id: number;
  readonly run: SuiteRun;
}
