import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { Stryker } from "@stryker-mutator/core";
import type { MutantResult } from "@stryker-mutator/api/core";

import config from "./stryker.config.json" with { type: "json" };
import { changedSince, firstLines, lineCount } from "./changed-lines.ts";
import { changeOf } from "./mutant.ts";
import { judgeMutants, mutantsPage, mutantsSummary } from "./page.ts";
import type { Judged, TriedMutant } from "./page.ts";
import { oneLine } from "./reason.ts";
import { reasons } from "./reasons.ts";

const configFile = "proof/mutants/stryker.config.json";
const pageOfMutants = "docs/evidence/mutants.md";
type TriedByStryker = Pick<
  MutantResult,
  "fileName" | "location" | "mutatorName" | "replacement" | "status" | "statusReason"
>;

/** The file in which Stryker keeps results. */
interface KeptReport {
  readonly files: Readonly<
    Record<
      string,
      { readonly source: string; readonly mutants: readonly Omit<TriedByStryker, "fileName">[] }
    >
  >;
}

/** The most lines that a build can wait for: a line holds about two mutants, and each takes some seconds. */
const changedLinesMax = 40;

// `npm run mutants [-- FILE … --out PAGE]` mutates these files of the reference's core, or all of it, and writes a page
// of what escaped. FILE may end in `:FIRST-LAST`, lines. Mutants that for a written reason no client can see run only
// with `--again`. `--changed` mutates what has changed in the core since the page was written. `--kept` mutates nothing
// and judges what earlier runs found, so that the core can be tried file by file. Exit codes: 0 all that escaped have a
// written reason, 1 some have none, or a reason is stale.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    changed: { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    kept: { type: "boolean", default: false },
  },
});
const wanted = values.changed ? changedInCore() : positionals;
if (values.kept) {
  process.exitCode = judge(keptResults(), ["--kept"]);
} else if (values.changed && wanted.length === 0) {
  process.stdout.write("0 mutants: nothing of the core has changed since the page was written\n");
} else {
  process.exitCode = await tryMutants(wanted);
}

async function tryMutants(patterns: readonly string[]): Promise<number> {
  const results = await new Stryker({
    configFile,
    ...(patterns.length > 0 && { mutate: [...patterns] }),
    triesAgain: values.again,
  }).runMutationTest();
  return judge(
    results.map((result) => triedMutant(result)),
    patterns,
  );
}

/** Writes the page where one is wanted, prints the problems, and returns the exit code. */
function judge(tried: readonly TriedMutant[], patterns: readonly string[]): number {
  const judged = judgeMutants(tried, reasons);
  if (values.out !== undefined) writeFileSync(values.out, mutantsPage(judged, patterns));
  // Where only some lines of a file are mutated, a reason may belong to the others.
  const isWhole = (file: string): boolean =>
    !patterns.some((pattern) => pattern.startsWith(`${file}:`));
  const problems = problemsOf({
    ...judged,
    stale: judged.stale.filter(({ file }) => isWhole(file)),
  });
  process.stdout.write(`${problems.join("\n")}\n${mutantsSummary(judged)}\n`);
  return problems.length === 0 ? 0 : 1;
}

/**
 * The results that earlier runs have left, for files and parts of files.
 * @throws Error where a file has changed since its mutants were run
 */
function keptResults(): readonly TriedMutant[] {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- Stryker has written it
  const { files }: KeptReport = JSON.parse(readFileSync(config.incrementalFile, "utf8"));
  return Object.entries(files).flatMap(([fileName, { source, mutants }]) => {
    if (source === readFileSync(fileName, "utf8")) {
      return mutants.map((mutant) => triedMutant({ ...mutant, fileName }));
    }
    throw new Error(`${fileName} has changed: run \`npm run mutants -- ${fileName}\` first`);
  });
}

/** The changed lines of the core that are to be mutated, as Stryker takes them. */
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

function triedMutant(result: TriedByStryker): TriedMutant {
  const { status, statusReason } = result;
  return {
    ...changeOf(result, 1),
    status,
    ...(statusReason !== undefined && { reason: statusReason }),
  };
}
