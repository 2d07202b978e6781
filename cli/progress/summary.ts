import { createColors } from "picocolors";
import {
  absenceLines,
  engineDoubts,
  groupedDeviations,
  questionsOf,
  triesLines,
  verdictSentence,
} from "../../reports/index.ts";
import type {
  Evidence,
  Mismatch,
  Report,
  ReportCheck,
  ReportRequirement,
  Verdict,
} from "../../reports/index.ts";
import { colourAllowed } from "../io.ts";
import type { Io } from "../io.ts";
import { formatDuration } from "../settings/duration.ts";
import { oneLine } from "./one-line.ts";

export interface SummaryInput {
  readonly report: Report;
  /** Where the report was written. */
  readonly paths: readonly string[];
  /** Lines on the baseline and on what --require names. */
  readonly remarks: readonly string[];
  /** The options that name the target again; the key comes from the environment. */
  readonly targetOptions: string;
}

const failuresShownMax = 20;

/** The end of a run: what failed, what was not decided, the verdict in a sentence, the files. */
export function summaryText(input: SummaryInput, io: Io): string {
  const { report, paths, remarks, targetOptions } = input;
  const { bold, red, yellow } = createColors(colourAllowed(io));
  const failed = ofVerdict(report, "fail");
  const more = failed.length - failuresShownMax;
  const parts = [
    ...failed.slice(0, failuresShownMax).map((entry) => {
      const repeat = `queueproof ${commandFor(entry)} ${targetOptions}--only ${entry.id}`;
      return `${red("fail")} ${failureText(entry)}\n  repeat: ${repeat}`;
    }),
    ...(more > 0 ? [`${more} more failures stand in the report.`] : []),
    ...inconclusiveTexts(report, yellow("inconclusive")),
    ...notRunText(report),
    ...engineDoubts(report).map((line) => `${yellow("inconclusive")} ${clean(line)}`),
    ...triesText(report),
    ...deviationsText(report),
    ...questionsText(report),
    ...(remarks.length > 0 ? [remarks.map(clean).join("\n")] : []),
    ...absenceLines(report).map((line) => yellow(clean(line))),
    `${bold(verdictSentence(report))}\n${countLines(report).join("\n")}`,
    `Report:\n${paths.map((path) => `  ${path}`).join("\n")}`,
  ];
  return `\n${parts.join("\n\n")}\n`;
}

/** Limits and caps are decided by load alone. */
function commandFor({ area }: ReportRequirement): "contract" | "load" {
  return area === "rate" || area === "concurrency" ? "load" : "contract";
}

function countLines(report: Report): readonly string[] {
  const { summary, durationMs, seed, target, dialect = "spec" } = report;
  return [
    `Requirements: ${countsText(summary.requirements)}.`,
    `Checks:       ${countsText(summary.checks)}.`,
    `Target:       ${target.baseUrl}; dialect ${dialect}; seed ${seed}; ${formatDuration(Math.max(durationMs, 1))}.`,
  ];
}

function countsText(counts: Readonly<Record<Verdict, number>>): string {
  const { pass, fail, inconclusive, "not-run": notRun } = counts;
  return `${pass} passed, ${fail} failed, ${inconclusive} inconclusive, ${notRun} not run`;
}

function failureText({ id, text, checks }: ReportRequirement): string {
  const failed = checks.filter(({ verdict }) => verdict === "fail");
  return [`${id}  ${clean(text)}`, ...failed.flatMap(checkLines)].join("\n");
}

const mismatchesShownMax = 3;

function checkLines({ name, reason = "", mismatches = [], evidence }: ReportCheck): string[] {
  const lines = [`  check ${name}`];
  for (const { at, expected, got } of mismatches.slice(0, mismatchesShownMax)) {
    lines.push(
      `    ${clean(at)}`,
      `      expected ${clean(expected)}`,
      `      got      ${clean(got)}`,
    );
  }
  if (mismatches.length === 0) lines.push(`    ${clean(reason)}`);
  const curl = tellingExchange(mismatches, evidence)?.curl;
  if (curl !== undefined) lines.push(`    ${clean(curl)}`);
  return lines;
}

