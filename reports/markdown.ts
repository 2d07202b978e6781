import { cutText } from "./bounded.ts";
import { exchangeText, requirementsOf, sharedCauses } from "./causes.ts";
import { groupedDeviations } from "./deviations.ts";
import { notRunGroupsOf, withVerdict } from "./groups.ts";
import { failingCurl, firstFailing } from "./failing-evidence.ts";
import { blockCharsMax, code, fenced, prose, sectionText, table } from "./markdown-text.ts";
import { loadText } from "./load/load-text.ts";
import type { RepeatLineOf, Report, ReportRequirement } from "./model.ts";
import { missingText, sharesText } from "./profiles.ts";
import { noRepeatLine } from "./repeat-line.ts";
import {
  absenceLines,
  cleanedUpText,
  endpointText,
  sentText,
  verdictSentence,
} from "./sentence.ts";
import { attemptLines } from "./groups.ts";
import { durationText } from "./words.ts";
import { workerText } from "./worker.ts";

/** Most characters that GitHub allows in a comment on a pull request; a step summary may hold more. */
const commentCharsMax = 65_536;
/** Numbers of failures to show: the largest that fits is used. The other formats hold all failures. */
const failuresShown = [100, 50, 20, 10, 5, 2, 0] as const;
const exampleCharsMax = 200;
const printedLinesShown = 10;

/** Writes report.md: a summary that fits into a comment on a pull request or a GitHub step summary. */
export function writeMarkdown(report: Report, repeatLineOf: RepeatLineOf = noRepeatLine): string {
  for (const shown of failuresShown) {
    const text = textWith(report, shown, repeatLineOf);
    if (text.length <= commentCharsMax) return text;
  }
  const rest = "What is more to tell is too long for a comment: it stands in the other formats.";
  return `${[heading(report), countsTable(report), profilesTable(report), rest].filter((part) => part !== "").join("\n\n")}\n`;
}

