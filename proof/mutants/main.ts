import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { parseArgs } from "node:util";

import { Stryker } from "@stryker-mutator/core";
import type { MutantResult } from "@stryker-mutator/api/core";

import { accepted } from "./accepted.ts";
import { judgeMutants, mutantsPage, mutantsSummary, oneLine } from "./page.ts";
import type { Judged, TriedMutant } from "./page.ts";

// `npm run mutants [-- FILE … --out PAGE]`: mutates those files of the reference's core, or all of it, and writes a page
// of what escaped. A file may end in `:FIRST-LAST`, lines. Exit codes: 0 none escaped, 1 one has, or a reason is stale.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" } },
});
const results = await new Stryker({
  configFile: "proof/mutants/stryker.config.json",
  ...(positionals.length > 0 && { mutate: positionals }),
}).runMutationTest();
const judged = judgeMutants(
  results.map((result) => triedMutant(result)),
  accepted,
);
if (values.out !== undefined) writeFileSync(values.out, mutantsPage(judged, positionals));
process.stdout.write(`${problemsOf(judged).join("\n")}\n${mutantsSummary(judged)}\n`);
process.exitCode = problemsOf(judged).length === 0 ? 0 : 1;

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
