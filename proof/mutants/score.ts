import { matchesGlob } from "../../harness/glob.ts";
import type { MutantChange } from "./mutant.ts";

/** A mutant, and what Stryker calls what became of it: Killed, Timeout, Survived, NoCoverage, RuntimeError. */
export interface TriedMutant extends MutantChange {
  readonly status: string;
}

/** How many mutants of one file were caught, and how many survived. */
export interface FileScore {
  readonly caught: number;
  readonly survived: number;
}

/** The scores of each file, sorted by its name, as docs/evidence/mutants.json keeps them. */
export type Scores = Readonly<Record<string, FileScore>>;

/**
 * The smallest share of all mutants that the suite has to catch. Most of those that survive change nothing that a
 * client could see: the text of a refusal, a condition that is never met.
 */
export const shareMin = 0.3;

/** A smaller number of mutants says nothing about a share. */
const countMin = 20;

const caughtStatuses: ReadonlySet<string> = new Set(["Killed", "Timeout", "RuntimeError"]);

export function isCaught({ status }: Pick<TriedMutant, "status">): boolean {
  return caughtStatuses.has(status);
}

export function scoresOf(mutants: readonly TriedMutant[]): Scores {
  const files = [...new Set(mutants.map(({ file }) => file))].toSorted();
  const scoreOf = (name: string): FileScore => {
    const ofFile = mutants.filter(({ file }) => file === name);
    const caught = ofFile.filter(isCaught).length;
    return { caught, survived: ofFile.length - caught };
  };
  return Object.fromEntries(files.map((name) => [name, scoreOf(name)]));
}

/** Whether a run caught too few: never where it tried so few that a share says nothing. */
export function isBelowFloor(mutants: readonly TriedMutant[]): boolean {
  if (mutants.length < countMin) return false;
  return mutants.filter(isCaught).length < shareMin * mutants.length;
}

/** A place whose mutants a client could see, and why no check does. */
interface Visible {
  readonly file: string;
  readonly within: string;
  readonly why: string;
}

/** All other survivors are kept by no list: a run prints them anew. */
const visible: readonly Visible[] = [
  {
    file: "reference/http.ts",
    within: "serveJobApi*",
    why: "no check sends what the framework refuses by itself, or asks for a path that no operation has",
  },
  {
    file: "reference/submission.ts",
    within: "problemOf",
    why: "no requirement is of a policy that is no object",
  },
];

/** A survivor in one line, with the reason where a client could see it and it is known why no check does. */
export function survivorText({
  file,
  line,
  within,
  mutator,
  original,
  replacement,
}: TriedMutant): string {
  const known = visible.find((each) => each.file === file && matchesGlob(within, each.within));
  const why = known === undefined ? "" : ` (${known.why})`;
  return `${file}:${line} ${within} ${mutator} survived: ${oneLine(original)} -> ${oneLine(replacement)}${why}`;
}

const charactersMax = 100;

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, charactersMax);
}
