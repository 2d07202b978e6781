import ts from "typescript";

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
