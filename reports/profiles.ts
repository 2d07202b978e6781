import { idsOfProfile, requirements as catalogue } from "../openapi/requirements.ts";
import { everyProfile } from "../openapi/profiles.ts";
import type { Profile } from "../openapi/profiles.ts";
import type { Report, ReportProfile, ReportRequirement } from "./model.ts";
import { isDecided, summarise } from "./verdicts.ts";
import { firstText } from "./words.ts";

/** Judges each profile of a report's catalogues by its requirements (docs/read-a-report.md#profiles). */
export function profilesOf(entries: readonly ReportRequirement[]): readonly ReportProfile[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const isInReport = (name: Profile): boolean => idsOfProfile(name).some((id) => byId.has(id));
  return everyProfile.filter(isInReport).map((name) => profileOf(name, byId));
}

/** The parts of a report that sum up all its requirements. */
export function totalsOf(
  entries: readonly ReportRequirement[],
): Required<Pick<Report, "profiles" | "summary">> {
  return { profiles: profilesOf(entries), summary: summarise(entries) };
}

type ById = ReadonlyMap<string, Pick<ReportRequirement, "verdict">>;

function profileOf(name: Profile, byId: ById): ReportProfile {
  const rows = idsOfProfile(name).map((id) => ({
    id,
    verdict: byId.get(id)?.verdict ?? "not-run",
    isExtended: catalogue[id].isExtended,
    isDemanded: catalogue[id].level !== "open" && !catalogue[id].isExtended,
  }));
  const failed = rows.filter(({ verdict }) => verdict === "fail");
  // Every reading of an open requirement conforms, and what takes more than a plain server is no part of the base.
  const undecided = rows.filter(({ verdict, isDemanded }) => isDemanded && !isDecided(verdict));
  const missing = [...failed, ...undecided].map(({ id }) => id);
  const passed = rows.filter(({ verdict }) => verdict === "pass");
  const pass = passed.length;
  const extended = rows.filter(({ isExtended }) => isExtended).length;
  return {
    name,
    verdict: verdictOfProfile({ pass, fail: failed.length, missing: missing.length }),
    pass,
    of: rows.length,
    ...(extended > 0 && {
      extended: { pass: passed.filter(({ isExtended }) => isExtended).length, of: extended },
    }),
    missing,
  };
}

interface Counts {
  readonly pass: number;
  readonly fail: number;
  readonly missing: number;
}

function verdictOfProfile({ pass, fail, missing }: Counts): ReportProfile["verdict"] {
  if (fail > 0) return "broken";
  if (pass === 0) return "untested";
  return missing === 0 ? "conformant" : "partly";
}

/** The order in which texts list them. */
export const profileVerdicts = ["conformant", "broken", "partly", "untested"] as const;

/**
 * Lists profiles by verdict, as in "conformant: core, webhooks; partly: policy (9 of 14)"; only verdicts in `wanted`.
 * Empty where the report holds no profile with one of them.
 */
export function profilesText(
  { profiles = [] }: Pick<Report, "profiles">,
  wanted: readonly ReportProfile["verdict"][] = profileVerdicts,
  textOf: (profile: ReportProfile) => string = nameOf,
): string {
  return wanted
    .flatMap((verdict) => {
      const names = profiles
        .filter((each) => each.verdict === verdict)
        .map((profile) => textOf(profile));
      return names.length === 0 ? [] : [`${verdict}: ${names.join(", ")}`];
    })
    .join("; ");
}

function nameOf(profile: ReportProfile): string {
  const { name, verdict, pass, of } = profile;
  if (verdict === "broken" || verdict === "partly") return `${name} (${pass} of ${of})`;
  const more = verdict === "conformant" ? extendedText(profile) : "";
  return more === "" ? name : `${name} (${more})`;
}

/** How much of its extended part was seen, where that is not all: "base, and 1 of 5 that take more". */
function extendedText({ extended }: ReportProfile): string {
  if (extended === undefined || extended.pass === extended.of) return "";
  return `base, and ${extended.pass} of ${extended.of} that take more`;
}

const missingShown = 8;

/** Lists the first few requirements that a profile is missing by id; for an untested profile it says "all". */
export function missingText({ missing, verdict }: ReportProfile): string {
  if (verdict === "untested") return "all";
  return firstText(missing, missingShown);
}

/** Says which share was decided here, and which share of that held: "112 of 136 (82 %), of which 110 hold (98 %)". */
export function sharesText({ requirements, summary }: Report): string {
  const { pass, fail } = summary.requirements;
  const decided = `${pass + fail} of ${requirements.length} (${percent(pass + fail, requirements.length)})`;
  return pass + fail === 0
    ? decided
    : `${decided}, of which ${pass} ${pass === 1 ? "holds" : "hold"} (${percent(pass, pass + fail)})`;
}

/** Rounds down, so that only the whole is 100 %. */
function percent(part: number, whole: number): string {
  return `${Math.floor((100 * part) / Math.max(1, whole))} %`;
}

/**
 * Returns one sentence for each wanted profile with requirements that are undecided but must not be. A requirement may
 * be undecided where the run allowed it or `isNeedless` says so.
 */
export function undecidedProfiles(
  { requirements }: Report,
  wanted: readonly string[],
  isNeedless: (entry: ReportRequirement) => boolean = () => false,
): readonly string[] {
  const needless = new Set(
    requirements
      .filter((entry) => entry.verdict === "fail" || entry.allowed === true || isNeedless(entry))
      .map(({ id }) => id),
  );
  return profilesOf(requirements).flatMap((profile) => {
    const open = profile.missing.filter((id) => !needless.has(id));
    if (!wanted.includes(profile.name) || open.length === 0) return [];
    const lacks = missingText({ ...profile, verdict: "partly", missing: open });
    return [`the profile ${profile.name} is not decided without ${lacks}.`];
  });
}
