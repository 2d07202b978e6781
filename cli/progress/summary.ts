import {
  absenceLines,
  cleanedUpText,
  sentText,
  targetFacts,
  verdictSentence,
} from "../../reports/sentence.ts";
import {
  engineAbsences,
  engineDisagreements,
  engineDoubts,
  loadWarnings,
} from "../../reports/load/side-by-side.ts";
import { groupedDeviations } from "../../reports/deviations.ts";
import { notRunGroupsOf, withVerdict } from "../../reports/groups.ts";
import { profilesText, sharesText } from "../../reports/profiles.ts";
import { scenariosWithVerdict } from "../../reports/verdicts.ts";
import { requirementsOf, sharedCauses } from "../../reports/causes.ts";
import { attemptLines } from "../../reports/groups.ts";
import type { RepeatLineOf, Report, ReportRequirement } from "../../reports/model.ts";
import type { Verdict } from "../../reports/verdict.ts";
import { causeText } from "./causes-text.ts";
import { coloursFor } from "../colours.ts";
import type { Io } from "../io.ts";
import { countText, durationText, listText } from "../../reports/words.ts";
import { cutLine } from "./one-line.ts";

export interface SummaryInput {
  readonly report: Report;
  /** The files of the report. */
  readonly paths: readonly string[];
  /** Lines about the baseline and --require. */
  readonly remarks: readonly string[];
  readonly repeatLineOf: RepeatLineOf;
}

const failuresShownMax = 20;
const unrepeatable = "Failures are repeated from report.json: add json to --format to have it.";

/** Sums up a run at its end: what failed, what was not decided, the verdict in one sentence, and the files. */
export function summaryText(input: SummaryInput, io: Io): string {
  const { report, paths, remarks, repeatLineOf } = input;
  const { bold, red, yellow } = coloursFor(io);
  const allFailed = withVerdict(report, "fail");
  const failed = allFailed.filter(({ known }) => known === undefined);
  const isNew = (id: string): boolean => failed.some((entry) => entry.id === id);
  const shared = sharedCauses(report);
  const isShared = ({ cause }: ReportRequirement): boolean => shared.some(({ id }) => id === cause);
  const single = failed.filter((entry) => !isShared(entry));
  const more = single.length - failuresShownMax;
  const repeatText = (id: string): string => {
    const line = repeatLineOf(id);
    return line === undefined ? "" : `\n  repeat: ${line}`;
  };
  const parts = [
    ...shared.map((cause) => {
      const { broken } = requirementsOf(cause, report);
      const isTried = withVerdict(report, "inconclusive").some(({ cause: of }) => of === cause.id);
      const undecided = yellow(isTried ? "inconclusive" : "not run");
      const broke = broken.some(isNew) ? red("fail") : yellow("known failure");
      const word = broken.length > 0 ? broke : undecided;
      const [first] = broken.length > 0 ? broken : cause.requirements;
      return `${word} ${causeText(cause, broken)}${first === undefined ? "" : repeatText(first)}`;
    }),
    ...single
      .slice(0, failuresShownMax)
      .map((entry) => `${red("fail")} ${failureText(entry)}${repeatText(entry.id)}`),
    ...(more > 0 ? [`${more} more failures stand in the report.`] : []),
    ...allFailed
      .filter((entry) => entry.known !== undefined && !isShared(entry))
      .map(({ id, text, known = "" }) =>
        [`${yellow("known failure")} ${id}  ${clean(text)}`, `  ${clean(known)}`].join("\n"),
      ),
    ...(allFailed.some(({ id }) => repeatLineOf(id) === undefined) ? [unrepeatable] : []),
    ...inconclusiveTexts(
      withVerdict(report, "inconclusive").filter((entry) => !isShared(entry)),
      yellow("inconclusive"),
    ),
    ...notRunText(report),
    ...engineDisagreements(report).map((line) => yellow(clean(line))),
    ...warningsText(report, yellow("warning")),
    ...engineDoubts(report).map((line) => `${yellow("inconclusive")} ${clean(line)}`),
    ...attemptsText(report),
    ...deviationsText(report),
    ...scenariosText(report),
    ...(remarks.length > 0 ? [remarks.map(clean).join("\n")] : []),
    ...absenceLines(report).map((line) => yellow(clean(line))),
    `${bold(verdictSentence(report))}\n${countLines(report).join("\n")}`,
    `Report:\n${paths.map((path) => `  ${path}`).join("\n")}`,
  ];
  return `\n${parts.join("\n\n")}\n`;
}

/** What load saw beside its verdicts. */
function warningsText(report: Report, word: string): readonly string[] {
  const warnings = loadWarnings(report);
  if (warnings.length === 0) return [];
  return [warnings.map((line) => `${word} ${clean(line)}`).join("\n")];
}

function countLines(report: Report): readonly string[] {
  const { summary, durationMs, seed, target, dialect = "spec" } = report;
  const profiles = profilesText(report);
  const sent = sentText(report);
  const cleanedUp = cleanedUpText(report);
  const name = targetFacts(report)[0]?.[0] ?? "Target";
  return [
    `Requirements: ${countsText(summary.requirements)}.`,
    `Checks:       ${countsText(summary.checks)}.`,
    `Decided:      ${sharesText(report)}.`,
    ...(profiles === "" ? [] : [`Profiles:     ${profiles}.`]),
    ...(sent === "" ? [] : [`Load sent:    ${sent}.`]),
    ...(cleanedUp === "" ? [] : [`Cleaned up:   ${cleanedUp}.`]),
    `${name}:`.padEnd(14) +
      `${clean(target.baseUrl)}; dialect ${dialect}; seed ${seed}; ${durationText(Math.max(durationMs, 1))}.`,
  ];
}

