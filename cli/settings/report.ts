import { resolve } from "node:path";
import { reportFormats } from "../../reports/index.ts";
import type { ReportSettings } from "../commands/report.ts";
import type { Io } from "../io.ts";
import { resolveSettings } from "./resolve.ts";
import type { SettingName } from "./schema.ts";
import type { Flags } from "./sources.ts";

export const reportOptions: readonly SettingName[] = ["report", "format"];

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
