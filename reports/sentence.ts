import type { Report, Verdict } from "./model.ts";
import { questionsOf } from "./verdicts.ts";

/** What a report says, in one sentence: the first thing in every format made for people. */
export function verdictSentence(report: Report): string {
  const { requirements } = report.summary;
  const stopped = report.interrupted === true ? " The run was stopped before its end." : "";
  const rest = listOf([
    [requirements.pass, "passed"],
    [requirements.inconclusive, "could not be decided"],
    [requirements["not-run"], requirements["not-run"] === 1 ? "was not run" : "were not run"],
  ]);
  const after = rest === "" ? "" : `; ${rest}`;
  const asked = questionsText(report);
  return `${openingOf(report)}${after}.${asked}${stopped}`;
}

/** What became of the load scenarios that ask something of their own. */
function questionsText(report: Report): string {
  const asked = questionsOf(report);
  const count = (wanted: Verdict): number =>
    asked.filter(({ verdict }) => verdict === wanted).length;
  if (asked.length === 0) return "";
  const parts = listOf([
    [count("pass"), "answered yes"],
    [count("fail"), "answered no"],
    [count("inconclusive") + count("not-run"), "not answered"],
  ]);
  return ` Of ${countText(asked.length, "load question")}: ${parts}.`;
}

export type Overall = "failed" | "passed" | "undecided";

/** failed: a requirement failed; passed: one passed and none failed; undecided: neither. */
export function overallOf({ summary: { requirements } }: Report): Overall {
  if (requirements.fail > 0) return "failed";
  return requirements.pass > 0 ? "passed" : "undecided";
}

const opening: Readonly<Record<Overall, (failed: number, total: number) => string>> = {
  failed: (failed, total) =>
    `The target breaks ${String(failed)} of ${countText(total, "requirement")}`,
  passed: () => "The target breaks no requirement that was decided",
  undecided: () => "Nothing was decided about the target",
};

/** An answered question is something, but no requirement. */
function openingOf(report: Report): string {
  const overall = overallOf(report);
  const isAnswered = questionsOf(report).some(
    ({ verdict }) => verdict === "pass" || verdict === "fail",
  );
  if (overall === "undecided" && isAnswered) return "No requirement was decided";
  return opening[overall](report.summary.requirements.fail, report.requirements.length);
}

function listOf(parts: readonly (readonly [count: number, what: string])[]): string {
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${String(count)} ${what}`)
    .join(", ");
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
