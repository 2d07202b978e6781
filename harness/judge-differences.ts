import { nothingMoves } from "./job-progress.ts";
import type { Mismatch } from "../reports/model.ts";
import type { Judgement } from "./verdict.ts";
import { isSubmission } from "../openapi/operations.ts";
import type { Exchange } from "../client/exchange.ts";
import type { FoundMismatch } from "./expect.ts";

/** What may make a difference prove nothing. */
export interface Doubts {
  /** By how many milliseconds the harness itself was late; 0 on a virtual clock. */
  readonly delayMs: number;
  /** For how many milliseconds its jobs may have waited for those of other checks; 0 where it ran alone. */
  readonly crowdedMs: number;
  /** Whether it waited for jobs of its own while none of the run began or ended any more. */
  readonly isStuck: boolean;
  /** Whether it was to be alone, and jobs that earlier checks could not end may have worked and ended meanwhile. */
  readonly isBesideAbandoned: boolean;
  /** Whether its jobs waited in a stalled queue together with those of other checks. */
  readonly stalledWithOthers: boolean;
}

export const noDoubts: Doubts = {
  stalledWithOthers: false,
  isStuck: false,
  isBesideAbandoned: false,
  crowdedMs: 0,
  delayMs: 0,
};

/**
 * If the harness was later than this, or other checks may have kept its jobs waiting for longer, a difference proves
 * nothing: on a real clock a job may have ended meanwhile, or not have begun.
 */
const delayMsMax = 500;

/** Keeps texts of a target from filling the report. */
export const messageCharactersMax = 1000;

/** Fails, unless the harness was late or other jobs of the run may have caused it: then a difference proves nothing. */
export function judgeDifferences(mismatches: readonly Mismatch[], doubts: Doubts): Judgement {
  const reason = mismatches.map(describeMismatch).join("; ");
  const doubt = doubtIn(doubts);
  if (doubt !== undefined) return { verdict: "inconclusive", reason: `${reason} (${doubt})` };
  if (doubts.delayMs <= delayMsMax) return { verdict: "fail", reason };
  const lateBy = `the harness itself was ${Math.round(doubts.delayMs)} ms late`;
  return { verdict: "inconclusive", reason: `${lateBy}, so this proves nothing: ${reason}` };
}

function doubtIn(doubts: Doubts): string | undefined {
  const { crowdedMs, isBesideAbandoned, isStuck, stalledWithOthers } = doubts;
  if (isStuck) return nothingMoves;
  if (isBesideAbandoned) {
    return "jobs of earlier checks that could not be cancelled may have ended meanwhile";
  }
  if (stalledWithOthers) {
    return "jobs of other checks waited beside its own, so it has to run alone";
  }
  if (crowdedMs <= delayMsMax) return undefined;
  const ms = Math.round(crowdedMs);
  return `jobs of other checks may have kept every worker busy for ${ms} ms, so it has to run alone`;
}

/** A difference in words. */
export function describeMismatch({ at, expected, got }: Mismatch): string {
  return `${at}: expected ${expected}, got ${got}`;
}

/**
 * Whether an answer was due that depends on the request alone: the refusal of a key or of a bad submission, or the
 * IN_QUEUE of run (RUNA-01). No worker and no moment can have changed it.
 */
export function needsNoWorker(
  { requirement, expected, isSure = false }: FoundMismatch,
  exchange: Exchange | undefined,
): boolean {
  if (isSure) return true;
  if (exchange?.answer === undefined) return false;
  if (requirement === "RUNA-01" && expected === "IN_QUEUE") return true;
  if (/^status 401\b/.test(expected)) return true;
  const { operation } = exchange;
  return isSubmission(operation) && /^(?:status 400|a refusal)\b/.test(expected);
}
