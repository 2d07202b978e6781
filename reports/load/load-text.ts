import { prose, sectionText, table } from "../markdown-text.ts";
import type { Report, ReportLoad } from "../model.ts";
import { verdictWords } from "../sentence.ts";
import { scenariosWithVerdict } from "../verdicts.ts";
import { engineDisagreements, engines, loadWarnings, sideBySide } from "./side-by-side.ts";
import type { EngineView, SideBySide } from "./side-by-side.ts";

/** Describes the load scenarios, and the engines side by side; empty where there are neither. */
export function loadText(report: Report): string {
  return [scenariosText(report), statementsText(report), enginesText(report), warningsText(report)]
    .filter((part) => part !== "")
    .join("\n\n");
}

function scenariosText(report: Report): string {
  const rows = scenariosWithVerdict(report).map(
    ({ scenario, question = "", verdict = "not-run", answer, reason, figures }) => [
      prose(shortName(scenario)),
      prose(question),
      verdictWords[verdict],
      prose(answer ?? reason ?? ""),
      prose(figuresText(figures)),
    ],
  );
  const head = ["scenario", "question", "verdict", "answer", "figures"];
  return sectionText("Load scenarios", rows, table(head, rows));
}

/** A scenario without the engine in its name. */
function shortName(scenario: string): string {
  return scenario.replace(/^load\/(?:k6|fault)\//, "");
}

function statementsText({ load }: Report): string {
  const rows = load.flatMap(({ scenario, statements = [] }) =>
    statements.map(({ text, verdict, looked, by, reason = "" }) => [
      prose(shortName(scenario)),
      prose(text),
      verdictWords[verdict],
      `${looked} by ${by}`,
      prose(reason),
    ]),
  );
  const head = ["scenario", "sentence", "verdict", "looked at", "what breaks it"];
  return sectionText("After the fault", rows, table(head, rows));
}

function enginesText(report: Report): string {
  const rows = sideBySide(report).map(rowOf);
  const note = "What each engine says of the same requirement, by itself.";
  const shown = table(["requirement", ...engines], rows);
  const disagreements = engineDisagreements(report).map((line) => prose(line));
  return sectionText("Engines side by side", rows, note, shown, ...disagreements);
}

function warningsText(report: Report): string {
  const warnings = loadWarnings(report);
  const lines = warnings.map((warning) => `- ${prose(warning)}`).join("\n");
  return sectionText("Warnings, which fail nothing", warnings, lines);
}

function rowOf(row: SideBySide): readonly string[] {
  const name = row.disagree ? `**${row.id}: they disagree**` : row.id;
  return [name, ...engines.map((engine) => cellOf(row, engine))];
}

function cellOf({ views }: SideBySide, engine: EngineView["engine"]): string {
  const own = views.filter((view) => view.engine === engine);
  return own.map((view) => prose(viewText(view))).join("; ");
}

const reasonCharsMax = 160;

function viewText({ verdict, reason = "", figures }: EngineView): string {
  const why = reason === "" ? "" : ` (${reason.slice(0, reasonCharsMax)})`;
  const counted = figuresText(
    Object.fromEntries(Object.entries(figures).filter(([label]) => /accepted|limit/.test(label))),
  );
  return `${verdictWords[verdict]}${why}${counted === "" ? "" : `: ${counted}`}`;
}

function figuresText(figures: ReportLoad["figures"]): string {
  return Object.entries(figures)
    .map(([label, value]) => `${label} ${value}`)
    .join(", ");
}
