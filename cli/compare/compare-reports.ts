import { isDecided, scenariosWithVerdict } from "../../reports/verdicts.ts";
import { profilesOf } from "../../reports/profiles.ts";
import { sharedCauses } from "../../reports/causes.ts";
import type { ReportLoad, Report, ReportProfile, ReportRequirement } from "../../reports/model.ts";
import type { Verdict } from "../../reports/verdict.ts";
import { differencesOf } from "./differences.ts";

/** A requirement whose verdict has changed. */
export interface VerdictChange {
  readonly id: string;
  readonly text: string;
  /** Absent where OLD does not have the requirement. */
  readonly from?: Verdict;
  readonly to: Verdict;
  /** The reason for the new verdict. */
  readonly reason?: string;
}

export interface ReadingChange {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** A profile whose verdict has changed. */
export interface ProfileChange {
  readonly name: string;
  readonly from: ReportProfile["verdict"];
  readonly to: ReportProfile["verdict"];
  /** The requirements that the profile is missing now. */
  readonly missing: readonly string[];
}

export interface CauseChange {
  readonly id: string;
  readonly text: string;
  /** The requirements that it breaks or keeps from being decided. */
  readonly requirements: readonly string[];
}

export interface FigureChange {
  readonly scenario: string;
  readonly engine: string;
  readonly figure: string;
  readonly from: number | string;
  readonly to: number | string;
}

/** A load scenario that was asked in both runs and is answered otherwise now. */
export interface ScenarioChange {
  readonly scenario: string;
  readonly question: string;
  readonly from: Verdict | undefined;
  readonly to: Verdict;
  /** The new answer, or why there is none. */
  readonly answer: string;
}

/** What changed between two reports; also the output of `compare --json`. */
export interface Comparison {
  readonly schema: "queueproof-comparison/1";
  /** Whether a requirement fails that did not fail before, or a scenario lost the answer that it had. */
  readonly regression: boolean;
  /** Whether both runs had the same setup, so that changes come from the target. */
  readonly comparable: boolean;
  /** Differences in the setup of the two runs, one sentence each. */
  readonly differences: readonly string[];
  readonly newlyFailing: readonly VerdictChange[];
  readonly newlyPassing: readonly VerdictChange[];
  readonly noLongerDecided: readonly VerdictChange[];
  /** Requirements of OLD that NEW does not have. */
  readonly gone: readonly string[];
  /** Profiles that the target conforms to only now. */
  readonly profilesGained: readonly ProfileChange[];
  /** Profiles that the target conformed to before. It is no regression if they are only undecided now. */
  readonly profilesLost: readonly ProfileChange[];
  /** Causes that only NEW tells, and those that only OLD tells. */
  readonly causesNew: readonly CauseChange[];
  readonly causesGone: readonly CauseChange[];
  readonly readings: readonly ReadingChange[];
  /** Load scenarios whose verdict got worse: from pass, or to fail. */
  readonly scenariosLost: readonly ScenarioChange[];
  readonly load: readonly FigureChange[];
}

/** Compares two reports. It is pure; results are in the order of NEW. */
export function compareReports(old: Report, next: Report): Comparison {
  const before = new Map(old.requirements.map((entry) => [entry.id, entry]));
  const changes = next.requirements
    .map((entry) => changeOf(before.get(entry.id), entry))
    .filter(({ from, to }) => from !== to);
  const known = new Set(next.requirements.map(({ id }) => id));
  const newlyFailing = changes.filter(({ to }) => to === "fail");
  const profiles = profileChanges(old, next);
  const scenariosLost = scenariosWorse(old, next);
  const differences = differencesOf(old, next);
  return {
    schema: "queueproof-comparison/1",
    regression: newlyFailing.length > 0 || scenariosLost.length > 0,
    comparable: differences.length === 0,
    differences,
    newlyFailing,
    newlyPassing: changes.filter(({ to }) => to === "pass"),
    noLongerDecided: changes.filter(({ from, to }) => isDecided(from) && !isDecided(to)),
    gone: [...before.keys()].filter((id) => !known.has(id)),
    profilesGained: profiles.filter(({ to }) => to === "conformant"),
    profilesLost: profiles.filter(({ from }) => from === "conformant"),
    causesNew: causesOnlyIn(next, old),
    causesGone: causesOnlyIn(old, next),
    readings: next.requirements.flatMap((entry) => readingChange(before.get(entry.id), entry)),
    scenariosLost,
    load: next.load.flatMap((result) => figureChanges(old.load, result)),
  };
}

/** The causes that only one of two reports tells, as it tells them. */
function causesOnlyIn(one: Report, other: Report): readonly CauseChange[] {
  const known = new Set(other.causes?.map(({ id }) => id));
  return sharedCauses(one)
    .filter(({ id }) => !known.has(id))
    .map(({ id, text, requirements }) => ({ id, text, requirements }));
}

/** Judges both reports by the profiles of this version, so that a report from before profiles existed counts, too. */
function profileChanges(old: Report, next: Report): readonly ProfileChange[] {
  const before = new Map(
    profilesOf(old.requirements).map(({ name, verdict }) => [name, verdict] as const),
  );
  return profilesOf(next.requirements).flatMap(({ name, verdict, missing }) => {
    const from = before.get(name) ?? "untested";
    return from === verdict ? [] : [{ name, from, to: verdict, missing }];
  });
}

/** A scenario has one question: one that was answered yes and is not answered any more has got worse, too. */
function scenariosWorse(old: Report, next: Report): readonly ScenarioChange[] {
  const before = new Map(
    scenariosWithVerdict(old).map(({ scenario, verdict }) => [scenario, verdict] as const),
  );
  return scenariosWithVerdict(next).flatMap((entry) => {
    const { scenario, question = "", verdict: to = "not-run", answer, reason = "" } = entry;
    const from = before.get(scenario);
    const isWorse = from !== to && (from === "pass" || to === "fail");
    return isWorse ? [{ scenario, question, from, to, answer: answer ?? reason }] : [];
  });
}

function changeOf(old: ReportRequirement | undefined, next: ReportRequirement): VerdictChange {
  const { id, text, verdict, reason } = next;
  return {
    id,
    text,
    ...(old !== undefined && { from: old.verdict }),
    to: verdict,
    ...(reason !== undefined && { reason }),
  };
}

function readingChange(
  old: ReportRequirement | undefined,
  { id, reading }: ReportRequirement,
): readonly ReadingChange[] {
  if (old?.reading === undefined || reading === undefined || old.reading === reading) return [];
  return [{ id, from: old.reading, to: reading }];
}

function figureChanges(old: readonly ReportLoad[], next: ReportLoad): readonly FigureChange[] {
  const { scenario, engine } = next;
  const before = old.find((each) => each.scenario === scenario && each.engine === engine);
  return Object.entries(next.figures).flatMap(([figure, to]) => {
    const from = before?.figures[figure];
    return from === undefined || from === to ? [] : [{ scenario, engine, figure, from, to }];
  });
}
