import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";

import { Stryker } from "@stryker-mutator/core";
import type { MutantResult } from "@stryker-mutator/api/core";

import config from "./stryker.config.json" with { type: "json" };
import { accepted } from "./accepted.ts";
import { changedSince, firstLines, lineCount } from "./changed-lines.ts";
import { judgeMutants, mutantsPage, mutantsSummary, oneLine } from "./page.ts";
import type { Judged, TriedMutant } from "./page.ts";

const configFile = "proof/mutants/stryker.config.json";
const pageOfMutants = "docs/evidence/mutants.md";
/** As many as a build can wait for: a line holds two mutants or so, and each takes some seconds. */
const changedLinesMax = 40;

// `npm run mutants [-- FILE … --out PAGE]`: mutates those files of the reference's core, or all of it, and writes a page
// of what escaped. A file may end in `:FIRST-LAST`, lines. With `--changed` it mutates what has changed in the core
// since the page was written. Exit codes: 0 none escaped, 1 one has, or a reason is stale.
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
    accepted,
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

function problemsOf({ open, stale }: Judged): readonly string[] {
  return [
    ...open.map(
      ({ file, line, original, replacement }) =>
        `${file}:${line} escaped: ${oneLine(original)} -> ${oneLine(replacement)}`,
    ),
    ...stale.map(
      ({ file, original, replacement }) =>
        `${file}: take the reason away from ${original} -> ${replacement}, which does not escape`,
    ),
  ];
}

function triedMutant(result: MutantResult): TriedMutant {
  const { fileName, location, replacement, status, statusReason } = result;
  return {
    file: relative(process.cwd(), fileName),
    line: location.start.line,
    original: textAt(fileName, location),
    replacement,
    status,
    ...(statusReason !== undefined && { reason: statusReason }),
  };
}

/** The text at a location of Stryker's, whose lines count from 1 and columns from 1. */
function textAt(fileName: string, { start, end }: MutantResult["location"]): string {
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((text, at) =>
      text.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined),
    )
    .join("\n");
}
