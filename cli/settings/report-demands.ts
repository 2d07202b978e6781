import { resolve } from "node:path";
import type { Judged, Profile } from "../../openapi/profiles.ts";
import { idsOfProfile, idsThatJudge } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { reportFormats } from "../../reports/report-formats.ts";
import type { Io } from "../io.ts";
import type { ReportDemands } from "../reported-run.ts";
import type { SettingValues } from "./options.ts";
import { selectedIds, selectIds } from "./selection.ts";

/** What is demanded of a report, and where it goes. */
export interface RequestedReport extends ReportDemands {
  /** Profiles that were asked for; each of their requirements must be decided. */
  readonly profiles: readonly Profile[];
  readonly require: readonly RequirementId[];
  /** Requirements that may stay undecided without exit code 4. */
  readonly allowInconclusive: readonly RequirementId[];
  /** Prints a line for each check. */
  readonly verbose: boolean;
}

/** The same, with what is judged. */
export interface JudgementDemands extends RequestedReport {
  /** The selected requirements; never empty but where all were left out. */
  readonly only: ReadonlySet<RequirementId>;
}

/** Makes these demands for a report that holds the catalogues which judge those. */
export function judgementDemandsOf(
  values: SettingValues,
  judged: readonly Judged[],
  io: Io,
): JudgementDemands {
  const ids = judged.flatMap(idsThatJudge);
  const demands = requestedReportOf(values, ids, io);
  const { only = [], skip = [] } = values;
  const selection = {
    only: selectIds([...only, ...demands.profiles.flatMap(idsOfProfile)], ids),
    skip: selectIds(skip, ids),
  };
  return { ...demands, only: selectedIds(selection, ids) };
}

/** Makes the demands on a report of these requirements. */
export function requestedReportOf(
  values: SettingValues,
  ids: readonly RequirementId[],
  { workingDirectory }: Io,
): RequestedReport {
  const given = { ...defaults, ...values };
  const { baseline, baselineUpdate, noBodies, verbose } = given;
  return {
    profiles: [...new Set(given.profile)],
    allowInconclusive: selectIds(given.allowInconclusive, ids),
    require: selectIds(given.require, ids),
    baselineFile: baseline === undefined ? undefined : resolve(workingDirectory, baseline),
    baselineUpdate,
    reportDirectory: resolve(workingDirectory, given.report),
    formats: [...new Set(given.format)],
    noBodies,
    verbose,
  };
}

/** What holds where no source gives a setting. */
const defaults = {
  profile: [],
  require: [],
  allowInconclusive: [],
  baselineUpdate: false,
  report: "reports/latest",
  format: reportFormats,
  noBodies: false,
  verbose: false,
} satisfies SettingValues;
