import type { Report, Verdict } from "./model.ts";
import { exitCodeOf, questionsOf } from "./verdicts.ts";

/** What a report says, what was not decided among it: the first thing in every format. Holds no text of a target. */
export function verdictSentence(report: Report): string {
  return [
    requirementsSentence(report),
    ...questionsSentence(report),
    ...absenceSentences(report),
    ...(report.interrupted === true ? ["The run was stopped before its end."] : []),
  ].join(" ");
}

/** "97 of them hold, none is broken, 3 were tried and not decided, 36 were not tried." */
function requirementsSentence(report: Report): string {
  const { pass, fail, inconclusive, "not-run": notRun } = report.summary.requirements;
  const total = report.requirements.length;
  const open = [
    ...(inconclusive > 0
      ? [`${wereText(inconclusive)} tried and not decided${allowedText(report)}`]
      : []),
    ...(notRun > 0 ? [`${wereText(notRun)} not tried`] : []),
  ];
  if (pass + fail === 0) {
    const opening = isAnswered(report)
      ? "No requirement was decided"
      : "Nothing was decided about the target";
    return `${opening}: of ${countText(total, "requirement")} ${open.join(", ")}.`;
  }
  const hold = `${String(pass)} of ${String(total)} ${pass === 1 ? "holds" : "hold"}`;
  return `${[hold, brokenText(fail), ...open].join(", ")}.`;
}

function wereText(count: number): string {
  return `${String(count)} ${count === 1 ? "was" : "were"}`;
}

function brokenText(count: number): string {
  if (count === 0) return "none is broken";
  return `${String(count)} ${count === 1 ? "is" : "are"} broken`;
}

/** How many of those that are not decided need not be. */
function allowedText({ requirements, summary }: Report): string {
  const allowed = requirements.filter((each) => each.allowed === true).length;
  if (allowed === 0) return "";
  return allowed === summary.requirements.inconclusive
    ? " (allowed)"
    : ` (${String(allowed)} of them allowed)`;
}

function isAnswered(report: Report): boolean {
  return questionsOf(report).some(({ verdict }) => verdict === "pass" || verdict === "fail");
}

/** What became of the load scenarios that ask something of their own. */
function questionsSentence(report: Report): readonly string[] {
  const asked = questionsOf(report);
  const count = (...wanted: readonly Verdict[]): number =>
    asked.filter(({ verdict = "not-run" }) => wanted.includes(verdict)).length;
  if (asked.length === 0) return [];
  const parts = [
    [count("pass"), "answered yes"],
    [count("fail"), "answered no"],
    [count("inconclusive", "not-run"), "not answered"],
  ] as const;
  const told = parts.filter(([number]) => number > 0).map((part) => part.join(" "));
  return [`Of ${countText(asked.length, "load question")}: ${told.join(", ")}.`];
}

function absenceSentences({ targetGone, outages = [] }: Report): readonly string[] {
  const times = outages.length === 1 ? "once" : `${String(outages.length)} times`;
  return [
    ...(outages.length > 0 ? [`The target went away and came back ${times}.`] : []),
    ...(targetGone === undefined
      ? []
      : [`The target stopped answering ${durationText(targetGone.atMs)} after the start.`]),
  ];
}

/** One line for each time the target was away, with texts of the target: to be escaped where they are shown. */
export function absenceLines({ targetGone, outages = [] }: Report): readonly string[] {
  const away = outages.map(
    ({ lastAnswerAtMs, backAtMs, check, request }) =>
      `The target answered nothing from ${durationText(lastAnswerAtMs)} to ${durationText(backAtMs)} after the start: it went away at ${request}, in the check ${check}.`,
  );
  if (targetGone === undefined) return away;
  const { request, atMs, reason } = targetGone;
  return [
    ...away,
    `The target is gone: ${request}, sent ${durationText(atMs)} after the start, and everything after it got no answer (${reason}).`,
  ];
}

export type Overall = "failed" | "passed" | "undecided";

/** failed: something failed; passed: something was decided, and all that was tried; undecided: neither. */
export function overallOf(report: Report): Overall {
  const exitCode = exitCodeOf(report);
  if (exitCode === 1) return "failed";
  return exitCode === 0 && report.summary.requirements.inconclusive === 0 ? "passed" : "undecided";
}

/** How a verdict is called in front of people. */
export const verdictWords: Readonly<Record<Verdict, string>> = {
  pass: "pass",
  fail: "fail",
  inconclusive: "inconclusive",
  "not-run": "not run",
};

/** 1234 -> "1.2 s". */
export function durationText(durationMs: number): string {
  if (durationMs < 1000) return `${String(Math.round(durationMs))} ms`;
  const seconds = durationMs / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(Math.floor(seconds % 60))} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** 1 check, 2 checks. */
export function countText(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}