function countsText(counts: Readonly<Record<Verdict, number>>): string {
  const { pass, fail, inconclusive, "not-run": notRun } = counts;
  return `${pass} passed, ${fail} failed, ${inconclusive} inconclusive, ${notRun} not run`;
}

/** Describes the first mismatch of the first failed check; the report holds the others. */
function failureText({ id, text, checks }: ReportRequirement): string {
  const failed = checks.filter(({ verdict }) => verdict === "fail");
  const [first] = failed;
  const head = `${id}  ${clean(text)}`;
  if (first === undefined) return head;
  const { name, reason = "", mismatches = [] } = first;
  const [difference] = mismatches;
  const more = [
    ...(mismatches.length > 1 ? [countText(mismatches.length - 1, "more difference")] : []),
    ...(failed.length > 1 ? [countText(failed.length - 1, "more check")] : []),
  ];
  const rest = more.length === 0 ? "" : ` (${listText(more)} in the report)`;
  const lines =
    difference === undefined
      ? [`    ${clean(reason)}`]
      : [
          `    ${clean(difference.at)}`,
          `      expected ${clean(difference.expected)}`,
          `      got      ${clean(difference.got)}`,
        ];
  return [head, `  check ${clean(name)}${rest}`, ...lines].join("\n");
}

/** This many requirements or more with the same reason share one entry. */
const togetherMin = 3;

/** Lists what could not be decided and why. A reason that many share, such as a lost target, is printed once. */
function inconclusiveTexts(
  undecided: readonly ReportRequirement[],
  word: string,
): readonly string[] {
  const kinds = new Set(undecided.map((entry) => kindOfReason(entry)));
  return [...kinds].flatMap((kind) => {
    const entries = undecided.filter((entry) => kindOfReason(entry) === kind);
    const [{ reason: why = "" } = {}] = entries;
    if (entries.length >= togetherMin) {
      const ids = entries.map(({ id, allowed }) => (allowed === true ? `${id} (allowed)` : id));
      return [`${word} ${entries.length} requirements: ${clean(why)}\n  ${clean(ids.join(", "))}`];
    }
    return entries.map(({ id, text, allowed, reason = "" }) => {
      const may = allowed === true ? " (allowed)" : "";
      return `${word}${may} ${id}  ${clean(text)}\n  ${clean(reason)}`;
    });
  });
}

/** A reason without its figures, which differ where the reason is the same. */
function kindOfReason({ reason = "" }: ReportRequirement): string {
  return reason.replaceAll(/\d+(?:\.\d+)?/g, "#");
}

/** Prints one line for each step that would let requirements be tried. */
function notRunText(report: Report): readonly string[] {
  const texts = [...notRunGroupsOf(report).map(({ text }) => text), ...engineAbsences(report)];
  const lines = texts.map((text) => `  ${clean(text)}`);
  return lines.length === 0 ? [] : [`Not run:\n${lines.join("\n")}`];
}

const attemptLinesMax = 10;

/** Lists checks that were tried again, and requests that were sent again. */
function attemptsText({ requirements }: Report): readonly string[] {
  const checks = new Map(
    requirements.flatMap(({ checks: all }) => all.map((check) => [check.name, check] as const)),
  );
  const lines = [...checks.values()].flatMap((check) =>
    attemptLines(check).map((line) => `  ${clean(check.name)}: ${clean(line)}`),
  );
  if (lines.length === 0) return [];
  const more = lines.length - attemptLinesMax;
  if (more > 0) lines.splice(attemptLinesMax, more, `  ${more} more stand in the report.`);
  return [`Tried or sent again:\n${lines.join("\n")}`];
}

const deviationsShownMax = 20;

/** Prints one line for each deviation that the target's dialect allows. */
function deviationsText(report: Report): readonly string[] {
  const groups = groupedDeviations(report);
  if (groups.length === 0) return [];
  const more = groups.length - deviationsShownMax;
  const lines = groups.slice(0, deviationsShownMax).map(({ what, requirements }) => {
    const [first = "", ...others] = requirements;
    const ids = others.length === 0 ? first : `${first} and ${others.length} more`;
    return `  ${clean(what)} (${ids})`;
  });
  if (more > 0) lines.push(`  ${more} more stand in the report.`);
  return [
    `Deviations from the specification that the dialect ${report.dialect ?? ""} lets pass:\n${lines.join("\n")}`,
  ];
}

/** Prints the answers of the load scenarios that were named. */
function scenariosText(report: Report): readonly string[] {
  return scenariosWithVerdict(report).map(
    ({ scenario, question = "", answer, verdict = "not-run", reason = "" }) =>
      `${verdict} ${scenario}  ${clean(question)}\n  ${clean(answer ?? reason)}`,
  );
}

const lengthMax = 500;

/** Cuts the text and puts it on one line without control characters, since a target may have sent anything. */
function clean(text: string): string {
  return cutLine(text, lengthMax, "... (cut, see the report)");
}
