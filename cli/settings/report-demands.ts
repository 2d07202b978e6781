import { resolve } from "node:path";
import type { Judged, Profile } from "../../openapi/profiles.ts";
import { idsOfProfile, idsThatJudge } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { reportFormats } from "../../reports/report-formats.ts";
import type { Io } from "../io.ts";
import type { ReportDemands } from "../reported-run.ts";
import type { SettingValues } from "./options.ts";
import { selectIds } from "./selection.ts";

/** What is judged, what is demanded of the report, and where it goes. */
export interface JudgementDemands extends ReportDemands {
  readonly profiles: readonly Profile[];
  /** The selected requirements; never empty but where all were left out. */
  readonly only: readonly RequirementId[];
  readonly allowInconclusive: readonly RequirementId[];
  readonly verbose: boolean;
}

/** Makes these demands for a report that holds the catalogues which judge those. */
export function judgementDemandsOf(
  values: SettingValues,
  judged: readonly Judged[],
  { workingDirectory }: Io,
): JudgementDemands {
  const given = { ...defaults, ...values };
  const ids = judged.flatMap(idsThatJudge);
  const profiles = [...new Set(given.profile)];
  const named = selectIds([...given.only, ...profiles.flatMap(idsOfProfile)], ids);
  const skipped = new Set(selectIds(given.skip, ids));
  const { baseline, baselineUpdate, noBodies, verbose } = given;
  return {
    profiles,
    only: (named.length > 0 ? named : ids).filter((id) => !skipped.has(id)),
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
  only: [],
  profile: [],
  skip: [],
  require: [],
  allowInconclusive: [],
  baselineUpdate: false,
  report: "reports/latest",
  format: reportFormats,
  noBodies: false,
  verbose: false,
} satisfies SettingValues;
