import { coloursFor } from "../colours.ts";
import type { Io } from "../io.ts";
import { figureTestText } from "./figure-tests.ts";
import type { FigureTest } from "./figure-tests.ts";
import { cutLine } from "../progress/one-line.ts";
import type {
  CauseChange,
  Comparison,
  FigureChange,
  ProfileChange,
  ScenarioChange,
  VerdictChange,
} from "./compare-reports.ts";

const textCharsMax = 200;

/** Formats a comparison for people: first what makes the runs hard to compare, last the answer. */
export function comparisonText(
  comparison: Comparison & { readonly figures?: readonly FigureTest[] },
  io: Io,
): string {
  const { bold, red, green } = coloursFor(io);
  const { newlyFailing, newlyPassing, noLongerDecided, differences, readings, load, gone } =
    comparison;
  const { profilesGained, profilesLost, figures: tests = [] } = comparison;
  const isOverRuns = tests.some(({ runs }) => Math.max(...runs) > 1);
  const figures = isOverRuns ? tests : [];
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [`${bold(title)}\n${lines.map((line) => `  ${line}`).join("\n")}`];
  const parts = [
    ...section("The runs differ in setup, which may explain changes", differences.map(short)),
    ...section(red("New causes"), comparison.causesNew.map(causeLine)),
    ...section(green("Causes that are gone"), comparison.causesGone.map(causeLine)),
    ...section(red(`Newly failing: ${newlyFailing.length}`), newlyFailing.flatMap(changeLines)),
    ...section(
      `No longer decided: ${noLongerDecided.length}`,
      noLongerDecided.flatMap(changeLines),
    ),
    ...section(red("Scenarios that got worse"), comparison.scenariosLost.flatMap(scenarioLines)),
    ...section(green(`Newly passing: ${newlyPassing.length}`), newlyPassing.map(changeLine)),
    ...section(red("Profiles lost"), profilesLost.map(profileLine)),
    ...section(green("Profiles gained"), profilesGained.map(profileLine)),
    ...section(
      "Readings changed",
      readings.map(({ id, from, to }) => `${id}  ${short(from)} -> ${short(to)}`),
    ),
    ...section("Times of load, over several runs", figures.map(testLine)),
    ...section("Load figures", isOverRuns ? [] : load.map(figureLine)),
    ...section("No longer in the catalogue", gone),
    answer(comparison),
  ];
  return `${parts.join("\n\n")}\n`;
}

function answer(comparison: Comparison): string {
  const { newlyFailing, noLongerDecided, newlyPassing, scenariosLost } = comparison;
  if (newlyFailing.length > 0) {
    const ids = newlyFailing.map(({ id }) => id).join(", ");
    return `Regression: ${ids}. \`queueproof replay NEW ID\` runs one again.`;
  }
  if (scenariosLost.length > 0) {
    return `Regression: ${scenariosLost.map(({ scenario }) => scenario).join(", ")}.`;
  }
  const changes = noLongerDecided.length + newlyPassing.length;
  return changes === 0 ? "No regression; no verdict changed." : "No regression.";
}

function scenarioLines({ scenario, from, to, question, answer: now }: ScenarioChange): string[] {
  return [`${scenario}  ${from ?? "unknown"} -> ${to}  ${short(question)}`, `    ${short(now)}`];
}

function causeLine({ id, text, requirements }: CauseChange): string {
  return short(`${id}  ${text}  (${requirements.join(" ")})`);
}

function profileLine({ name, from, to, missing }: ProfileChange): string {
  const lacks = missing.length === 0 ? "" : `  without ${missing.join(", ")}`;
  return short(`${name}  ${from} -> ${to}${lacks}`);
}

function changeLine({ id, from, to, text }: VerdictChange): string {
  return `${id}  ${from ?? "unknown"} -> ${to}  ${short(text)}`;
}

function changeLines(change: VerdictChange): readonly string[] {
  const { reason } = change;
  return [changeLine(change), ...(reason === undefined ? [] : [`    ${short(reason)}`])];
}

function testLine(test: FigureTest): string {
  return short(`${test.scenario}  ${test.figure}  ${figureTestText(test)}`);
}

function figureLine({ scenario, engine, figure, from, to }: FigureChange): string {
  return short(`${scenario} (${engine})  ${figure}  ${from} -> ${to}${ratio(from, to)}`);
}

function ratio(from: number | string, to: number | string): string {
  if (typeof from !== "number" || typeof to !== "number" || from === 0) return "";
  const percent = ((to - from) / Math.abs(from)) * 100;
  return `  ${percent > 0 ? "+" : ""}${percent.toFixed(percent > -10 && percent < 10 ? 1 : 0)} %`;
}

function short(text: string): string {
  return cutLine(text, textCharsMax);
}