function textWith(report: Report, failuresShownMax: number, repeatLineOf: RepeatLineOf): string {
  const sections = [
    heading(report),
    countsTable(report),
    profilesTable(report),
    causes(report),
    failures(report, failuresShownMax, repeatLineOf),
    undecided(report),
    notRun(report),
    attemptsSection(report),
    loadText(report),
    workerText(report),
    readings(report),
    deviations(report),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function heading(report: Report): string {
  const { target, seed, durationMs, command, tool, dialect } = report;
  const capabilities = target.capabilities.length === 0 ? "none" : target.capabilities.join(", ");
  const sent = sentText(report);
  const cleanedUp = cleanedUpText(report);
  const facts = [
    ...absenceLines(report).map(prose),
    `target ${code(target.baseUrl)}, endpoint ${target.endpointId === "" ? endpointText(report) : code(target.endpointId)}`,
    `capabilities ${prose(capabilities)}`,
    ...(dialect === undefined ? [] : [`dialect ${prose(dialect)}`]),
    `command ${code(command)}, seed ${seed}`,
    ...(sent === "" ? [] : [`load sent ${sent}`]),
    ...(cleanedUp === "" ? [] : [`cleaned up: ${cleanedUp}`]),
    `${durationText(durationMs)} from ${prose(report.startedAt)}`,
    `queueproof ${prose(tool.version)}`,
  ];
  return `# queueproof\n\n**${verdictSentence(report)}**\n\n${facts.map((fact) => `- ${fact}`).join("\n")}`;
}

/** What several requirements have in common, or was learned of the target before it was judged. */
function causes(report: Report): string {
  const rows = sharedCauses(report).map((cause) => {
    const { id, text, adapted = "", dialect, evidence } = cause;
    const [shown] = evidence;
    const { broken, kept } = requirementsOf(cause, report);
    return [
      code(id),
      prose(cutText(text, exampleCharsMax)),
      broken.join(" "),
      kept.join(" "),
      prose(adapted),
      dialect === undefined ? "" : code(JSON.stringify(dialect)),
      shown === undefined ? "" : code(cutText(exchangeText(shown), exampleCharsMax)),
    ];
  });
  if (rows.length === 0) return "";
  return `## Causes\n\n${table(causeColumns, rows)}`;
}

const causeColumns = [
  "cause",
  "what was seen",
  "breaks",
  "keeps undecided",
  "the run went on",
  "dialect",
  "exchange",
];

function countsTable({ summary: { requirements, checks } }: Report): string {
  const row = (name: string, counts: typeof checks): readonly string[] => [
    name,
    ...[counts.pass, counts.fail, counts.inconclusive, counts["not-run"]].map(String),
  ];
  return table(
    ["", "pass", "fail", "inconclusive", "not run"],
    [row("requirements", requirements), row("checks", checks)],
  );
}

function profilesTable(report: Report): string {
  const { profiles = [] } = report;
  const rows = profiles.map((profile) => [
    profile.name,
    profile.verdict,
    `${profile.pass} of ${profile.of}`,
    missingText(profile),
  ]);
  const shares = `Decided here: ${sharesText(report)}.`;
  return sectionText(
    "Profiles",
    rows,
    shares,
    table(["profile", "verdict", "pass", "missing"], rows),
  );
}

function failures(report: Report, failuresShownMax: number, repeatLineOf: RepeatLineOf): string {
  const failed = withVerdict(report, "fail");
  const shown = failed.slice(0, failuresShownMax);
  const more = failed.length - shown.length;
  return sectionText(
    "Failures",
    failed,
    table(["requirement", "check", "at", "expected", "got"], shown.flatMap(failureRows)),
    ...shown.map((entry) => failureDetails(entry, repeatLineOf(entry.id))),
    ...(more > 0 ? [`${more} more failures stand in the other formats.`] : []),
  );
}

function failureRows({ id, checks }: ReportRequirement): readonly (readonly string[])[] {
  return checks
    .filter(({ verdict }) => verdict === "fail")
    .flatMap(({ name, reason = "", mismatches = [] }) =>
      mismatches.length === 0
        ? [[id, prose(name), "", "", prose(reason)]]
        : mismatches.map(({ at, expected, got }) => [
            id,
            ...[name, at, expected, got].map((text) => prose(text)),
          ]),
    );
}

/** Shows how to repeat a failure by hand: its exchange where that alone is enough, else the whole script. */
function failureDetails(
  { id, section, text, checks }: ReportRequirement,
  repeatLine: string | undefined,
): string {
  const failed = checks.filter(({ verdict }) => verdict === "fail");
  const blocks = failed.flatMap((check) => {
    const sequence = (check.steps ?? []).map((step) => `1. ${prose(step)}`).join("\n");
    const shell = failingCurl(check) ?? check.script ?? "";
    const trace = firstFailing(check)?.request.headers["traceparent"];
    const printed = (check.printed ?? []).slice(-printedLinesShown).join("\n");
    return [
      sequence,
      printed === "" ? "" : `It printed meanwhile:\n\n${fenced("text", printed)}`,
      // A script that was cut must not be run.
      shell === "" || shell.length > blockCharsMax ? "" : fenced("sh", shell),
      typeof trace === "string"
        ? `The request that failed had the traceparent ${code(trace)}.`
        : "",
    ];
  });
  const repeat = repeatLine === undefined ? [] : [fenced("sh", repeatLine)];
  const summary = `<summary>${id}: repeat it</summary>`;
  const sentence = `${prose(text)} (${prose(section)})`;
  return [
    "<details>",
    summary,
    "",
    [sentence, ...repeat, ...blocks.filter((block) => block !== "")].join("\n\n"),
    "",
    "</details>",
  ].join("\n");
}

function undecided(report: Report): string {
  const lines = withVerdict(report, "inconclusive").map(({ id, reason = "", allowed }) => {
    const may = allowed === true ? " (allowed)" : "";
    return `- ${id}${may}: ${prose(reason)}`;
  });
  return sectionText("Not decided", lines, lines.join("\n"));
}

function notRun(report: Report): string {
  const lines = notRunGroupsOf(report).map(
    ({ text, ids }) => `- ${prose(text)}\n  ${ids.join(", ")}`,
  );
  return sectionText("Not run", lines, lines.join("\n"));
}

const attemptLinesMax = 20;

function attemptsSection({ requirements }: Report): string {
  const lines = requirements.flatMap(({ id, checks }) =>
    checks.flatMap((check) =>
      attemptLines(check).map((line) => `- ${id} ${prose(check.name)}: ${prose(line)}`),
    ),
  );
  const more = lines.length - attemptLinesMax;
  return sectionText(
    "Tried or sent again",
    lines,
    lines.slice(0, attemptLinesMax).join("\n"),
    ...(more > 0 ? [`${more} more stand in the other formats.`] : []),
  );
}

function readings(report: Report): string {
  const rows = report.requirements.flatMap(({ id, text, reading }) =>
    reading === undefined ? [] : [[id, prose(text), prose(reading)]],
  );
  const note = "Where the specification is silent, this is what the target shows.";
  return sectionText("Readings", rows, note, table(["requirement", "question", "reading"], rows));
}

function deviations(report: Report): string {
  const note = `What the target does otherwise than the specification says, and the dialect ${prose(report.dialect ?? "")} lets pass.`;
  const rows = groupedDeviations(report).map(({ what, requirements, seen }) => [
    prose(what),
    requirements.join(", "),
    prose(cutText(seen, exampleCharsMax)),
  ]);
  const head = ["deviation", "requirements", "example"];
  return sectionText("Deviations from the specification", rows, note, table(head, rows));
}
