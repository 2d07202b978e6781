import { compareReports } from "../compare/compare-reports.ts";
import { isDecided, undecidedIn } from "../../reports/verdicts.ts";
import { comparisonText } from "../compare/comparison-text.ts";
import type { Io } from "../io.ts";
import { readReport } from "../report-file.ts";
import type { CompareSettings } from "../settings/report.ts";

/**
 * Says what changed between two report.json files, and returns the exit code: 1 where a requirement newly fails; 4
 * where NEW tried and did not decide one that OLD decided, or did not decide one that `--require` names; else 0.
 * @throws CommandError WRONG_USAGE for a file that cannot be read or is no report
 */
export async function compare(
  oldFile: string,
  newFile: string,
  { json, require }: CompareSettings,
  io: Io,
): Promise<number> {
  const [old, next] = [await readReport(oldFile, io), await readReport(newFile, io)];
  const comparison = compareReports(old, next);
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
  if (comparison.regression) return 1;
  const isOpen = comparison.noLongerDecided.some(
    ({ to, id }) => to === "inconclusive" && open.has(id),
  );
  return isOpen || undecided.length > 0 ? 4 : 0;
}
