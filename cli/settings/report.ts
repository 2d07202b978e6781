import { resolve } from "node:path";
import { reportFormats } from "../../reports/report-formats.ts";
import type { CompareOptions } from "../commands/compare.ts";
import type { ReportSettings } from "../commands/report.ts";
import type { Io } from "../io.ts";
import { compareOptions, reportOptions } from "./command-options.ts";
import { readSettings, refuseUnusable, resolveSettings } from "./resolve.ts";
import { selectIds, selectionProblems } from "./selection.ts";
import type { Flags } from "./sources.ts";

/**
 * The settings of `report`, complete.
 * @throws CommandError WRONG_USAGE, naming everything that is wrong.
 */
export function reportSettings(
  files: readonly string[],
  given: { readonly flags: Flags; readonly config: string | undefined },
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
 * The settings of `compare`, complete.
 * @throws CommandError WRONG_USAGE, naming everything that is wrong.
 */
export function compareSettings(
  given: { readonly flags: Flags; readonly config: string | undefined },
  io: Io,
): CompareOptions {
  const { values, refused, found } = readSettings(
    { settings: compareOptions, ...given },
    io,
    selectionProblems,
  );
  refuseUnusable([...refused, ...found]);
  return { json: values.json ?? false, require: selectIds(values.require ?? []) };
}
