import { resolve } from "node:path";
import { reportFormats } from "../../reports/report-formats.ts";
import type { ReportFormat } from "../../reports/report-formats.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Io } from "../io.ts";
import { compareOptions, reportOptions, trendOptions } from "./command-options.ts";
import { resolveMeaningful, resolveSettings } from "./resolve.ts";
import { selectIds, selectionProblems } from "./selection.ts";
import type { GivenFlags } from "./sources.ts";

export interface ReportSettings {
  /** The paths of the report.json files, as the user typed them. */
  readonly files: readonly string[];
  readonly directory: string;
  readonly formats: readonly ReportFormat[];
}

export interface TrendSettings {
  /** The folder that holds the reports. */
  readonly directory: string;
  /** The folder that the page is written into. */
  readonly outDirectory: string;
}

export interface CompareSettings {
  readonly json: boolean;
  /** Requirements that must be decided in NEW. */
  readonly require: readonly RequirementId[];
  /** The share by which a time may not be slower; undefined: no time decides anything. */
  readonly slowerBy: number | undefined;
}

/**
 * Makes the complete settings of `report`.
 * @throws CommandError WRONG_USAGE, naming everything that is wrong.
 */
export function reportSettings(
  files: readonly string[],
  given: GivenFlags,
  io: Io,
): ReportSettings {
  const values = resolveSettings({ settings: reportOptions, ...given }, io);
  return {
    files,
    directory: resolve(io.workingDirectory, values.report ?? "reports/latest"),
    formats: [...new Set(values.format ?? reportFormats)],
  };
}

/**
 * Makes the complete settings of `compare`.
 * @throws CommandError WRONG_USAGE, naming everything that is wrong.
 */
export function compareSettings(given: GivenFlags, io: Io): CompareSettings {
  const options = { settings: compareOptions, ...given };
  const { json = false, require = [], failOn } = resolveMeaningful(options, io, selectionProblems);
  const percent =
    failOn === undefined ? undefined : Number.parseFloat(failOn.replace("slower:", ""));
  return {
    json,
    require: selectIds(require),
    slowerBy: percent === undefined ? undefined : percent / 100,
  };
}

/**
 * Makes the complete settings of `trend`: the page is written beside the reports, unless `--report` names a folder.
 * @throws CommandError WRONG_USAGE, naming everything that is wrong.
 */
export function trendSettings(folder: string, given: GivenFlags, io: Io): TrendSettings {
  const { report = folder } = resolveSettings({ settings: trendOptions, ...given }, io);
  const directory = resolve(io.workingDirectory, folder);
  return { directory, outDirectory: resolve(io.workingDirectory, report) };
}
