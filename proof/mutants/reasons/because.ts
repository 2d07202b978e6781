import type { Reason } from "../reason.ts";

/** One change of the code, or all changes that have some properties. */
type Change = readonly [original: string, replacement: string] | Omit<Reason, "file" | "why">;

/** Gives several changes of a file the same reason. */
export function because(file: string, why: string, changes: readonly Change[]): readonly Reason[] {
  return changes.map((change) =>
    isPair(change)
      ? { file, original: change[0], replacement: change[1], why }
      : { ...change, file, why },
  );
}

/** The changes that make these string literals empty. */
export function texts(...all: readonly string[]): readonly Change[] {
  return all.map((text) => [`"${text}"`, '""']);
}

function isPair(change: Change): change is readonly [string, string] {
  return Array.isArray(change);
}

// Sentences that are true in several files.
export const NO_TEXT_IS_STATED = "What a refusal says is not stated: its status is.";
export const NO_ERROR_IS_STATED = "A job that failed need not say why: error is not stated.";
export const NO_REAL_WORKERS = "The suite brings no real workers in process; interop does.";
export const CLOSED_BY_CONTROL =
  "An endpoint is closed by the control protocol alone, and answers nobody afterwards.";
export const KEPT_IN_A_FILE =
  "It is for a server that keeps its state in a file, and the suite starts none; its tests do.";
export const NOT_SHOWN = "The shape of this answer is not shown.";
export const UNASKED =
  "The reference by itself never asks for it: faults and permitted variations do.";
export const DIALECT = "Only another dialect of the API holds reads back, and its tests try it.";
export const TOO_DEEP =
  "How deep a body may be nested is not stated, nor what becomes of one that is deeper.";
export const NOTHING_IS_UNDEFINED =
  "A function that returns nothing returns undefined, which counts as false, or as no time.";
export const AFTER_ITS_END = "A job that has ended refuses the end of its ttl.";
