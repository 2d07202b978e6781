import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { isSlowerBy, runsMin, testFigures } from "../compare/figure-tests.ts";
import { compareReports } from "../compare/compare-reports.ts";
import { isDecided, undecidedIn } from "../../reports/verdicts.ts";
import { comparisonText } from "../compare/comparison-text.ts";
import type { Report } from "../../reports/model.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { jsonFilesIn } from "../json-files.ts";
import { readReport } from "../report-file.ts";
import type { CompareSettings } from "../settings/report.ts";

/**
 * Says what changed between two report.json files, or between the reports of several runs in two folders, and returns the
 * exit code: 1 where a requirement newly fails, or a time got slower by more than `--fail-on` allows; 4 where NEW tried
 * and did not decide one that OLD decided, or did not decide one that `--require` names, or where there are too few runs
 * to tell what `--fail-on` asks; else 0.
 * @throws CommandError WRONG_USAGE for a file that cannot be read or is no report
 */
export async function compare(
  oldFile: string,
  newFile: string,
  { json, require, slowerBy }: CompareSettings,
  io: Io,
): Promise<number> {
  const [before, after] = [await readRuns(oldFile, io), await readRuns(newFile, io)];
  const [old, next] = [before.latest, after.latest];
  const compared = compareReports(old, next);
  const figures = testFigures(before.all, after.all);
  const slower = slowerBy === undefined ? [] : figures.filter((each) => isSlowerBy(each, slowerBy));
  const comparison = { ...compared, figures, regression: compared.regression || slower.length > 0 };
  const open = new Set(undecidedIn(next));
  const undecided = next.requirements.filter(
    ({ id, verdict }) => require.some((named) => named === id) && !isDecided(verdict),
  );
  if (json) {
    io.write(`${JSON.stringify(comparison, null, 2)}\n`);
  } else {
    io.write(comparisonText(comparison, io));
    for (const { id, verdict } of undecided) {
      io.write(`${id} had to be decided and is ${verdict}.\n`);
    }
  }
  const isUntold = slowerBy !== undefined && figures.every(({ ratio }) => ratio === undefined);
  const told = [
    ...slower.map(({ scenario, figure }) => `Regression: ${scenario} ${figure}.\n`),
    ...(isUntold ? [`${untoldText(figures.length)}\n`] : []),
  ];
  if (!json) io.write(told.join(""));
  if (comparison.regression) return 1;
  const isOpen = comparison.noLongerDecided.some(
    ({ to, id }) => to === "inconclusive" && open.has(id),
  );
  return isOpen || isUntold || undecided.length > 0 ? 4 : 0;
}

function untoldText(figures: number): string {
  if (figures === 0)
    return "No time of load is in the reports of both sides: --fail-on decides nothing.";
  return `--fail-on decides nothing: give a folder with the reports of ${runsMin} runs or more on each side.`;
}

interface Runs {
  readonly latest: Report;
  readonly all: readonly Report[];
}

/** The report in a file, or all that are in a folder, in the order of time. */
async function readRuns(path: string, io: Io): Promise<Runs> {
  const absolute = resolve(io.workingDirectory, path);
  const isFolder = (await stat(absolute).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) {
    const latest = await readReport(path, io);
    return { latest, all: [latest] };
  }
  const all: Report[] = [];
  for await (const file of jsonFilesIn(absolute)) {
    if (basename(file) === "report.json") all.push(await readReport(file, io));
  }
  const sorted = all.toSorted((one, other) => one.startedAt.localeCompare(other.startedAt));
  const latest = sorted.at(-1);
  if (latest !== undefined) return { latest, all: sorted };
  throw new CommandError("WRONG_USAGE", `${path} holds no report.json`, {
    hint: "Give a report.json, or a folder that holds the reports of several runs.",
  });
}
