import type { Level } from "../openapi/requirements.ts";
import type { Mismatch, Report } from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { exitCodeOf, isAnswered, scenariosWithVerdict } from "./verdicts.ts";
import { byOperationText, countText, durationText } from "./words.ts";

/** Sums up a report, including what was not decided. Every format begins with it. It holds no text of a target. */
export function verdictSentence(report: Report): string {
  const about = report.target.embedded === true ? "the embedded reference: " : "";
  return [
    `${about}${requirementsSentence(report)}`,
    ...scenariosSentence(report),
    ...absenceSentences(report),
    ...(report.interrupted === true ? ["The run was stopped before its end."] : []),
  ].join(" ");
}

/** For example "97 of 136 hold, none is broken, 3 were tried and not decided, 36 were not tried." */
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
  const hold = `${pass} of ${total} ${pass === 1 ? "holds" : "hold"}`;
  const known = report.requirements.filter((each) => each.known !== undefined).length;
  const broken = brokenText(fail - known, causesOf(report));
  const expected = known === 0 ? [] : [countText(known, "known failure")];
  return `${[hold, broken, ...expected, ...open].join(", ")}.`;
}

/** How many causes the broken requirements have; as many as there are of them where that is not known. */
function causesOf({ requirements }: Report): number {
  const broken = requirements.filter(
    ({ verdict, known }) => verdict === "fail" && known === undefined,
  );
  return new Set(broken.map(({ id, cause = id }) => cause)).size;
}

function wereText(count: number): string {
  return `${count} ${count === 1 ? "was" : "were"}`;
}

function brokenText(count: number, causes: number): string {
  if (count === 0) return "none is broken";
  const why = causes < count ? ` for ${countText(causes, "cause")}` : "";
  return `${count} ${count === 1 ? "is" : "are"} broken${why}`;
}

/** Says how many of the inconclusive requirements may stay undecided. */
function allowedText({ requirements, summary }: Report): string {
  const allowed = requirements.filter((each) => each.allowed === true).length;
  if (allowed === 0) return "";
  return allowed === summary.requirements.inconclusive
    ? " (allowed)"
    : ` (${allowed} of them allowed)`;
}

/** Sums up the load scenarios that have a verdict of their own. */
function scenariosSentence(report: Report): readonly string[] {
  const scenarios = scenariosWithVerdict(report);
  const count = (...wanted: readonly Verdict[]): number =>
    scenarios.filter(({ verdict = "not-run" }) => wanted.includes(verdict)).length;
  if (scenarios.length === 0) return [];
  const parts = [
    [count("pass"), "answered yes"],
    [count("fail"), "answered no"],
    [count("inconclusive", "not-run"), "not answered"],
  ] as const;
  const told = parts.filter(([number]) => number > 0).map((part) => part.join(" "));
  return [`Of ${countText(scenarios.length, "load scenario")}: ${told.join(", ")}.`];
}

function absenceSentences({ targetGone, outages = [] }: Report): readonly string[] {
  const times = outages.length === 1 ? "once" : `${outages.length} times`;
  return [
    ...(outages.length > 0 ? [`The target went away and came back ${times}.`] : []),
    ...(targetGone === undefined
      ? []
      : [`The target stopped answering ${durationText(targetGone.atMs)} after the start.`]),
  ];
}

/** Returns one line for each time the target was away. They hold texts of the target, so escape them before showing. */
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

/** Names the endpoint, or says that the run made fresh ones. */
export function endpointText({ target }: Report): string {
  return target.endpointId === "" ? "fresh ones, made for the run" : target.endpointId;
}

/** What was judged, and what it offers, each with its name. */
export function targetFacts(report: Report): readonly (readonly [name: string, value: string])[] {
  const { command, target } = report;
  const offered = target.capabilities.length === 0 ? "none" : target.capabilities.join(", ");
  if (command === "proxy" || command === "traffic") return [["Traffic", target.baseUrl]];
  if (command === "worker") return [["Program", target.baseUrl]];
  if (command !== "client") {
    return [
      ["Target", target.baseUrl],
      ["Endpoint", endpointText(report)],
      ["Capabilities", offered],
    ];
  }
  const isReceiver = target.capabilities.length === 0;
  return isReceiver
    ? [["Receiver", target.baseUrl]]
    : [
        ["Program", target.baseUrl],
        ["Tasks", offered],
      ];
}

export type Overall = "failed" | "passed" | "undecided";

/** failed: something failed. passed: something was decided, and so was all that was tried. undecided: neither. */
export function overallOf(report: Report): Overall {
  const exitCode = exitCodeOf(report);
  if (exitCode === 1) return "failed";
  return exitCode === 0 && report.summary.requirements.inconclusive === 0 ? "passed" : "undecided";
}

/** The words for verdicts in texts for people. */
export const verdictWords: Readonly<Record<Verdict, string>> = {
  pass: "pass",
  fail: "fail",
  inconclusive: "inconclusive",
  "not-run": "not run",
};

/** What the level of a requirement says, in texts for people. */
export const levelMeaning: Readonly<Record<Level, string>> = {
  must: "the specification says it",
  implied: "it follows from what the specification says",
  open: "the specification is silent or contradicts itself",
};

/** Says what was done with the jobs that load left; empty where the report does not tell. */
export function cleanedUpText({ cleanedUp }: Report): string {
  if (cleanedUp === undefined) return "";
  const { purged, cancelled, left } = cleanedUp;
  const done = `${countText(purged, "job")} purged, ${cancelled} cancelled`;
  if (left === undefined) return `${done}; health does not tell whether any is left`;
  if (left === 0) return `${done}; no job waits or works`;
  return `${done}; ${countText(left, "job")} still ${left === 1 ? "waits or works" : "wait or work"}: purge the queue or wait until the end`;
}

/** Says in one line what differs. */
export function differenceText({ at, expected, got }: Mismatch<string>): string {
  return `${at}: expected ${expected}, got ${got}`;
}

/** Says what load sent, by operation; empty where none was sent. */
export function sentText({ sent }: Report): string {
  if (sent === undefined) return "";
  const parts = (["requests", "jobs"] as const).flatMap((what) => {
    const total = Object.values(sent[what]).reduce((sum, count) => sum + count, 0);
    return total === 0 ? [] : [`${total} ${what} (${byOperationText(sent[what])})`];
  });
  return parts.join(", ");
}
