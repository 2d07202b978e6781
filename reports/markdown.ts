import { markdownTable } from "markdown-table";
import { cutText } from "./bounded.ts";
import { groupedDeviations } from "./deviations.ts";
import { groupByReason, withVerdict } from "./groups.ts";
import { code, fenced, prose } from "./markdown-text.ts";
import { loadText } from "./load/load-text.ts";
import type { Report, ReportRequirement } from "./model.ts";
import { absenceLines, durationText, verdictSentence } from "./sentence.ts";
import { triesLines } from "./tries.ts";

/** What a comment on a pull request may hold; a step summary holds more. */
const commentCharsMax = 65_536;
/** How many failures are shown, the most that fits; for the others the other formats are the place to look. */
const failuresShown = [100, 50, 20, 10, 5, 2, 0] as const;
const exampleCharsMax = 200;

/** report.md: a summary fit for a comment on a pull request or a GitHub step summary. */
export function writeMarkdown(report: Report): string {
  for (const shown of failuresShown) {
    const text = textWith(report, shown);
    if (text.length <= commentCharsMax) return text;
  }
  const rest = "What is more to tell is too long for a comment: it stands in the other formats.";
  return `${[heading(report), countsTable(report), rest].join("\n\n")}\n`;
}

function textWith(report: Report, failuresShownMax: number): string {
  const sections = [
    heading(report),
    countsTable(report),
    failures(report, failuresShownMax),
    undecided(report),
    notRun(report),
    tries(report),
    loadText(report),
    readings(report),
    deviations(report),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function heading(report: Report): string {
  const { target, seed, durationMs, command, tool, dialect } = report;
  const capabilities = target.capabilities.length === 0 ? "none" : target.capabilities.join(", ");
  const facts = [
    ...absenceLines(report).map(prose),
    `target ${code(target.baseUrl)}, endpoint ${code(target.endpointId)}`,
    `capabilities ${prose(capabilities)}`,
    ...(dialect === undefined ? [] : [`dialect ${prose(dialect)}`]),
    `command ${code(command)}, seed ${String(seed)}`,
    `${durationText(durationMs)} from ${prose(report.startedAt)}`,
    `queueproof ${prose(tool.version)}`,
  ];
  return `# queueproof\n\n**${verdictSentence(report)}**\n\n${facts.map((fact) => `- ${fact}`).join("\n")}`;
}

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

function failures(report: Report, failuresShownMax: number): string {
  const failed = withVerdict(report, "fail");
  if (failed.length === 0) return "";
  const shown = failed.slice(0, failuresShownMax);
  const more =
    failed.length > shown.length
      ? [`${String(failed.length - shown.length)} more failures stand in the other formats.`]
      : [];
  return [
    "## Failures",
    table(["requirement", "check", "at", "expected", "got"], shown.flatMap(failureRows)),
    ...shown.map(failureDetails),
    ...more,
  ].join("\n\n");
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

/** The last exchange is the one that showed the failure; the script repeats them all. */
function failureDetails({ id, section, text, checks }: ReportRequirement): string {
  const failed = checks.filter(({ verdict }) => verdict === "fail");
  const blocks = failed.flatMap(({ steps = [], evidence }) => {
    const sequence = steps.map((step) => `1. ${prose(step)}`).join("\n");
    const last = evidence.at(-1);
    return [sequence, last === undefined ? "" : fenced("sh", last.curl)];
  });
  const summary = `<summary>${id}: repeat it</summary>`;
  const sentence = `${prose(text)} (${prose(section)})`;
  return [
    "<details>",
    summary,
    "",
    [sentence, ...blocks.filter((block) => block !== "")].join("\n\n"),
    "",
    "</details>",
  ].join("\n");
}

function undecided(report: Report): string {
  const entries = withVerdict(report, "inconclusive");
  if (entries.length === 0) return "";
  const lines = entries.map(({ id, reason = "", allowed }) => {
    const may = allowed === true ? " (allowed)" : "";
    return `- ${id}${may}: ${prose(reason)}`;
  });
  return ["## Not decided", lines.join("\n")].join("\n\n");
}

function notRun(report: Report): string {
  const entries = withVerdict(report, "not-run");
  if (entries.length === 0) return "";
  const lines = groupByReason(entries).map(
    ({ reason, requirements }) =>
      `- ${prose(reason)} (${String(requirements.length)}): ${requirements.map(({ id }) => id).join(", ")}`,
  );
  return ["## Not run", lines.join("\n")].join("\n\n");
}

const triesShownMax = 20;

function tries({ requirements }: Report): string {
  const lines = requirements.flatMap(({ id, checks }) =>
    checks.flatMap((check) =>
      triesLines(check).map((line) => `- ${id} ${prose(check.name)}: ${prose(line)}`),
    ),
  );
  if (lines.length === 0) return "";
  const more = lines.length - triesShownMax;
  return [
    "## Tried or sent again",
    lines.slice(0, triesShownMax).join("\n"),
    ...(more > 0 ? [`${String(more)} more stand in the other formats.`] : []),
  ].join("\n\n");
}

function readings(report: Report): string {
  const rows = report.requirements.flatMap(({ id, text, reading }) =>
    reading === undefined ? [] : [[id, prose(text), prose(reading)]],
  );
  if (rows.length === 0) return "";
  const note = "Where the specification is silent, this is what the target shows.";
  return ["## Readings", note, table(["requirement", "question", "reading"], rows)].join("\n\n");
}

function deviations(report: Report): string {
  const groups = groupedDeviations(report);
  if (groups.length === 0) return "";
  const note = `What the target does otherwise than the specification says, and the dialect ${prose(report.dialect ?? "")} lets pass.`;
  const rows = groups.map(({ what, requirements, seen }) => [
    prose(what),
    requirements.join(", "),
    prose(cutText(seen, exampleCharsMax)),
  ]);
  const head = ["deviation", "requirements", "example"];
  return ["## Deviations from the specification", note, table(head, rows)].join("\n\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable([head, ...rows], { alignDelimiters: false });
}
