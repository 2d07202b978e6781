import { isJobKind } from "../../openapi/capabilities.ts";
import { isOfLoad, requirements } from "../../openapi/requirements.ts";
import type { Judged } from "../../openapi/profiles.ts";
import type { Level } from "../../openapi/requirements.ts";
import { listedRequirements, importChecks } from "../catalogue.ts";
import type { ListedRequirement } from "../catalogue.ts";
import { coloursFor } from "../colours.ts";
import type { Io } from "../io.ts";
import { levelMeaning } from "../../reports/sentence.ts";
import { durationText } from "../../reports/words.ts";
import { specificationText } from "../specification-text.ts";
import { requirementNamed } from "../settings/selection.ts";

/**
 * Prints everything about one requirement.
 * @throws CommandError WRONG_USAGE for an id that is not in the catalogue; it names the most similar id.
 */
export async function explain(text: string, io: Io): Promise<number> {
  const id = requirementNamed(text, "Run `queueproof list` to see every id.");
  const { catalogue } = requirements[id];
  const listed = listedRequirements(await importChecks(catalogue), catalogue);
  const requirement = listed.find((entry) => entry.id === id);
  if (requirement !== undefined) io.write(pageOf(requirement, io));
  return 0;
}

function pageOf(requirement: ListedRequirement, io: Io): string {
  const { bold } = coloursFor(io);
  const { id, text, section } = requirement;
  const parts = [
    `${bold(id)}  ${text}`,
    [
      `Level:    ${requirement.level} - ${levelMeaning[requirement.level]}`,
      `Section:  ${section}`,
      `Page:     docs/specification.md#${anchorOf(requirement)}`,
      ...needLines(requirement),
    ].join("\n"),
    ...acceptedReadings(requirement),
    ...sectionParts(requirement, bold),
    `${bold("Checks")}\n${checkLines(requirement).join("\n")}`,
    `${bold("What a failure means")}\n  ${failureMeaning[requirement.catalogue][requirement.level]}`,
    `${bold("How to look further")}\n${furtherSteps(requirement).join("\n")}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Returns the specification's text for the requirement, indented under a heading; empty where there is none. */
function sectionParts(
  { id }: ListedRequirement,
  bold: (text: string) => string,
): readonly string[] {
  const text = specificationText(id);
  if (text === "") return [];
  return [`${bold("What the specification says")}\n${text.replaceAll(/^(?=.)/gm, "  ")}`];
}

/** The requirements of servers have headings of their own there; others stand under their section. */
function anchorOf({ id, section, catalogue }: ListedRequirement): string {
  const [first = section] = section.split(";");
  return catalogue === "server" ? id.toLowerCase() : first.toLowerCase().replaceAll(" ", "-");
}

function needLines(requirement: ListedRequirement): readonly string[] {
  const { catalogue, needs, tasks = [], testsNeeded = [], decided } = requirement;
  if (catalogue === "server") {
    return [
      `Needs:    ${needs.join(", ") || "nothing beyond the API"}`,
      `Time:     ${timeOf(requirement)}`,
    ];
  }
  return [
    ...(decided === undefined ? [] : [`Decided:  ${decisionText[decided]}`]),
    `Needs:    ${[...tasks.map((task) => `the task ${task}`), ...testsNeeded].join(", ") || "nothing more"}`,
  ];
}

const decisionText = {
  traffic: "by the requests alone, in any traffic",
  outcome: "by what the program makes of the answers",
} as const;

const failureMeaning: Readonly<Record<Judged, Readonly<Record<Level, string>>>> = {
  server: {
    must: "The target breaks this sentence: clients that rely on it will go wrong.",
    implied: "The target makes a stated rule false, though no single sentence names the case.",
    open: "The target does something no reading of the specification allows.",
  },
  client: {
    must: "The client breaks this sentence: a service may refuse it.",
    implied: "The client loses a result, tells a wrong one, runs a job twice, or breaks a limit.",
    open: "The client does something that none of the accepted readings covers.",
  },
  worker: {
    must: "The worker breaks this sentence: its jobs come out wrong.",
    implied: "The worker loses a result, tells a wrong one, stops the queue, or shows a secret.",
    open: "The worker does something that none of the accepted readings covers.",
  },
};

function timeOf({ realTimeMs }: ListedRequirement): string {
  if (realTimeMs === 0) return "no waiting";
  return `${durationText(realTimeMs)} on a real clock; none with the capability clock`;
}

function acceptedReadings({ accepts }: ListedRequirement): readonly string[] {
  if (accepts.length === 0) return [];
  return [["Each of these conforms:", ...accepts.map((reading) => `  - ${reading}`)].join("\n")];
}

function checkLines({ checks }: ListedRequirement): readonly string[] {
  if (checks.length === 0) return ["  No check covers it yet: every report shows it as not-run."];
  return checks.map(({ name, title, needs }) => {
    const needed = needs.length === 0 ? "" : `\n    needs ${neededText(needs)}`;
    return `  ${name}\n    ${title}${needed}`;
  });
}

/** Lists what a check needs, with a hint where it needs jobs of the user's own workers. */
function neededText(needs: readonly string[]): string {
  const hint = needs.some(isJobKind)
    ? " (jobs that --jobs FILE names, or --capability handler)"
    : "";
  return `${needs.join(", ")}${hint}`;
}

function furtherSteps({ id, catalogue }: ListedRequirement): readonly string[] {
  if (catalogue !== "server") {
    return [
      `  Repeat it alone:      npx queueproof ${catalogue} --only ${id} -- COMMAND`,
      "  See the exchanges:    report.html and report.json",
      `  Compare by hand:      docs/${catalogue === "worker" ? "test-my-worker" : "judge-your-client"}.md`,
    ];
  }
  const command = isOfLoad(id) ? "load" : "contract";
  return [
    `  Repeat it alone:      npx queueproof ${command} --only ${id}   (with the options that name the target)`,
    "  See the exchanges:    report.html and report.json, each failure with what repeats it in a shell",
    "  Compare by hand:      npx queueproof serve, then the same script against the reference",
  ];
}
