import { matchesGlob } from "../../harness/glob.ts";
import type { MutantChange } from "./mutant.ts";

/** Why some mutants of a file live: all those that have every property given here. */
export interface Reason {
  readonly file: string;
  /** A glob, as `Limits.*`; absent: anywhere in the file. */
  readonly within?: string;
  readonly mutator?: string;
  /** The mutated expression as it stands in the file, all white space reduced to single blanks. */
  readonly original?: string;
  readonly replacement?: string;
  /** Only those that the suite never runs; one of the same text elsewhere may be caught. */
  readonly unreached?: true;
  readonly why: string;
}

/** Whether a reason applies to this mutant. */
export function explains(
  reason: Reason,
  mutant: MutantChange & { readonly status?: string },
): boolean {
  const { within = "*", mutator, original, replacement, unreached = false } = reason;
  return (
    reason.file === mutant.file &&
    (!unreached || mutant.status === "NoCoverage") &&
    matchesGlob(mutant.within, within) &&
    (mutator === undefined || mutator === mutant.mutator) &&
    (original === undefined || oneLine(original) === oneLine(mutant.original)) &&
    (replacement === undefined || oneLine(replacement) === oneLine(mutant.replacement))
  );
}

/** The text on one line, all white space reduced to single blanks. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
