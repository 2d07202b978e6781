import { readFileSync } from "node:fs";

import type { Mutant } from "@stryker-mutator/api/core";

import { enclosingName, sourceFile } from "./enclosing-name.ts";

/** What a mutant is: where it stands, and what it changes. */
export interface MutantChange {
  /** From the root of the project. */
  readonly file: string;
  readonly line: number;
  /** The declarations in which it stands, from the outside in: `Limits.enter`. */
  readonly within: string;
  /** What Stryker calls the change: StringLiteral, ConditionalExpression, … */
  readonly mutator: string;
  /** The mutated expression, and what stood in its place. */
  readonly original: string;
  readonly replacement: string;
}

type StrykerMutant = Pick<Mutant, "fileName" | "location" | "mutatorName" | "replacement">;

const parsed = new Map<string, ReturnType<typeof sourceFile>>();

/** Describes a mutant of Stryker's by means of its source file; its lines and columns begin at `origin`. */
export function changeOf(
  { fileName, location, mutatorName, replacement }: StrykerMutant,
  origin: 0 | 1,
): MutantChange {
  const file = parsed.get(fileName) ?? sourceFile(fileName, readFileSync(fileName, "utf8"));
  parsed.set(fileName, file);
  const [start, end] = [location.start, location.end].map(({ line, column }) =>
    file.getPositionOfLineAndCharacter(line - origin, column - origin),
  );
  return {
    file: fileName.slice(fileName.lastIndexOf("/reference/") + 1),
    line: location.start.line + 1 - origin,
    within: enclosingName(file, start ?? 0),
    mutator: mutatorName,
    original: file.text.slice(start, end),
    replacement,
  };
}
