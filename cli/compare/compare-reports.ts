import { profilesOf } from "../../reports/index.ts";
import type {
  ReportLoad,
  Report,
  ReportProfile,
  ReportRequirement,
  Verdict,
} from "../../reports/index.ts";
import { differencesOf } from "./differences.ts";

/** A requirement whose verdict is not what it was. */
export interface VerdictChange {
  readonly id: string;
  readonly text: string;
  /** Absent where OLD does not know the requirement. */
  readonly from?: Verdict;
  readonly to: Verdict;
  /** Why it is what it is now. */
  readonly reason?: string;
}

export interface ReadingChange {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** A profile to which the target conforms now, or did before. */
export interface ProfileChange {
  readonly name: string;
  readonly from: ReportProfile["verdict"];
  readonly to: ReportProfile["verdict"];
  /** What stands in the way now. */
  readonly missing: readonly string[];
}

export interface FigureChange {
  readonly scenario: string;
  readonly engine: string;
  readonly figure: string;
  readonly from: number | string;
  readonly to: number | string;
}

/** What changed between two reports: `compare --json` writes it as it is. */
export interface Comparison {
  readonly schema: "queueproof-comparison/1";
  /** A requirement fails that did not fail before. */
  readonly regression: boolean;
  /** Whether both were made on the same terms: then a change is one of the target. */
  readonly comparable: boolean;
  /** What differs between the two runs themselves, one sentence each. */
  readonly differences: readonly string[];
  readonly newlyFailing: readonly VerdictChange[];
  readonly newlyPassing: readonly VerdictChange[];
  readonly noLongerDecided: readonly VerdictChange[];
  /** Requirements of OLD that NEW does not know. */
  readonly gone: readonly string[];
  /** The target conforms to these now. */
  readonly profilesGained: readonly ProfileChange[];
  /** It did before: what fails now is a regression, what was not decided is not. */
  readonly profilesLost: readonly ProfileChange[];
  readonly readings: readonly ReadingChange[];
  readonly load: readonly FigureChange[];
}

/** Holds two reports against each other. Pure; everything in the order of NEW. */
export function compareReports(old: Report, next: Report): Comparison {
  const before = new Map(old.requirements.map((entry) => [entry.id, entry]));
  const changes = next.requirements
    .map((entry) => changeOf(before.get(entry.id), entry))
    .filter(({ from, to }) => from !== to);
  const known = new Set(next.requirements.map(({ id }) => id));
  const newlyFailing = changes.filter(({ to }) => to === "fail");
  const profiles = profileChanges(old, next);
  const differences = differencesOf(old, next);
  return {
    schema: "queueproof-comparison/1",
    regression: newlyFailing.length > 0,
    comparable: differences.length === 0,
    differences,
    newlyFailing,
    newlyPassing: changes.filter(({ to }) => to === "pass"),
    noLongerDecided: changes.filter(({ from, to }) => isDecided(from) && !isDecided(to)),
    gone: [...before.keys()].filter((id) => !known.has(id)),
    profilesGained: profiles.filter(({ to }) => to === "conformant"),
    profilesLost: profiles.filter(({ from }) => from === "conformant"),
    readings: next.requirements.flatMap((entry) => readingChange(before.get(entry.id), entry)),
    load: next.load.flatMap((result) => figureChanges(old.load, result)),
  };
}

/** Both by the profiles of this version: a report of before there were any is judged, too. */
function profileChanges(old: Report, next: Report): readonly ProfileChange[] {
  const before = new Map(
    profilesOf(old.requirements).map(({ name, verdict }) => [name, verdict] as const),
  );
  return profilesOf(next.requirements).flatMap(({ name, verdict, missing }) => {
    const from = before.get(name) ?? "untested";
    return from === verdict ? [] : [{ name, from, to: verdict, missing }];
  });
}

function isDecided(verdict: Verdict | undefined): boolean {
  return verdict === "pass" || verdict === "fail";
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