/** The exchange the first mismatch speaks of, by operation and status; else the last there was. */
function tellingExchange(
  mismatches: readonly Mismatch<string>[],
  evidence: readonly Evidence[],
): Evidence | undefined {
  const [first] = mismatches;
  const operation = first?.at.split(/[ /:]/, 1)[0] ?? "";
  const status = /^status (\d{3})/.exec(first?.got ?? "")?.[1];
  const ofOperation = evidence.filter(({ request }) =>
    new URL(request.url, "http://target").pathname.split("/").includes(operation),
  );
  const ofStatus = ofOperation.find(({ response }) => String(response?.status) === status);
  return ofStatus ?? ofOperation.at(-1) ?? evidence.at(-1);
}

/** From so many requirements on, those that share a reason are told together. */
const togetherMin = 3;

/** What could not be decided and why: a reason that many share, such as a target that went away, stands once. */
function inconclusiveTexts(report: Report, word: string): readonly string[] {
  const undecided = ofVerdict(report, "inconclusive");
  const reasons = [...new Set(undecided.map(({ reason = "" }) => reason))];
  return reasons.flatMap((why) => {
    const entries = undecided.filter(({ reason = "" }) => reason === why);
    if (entries.length >= togetherMin) {
      const ids = entries.map(({ id, allowed }) => (allowed === true ? `${id} (allowed)` : id));
      return [`${word} ${entries.length} requirements: ${clean(why)}\n  ${clean(ids.join(", "))}`];
    }
    return entries.map(({ id, text, allowed }) => {
      const may = allowed === true ? " (allowed)" : "";
      return `${word}${may} ${id}  ${clean(text)}\n  ${clean(why)}`;
    });
  });
}

/** One line for each reason, with how many requirements of which areas it stands for. */
function notRunText(report: Report): readonly string[] {
  const entries = ofVerdict(report, "not-run");
  const reasons = [...new Set(entries.map(({ reason = "no reason given" }) => reason))];
  if (reasons.length === 0) return [];
  const lines = reasons.map((why) => {
    const group = entries.filter(({ reason = "no reason given" }) => reason === why);
    const noun = group.length === 1 ? "requirement" : "requirements";
    return `  ${group.length} ${noun} in ${areasOf(group)}: ${clean(why)}`;
  });
  return [`Not run:\n${lines.join("\n")}`];
}

const triesShownMax = 10;

/** What a check was tried more than once for, and what had to be sent again. */
function triesText({ requirements }: Report): readonly string[] {
  const checks = new Map(
    requirements.flatMap(({ checks: all }) => all.map((check) => [check.name, check] as const)),
  );
  const lines = [...checks.values()].flatMap((check) =>
    triesLines(check).map((line) => `  ${clean(check.name)}: ${clean(line)}`),
  );
  if (lines.length === 0) return [];
  const more = lines.length - triesShownMax;
  if (more > 0) lines.splice(triesShownMax, more, `  ${more} more stand in the report.`);
  return [`Tried or sent again:\n${lines.join("\n")}`];
}

const deviationsShownMax = 20;

/** One line for each thing that the target does otherwise, and its dialect lets pass. */
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

/** What the load scenarios that were named answer. */
function questionsText(report: Report): readonly string[] {
  return questionsOf(report).map(
    ({ scenario, question = "", answer, verdict = "not-run", reason = "" }) =>
      `${verdict} ${scenario}  ${clean(question)}\n  ${clean(answer ?? reason)}`,
  );
}

const areasNamedMax = 5;

function areasOf(entries: readonly ReportRequirement[]): string {
  const areas = [...new Set(entries.map(({ area }) => area))];
  if (areas.length > areasNamedMax) return `${areas.length} areas`;
  const last = areas.pop() ?? "";
  return areas.length === 0 ? last : `${areas.join(", ")} and ${last}`;
}

function ofVerdict({ requirements }: Report, verdict: Verdict): readonly ReportRequirement[] {
  return requirements.filter((entry) => entry.verdict === verdict);
}

const lengthMax = 500;

/** In one line, without control characters, and cut: a target may have sent anything. */
function clean(text: string): string {
  const line = oneLine(text);
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax)}... (cut, see the report)`;
}
