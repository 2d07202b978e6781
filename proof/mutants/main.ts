import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { Stryker } from "@stryker-mutator/core";

import config from "./stryker.config.json" with { type: "json" };
import { changedSince, firstLines, lineCount } from "./changed-lines.ts";
import { changeOf } from "./mutant.ts";
import { isBelowFloor, isCaught, scoresOf, shareMin, survivorText } from "./score.ts";

const configFile = "proof/mutants/stryker.config.json";
const dataFile = "docs/evidence/mutants.json";

/** The most lines that a build can wait for: a line holds about two mutants, and each takes some seconds. */
const changedLinesMax = 40;

// `npm run mutants [-- FILE … --write]` mutates these files of the reference's core, or all of it, and prints what
// survived. FILE may end in `:FIRST-LAST`, lines. `--write` keeps the score of each file in docs/evidence/mutants.json.
// `--changed` mutates what has changed in the core since that file was written. Exit codes: 0 the share that was caught
// is at least the floor, 1 it is below. Stryker's own report, .cache/mutants-report.json, holds every mutant.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean", default: false },
    changed: { type: "boolean", default: false },
  },
});
const wanted = values.changed ? changedInCore() : positionals;
if (values.changed && wanted.length === 0) {
  process.stdout.write("0 mutants: nothing of the core has changed since the score was taken\n");
} else {
  process.exitCode = await tryMutants(wanted);
}

/** Tries the mutants of some files and lines, or of the whole core; returns the exit code. */
async function tryMutants(patterns: readonly string[]): Promise<number> {
  const results = await new Stryker({
    configFile,
    ...(patterns.length > 0 && { mutate: [...patterns] }),
  }).runMutationTest();
  const tried = results.map((result) =>
    Object.assign({ status: result.status }, changeOf(result, 1)),
  );
  const survivors = tried.filter((mutant) => !isCaught(mutant));
  if (values.write) writeFileSync(dataFile, `${JSON.stringify(scoresOf(tried), undefined, 2)}\n`);
  const caught = tried.length - survivors.length;
  const share = (100 * caught) / Math.max(1, tried.length);
  const sum = `${tried.length} mutants: ${caught} caught (${share.toFixed(1)} %; the floor is ${100 * shareMin} %)`;
  process.stdout.write(`${[...survivors.map(survivorText), sum].join("\n")}\n`);
  return isBelowFloor(tried) ? 1 : 0;
}

/** The changed lines of the core that are to be mutated, as Stryker takes them. */
function changedInCore(): readonly string[] {
  const changed = changedSince(dataFile, config.mutate);
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
