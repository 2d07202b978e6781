import type { Verdict } from "../../reports/verdict.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { checks } from "../../contracts/checks.ts";
import { matchesGlob } from "../../harness/glob.ts";

/**
 * The contract checks that a run with a time budget tries. What is thorough would take hours against every fault, and is
 * proved by a test of its own (contracts/model/model-check.full.test.ts).
 */
export const suiteChecks = checks.filter(({ thorough }) => thorough !== true);

/** The server that a run of the suite tests, by name: the process that runs the suite looks the name up. */
export type Subject =
  | {
      readonly kind: "clean";
      /** Added to every answer. */
      readonly delayMs: number;
      /** Absent: all. */
      readonly limits?: LimitChoice;
      /** What the random choices of the checks are made from; absent: 1. */
      readonly seed?: number;
      /** The requirements whose checks are run; absent: all of the contract, and the limits. */
      readonly requirements?: readonly RequirementId[];
      /** Whether the run ends at the first failure, and runs cheap checks before those that send or wait much. */
      readonly failFast?: boolean;
    }
  | {
      readonly kind: "variation";
      readonly name: string;
      readonly limits: LimitChoice;
    }
  | {
      readonly kind: "fault";
      readonly name: string;
      readonly aim: SuiteScope;
      /** The names of the checks that are run first; the others only where these find nothing. */
      readonly checks?: readonly string[];
    }
  /** The contract alone, against a plain server on a real clock: without a fault, or with one and what it breaks. */
  | {
      readonly kind: "contract on a real clock";
      readonly handler: Handler;
      readonly latencyMs: number;
      readonly fault?: string;
    }
  /** A fault on a plain server whose workers run an owner's handler, or the conformance handler. */
  | { readonly kind: "fault on a plain server"; readonly name: string; readonly handler: Handler }
  | {
      /** A fault or a permitted limiter on a real clock. */
      readonly kind: "fault on a real clock" | "variation on a real clock";
      readonly name: string;
      readonly requirements: readonly RequirementId[];
      /** The contract checks of these that are run; absent: all of them. */
      readonly checks?: readonly string[];
    };

/**
 * Which limits are tried: all of them, or those of the lowest tiers, which spare subjects that do not concern load forty
 * thousand requests.
 */
export type LimitChoice = "all" | "lowest";

/**
 * Which checks are run against a fault. `named`: those of the requirements it breaks, and the others only where these
 * find nothing, which takes a tenth of the time. `whole`: all of them. `whole-until-caught`: all of them in the order of
 * the suite, until the first failure of a requirement that the fault breaks.
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

/** The items whose name, or one of whose ids, matches one of the globs; all of them where there are no globs. */
export function chosen<Item extends { readonly name: string }>(
  items: readonly Item[],
  globs: readonly string[],
  idsOf: (item: Item) => readonly string[],
): readonly Item[] {
  if (globs.length === 0) return items;
  return items.filter((item) =>
    [item.name, ...idsOf(item)].some((text) => globs.some((glob) => matchesGlob(text, glob))),
  );
}
