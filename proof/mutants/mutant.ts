import ts from "typescript";
import { readFileSync } from "node:fs";
import type { Mutant } from "@stryker-mutator/api/core";

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

/** The names of the declarations around a position, from the outside in, joined by dots: `Limits.enter`. */
export function enclosingName(file: ts.SourceFile, position: number): string {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (position < node.getStart(file) || position >= node.getEnd()) return;
    const name = nameOf(node, file);
    if (name !== undefined) names.push(name);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names.join(".");
}

/** A file as `enclosingName` reads it. */
export function sourceFile(name: string, text: string): ts.SourceFile {
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
}

function nameOf(node: ts.Node, file: ts.SourceFile): string | undefined {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  const isNamed =
    ts.isClassDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isVariableDeclaration(node);
  return isNamed ? node.name?.getText(file) : undefined;
}
