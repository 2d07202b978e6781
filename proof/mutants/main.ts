import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";

import { Stryker } from "@stryker-mutator/core";
import type { MutantResult } from "@stryker-mutator/api/core";

import config from "./stryker.config.json" with { type: "json" };
import { changedSince, firstLines, lineCount } from "./changed-lines.ts";
import { enclosingName, sourceFile } from "./enclosing-name.ts";
import { judgeMutants, mutantsPage, mutantsSummary, oneLine } from "./page.ts";
import type { Judged, TriedMutant } from "./page.ts";
import { reasons } from "./reasons.ts";

const configFile = "proof/mutants/stryker.config.json";
const pageOfMutants = "docs/evidence/mutants.md";
/** As many as a build can wait for: a line holds two mutants or so, and each takes some seconds. */
const changedLinesMax = 40;

// `npm run mutants [-- FILE … --out PAGE]`: mutates those files of the reference's core, or all of it, and writes a page
// of what escaped. A file may end in `:FIRST-LAST`, lines. With `--changed` it mutates what has changed in the core
// since the page was written. Exit codes: 0 none escaped for which no reason is written, 1 one has, or a reason is stale.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" }, changed: { type: "boolean", default: false } },
});
const wanted = values.changed ? changedInCore() : positionals;
if (values.changed && wanted.length === 0) {
  process.stdout.write("0 mutants: nothing of the core has changed since the page was written\n");
} else {
  process.exitCode = await tryMutants(wanted);
}

async function tryMutants(patterns: readonly string[]): Promise<number> {
  const results = await new Stryker({
    configFile,
    ...(patterns.length > 0 && { mutate: [...patterns] }),
  }).runMutationTest();
  const judged = judgeMutants(
    results.map((result) => triedMutant(result)),
    reasons,
  );
  if (values.out !== undefined) writeFileSync(values.out, mutantsPage(judged, patterns));
  // Of a file of which some lines are mutated, a reason may be of the others.
  const isWhole = (file: string): boolean =>
    !patterns.some((pattern) => pattern.startsWith(`${file}:`));
  const problems = problemsOf({
    ...judged,
    stale: judged.stale.filter(({ file }) => isWhole(file)),
  });
  process.stdout.write(`${problems.join("\n")}\n${mutantsSummary(judged)}\n`);
  return problems.length === 0 ? 0 : 1;
}

/** The lines to mutate, as Stryker takes them. */
function changedInCore(): readonly string[] {
  const changed = changedSince(pageOfMutants, config.mutate);
  const lines = lineCount(changed);
  if (lines > changedLinesMax) {
    process.stdout.write(
      `${lines} lines have changed; only the first ${changedLinesMax} are mutated. \`npm run mutants -- FILE …\` takes whole files.\n`,
    );
  }
  return firstLines(changed, changedLinesMax).map(
    ({ file, first, last }) => `${file}:${first}-${last}`,
  );
}

function problemsOf({ escaped, stale }: Judged): readonly string[] {
  return [
    ...escaped
      .filter(({ why }) => why === "")
      .map(
        ({ file, line, within, mutator, original, replacement }) =>
          `${file}:${line} ${within} ${mutator} escaped: ${oneLine(original)} -> ${oneLine(replacement)}`,
      ),
    ...stale.map((reason) => `take this reason away, nothing needs it: ${JSON.stringify(reason)}`),
  ];
}

const parsed = new Map<string, ReturnType<typeof sourceFile>>();

function parsedFile(name: string): ReturnType<typeof sourceFile> {
  const known = parsed.get(name) ?? sourceFile(name, readFileSync(name, "utf8"));
  parsed.set(name, known);
  return known;
}

function triedMutant(result: MutantResult): TriedMutant {
  const { fileName, location, mutatorName, replacement, status, statusReason } = result;
  const file = parsedFile(fileName);
  // Stryker's lines and columns count from 1.
  const [start, end] = [location.start, location.end].map(({ line, column }) =>
    file.getPositionOfLineAndCharacter(line - 1, column - 1),
  );
  return {
    file: relative(process.cwd(), fileName),
    line: location.start.line,
    within: enclosingName(file, start ?? 0),
    mutator: mutatorName,
    original: file.text.slice(start, end),
    replacement,
    status,
    ...(statusReason !== undefined && { reason: statusReason }),
  };
}
