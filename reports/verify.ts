import { isDeepStrictEqual } from "node:util";
import { requirementIds, requirements as catalogue } from "../openapi/requirements.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { digestState } from "./integrity.ts";
import { verdicts } from "./verdict.ts";
import type { Report, ReportCheck, ReportRequirement } from "./model.ts";
import { readReport } from "./parse-report.ts";
import { totalsOf } from "./profiles.ts";
import { requirementVerdict, summarise } from "./verdicts.ts";

/** The result of recomputing a report. */
export interface Verification {
  /** Absent where the text is not a report. */
  readonly report?: Report;
  /** Each problem with its place; empty if the report is whole and unchanged. */
  readonly problems: readonly string[];
  /** How much was recomputed. */
  readonly recomputed: {
    readonly requirements: number;
    readonly checks: number;
    readonly exchanges: number;
  };
}

/**
 * Recomputes every count and verdict of a report.json from its other content, and compares its digest.
 * `toolVersion` is that of this program: a report of another version may know other requirements.
 */
export function verifyReport(text: string, toolVersion: string): Verification {
  const { report, problems } = readReport(text);
  if (report === undefined) {
    return { problems, recomputed: { requirements: 0, checks: 0, exchanges: 0 } };
  }
  const checks = report.requirements.flatMap((entry) => entry.checks);
  return {
    report,
    problems: [
      ...problems,
      ...sealProblems(report),
      ...summaryProblems(report),
      ...profileProblems(report, toolVersion),
      ...report.requirements.flatMap(requirementProblems),
      ...catalogueProblems(report, toolVersion),
      ...deviationProblems(report),
      ...loadProblems(report),
    ],
    recomputed: {
      requirements: report.requirements.length,
      checks: checks.length,
      exchanges: checks.reduce((sum, { evidence }) => sum + evidence.length, 0),
    },
  };
}

function sealProblems(report: Report): readonly string[] {
  const digest = digestState(report);
  if (digest === "whole") return [];
  return digest === "none"
    ? ["/integrity is missing: whether the report was touched cannot be told"]
    : ["/integrity/digest is not that of this report: something in it was changed"];
}

function summaryProblems({ summary, requirements }: Report): readonly string[] {
  const counted = summarise(requirements);
  return (["requirements", "checks"] as const).flatMap((what) =>
    verdicts
      .filter((verdict) => summary[what][verdict] !== counted[what][verdict])
      .map(
        (verdict) =>
          `/summary/${what}/${verdict} is ${summary[what][verdict]}, its entries say ${counted[what][verdict]}`,
      ),
  );
}

/** Compares profiles only for a report of this version; it is unknown which requirements they had in another. */
function profileProblems(
  { profiles, summary, requirements, tool }: Report,
  toolVersion: string,
): readonly string[] {
  const { shares } = summary;
  const counted = totalsOf(requirements);
  const problems =
    shares === undefined || isDeepStrictEqual(shares, counted.summary.shares)
      ? []
      : ["/summary/shares is not what its entries say"];
  if (profiles === undefined || tool.version !== toolVersion) return problems;
  const stated = new Map(profiles.map((each) => [each.name, each]));
  const others = counted.profiles.filter((each) => !isDeepStrictEqual(each, stated.get(each.name)));
  for (const { name } of counted.profiles) stated.delete(name);
  return [
    ...problems,
    ...others.map(
      ({ name, verdict, pass, of }) =>
        `/profiles: ${name} is not what its entries say: ${verdict}, ${pass} of ${of}`,
    ),
    ...[...stated.keys()].map((name) => `/profiles: ${name} is no profile`),
  ];
}

function requirementProblems(entry: ReportRequirement): readonly string[] {
  const { id, verdict, checks, reason, reading, level } = entry;
  const problems: string[] = [];
  const judged = requirementVerdict(checks);
  if (judged !== verdict) problems.push(`${id} is ${verdict}, its checks say ${judged}`);
  if (verdict !== "pass" && reason === undefined)
    problems.push(`${id} is ${verdict} without a reason`);
  if (verdict === "pass" && reason !== undefined) problems.push(`${id} is pass, yet has a reason`);
  if (reading !== undefined && level !== "open")
    problems.push(`${id} has a reading and is not open`);
  return [...problems, ...checks.flatMap((check) => checkProblems(check, id))];
}

function checkProblems(check: ReportCheck, id: string): readonly string[] {
  const { name, verdict, mismatches = [], reason, evidence } = check;
  const place = `${id} ${name}`;
  const problems: string[] = [];
  if (verdict === "fail" && mismatches.length === 0 && reason === undefined) {
    problems.push(`${place} fails and shows nothing that differs`);
  }
  if (verdict === "pass" && mismatches.length > 0) {
    problems.push(`${place} passes, yet something differs at ${mismatches[0]?.at ?? ""}`);
  }
  for (const { requirement, at } of mismatches) {
    if (requirement !== id) problems.push(`${place} differs at ${at} for ${requirement}`);
  }
  return [
    ...problems,
    ...evidence.flatMap(({ response, error }, at) => {
      const isTold = response !== null || error !== undefined;
      return isTold ? [] : [`${place}, exchange ${at + 1} has neither an answer nor an error`];
    }),
  ];
}

function catalogueProblems({ requirements, tool }: Report, toolVersion: string): readonly string[] {
  const seen = requirements.map(({ id }) => id);
  const twice = seen.filter((id, at) => seen.indexOf(id) !== at);
  const problems = twice.map((id) => `${id} stands there twice`);
  if (tool.version !== toolVersion) return problems;
  const missing = requirementIds.filter((id) => !seen.includes(id));
  return [
    ...problems,
    ...missing.map((id) => `${id} is missing`),
    ...requirements.flatMap(wordingProblems),
  ];
}

function wordingProblems({ id, text, level, section, area }: ReportRequirement): readonly string[] {
  const known = requirementIds.find((each) => each === id);
  if (known === undefined) return [`${id} is no requirement`];
  const said = { text, level, section, area };
  const row: Readonly<Record<keyof typeof said, string>> = catalogue[known satisfies RequirementId];
  return (["text", "level", "section", "area"] as const)
    .filter((member) => said[member] !== row[member])
    .map((member) => `${id} has another ${member} than the catalogue`);
}

function deviationProblems({ deviations = [], requirements }: Report): readonly string[] {
  const listed = requirements.flatMap((entry) => entry.deviations ?? []);
  return listed.length === deviations.length
    ? []
    : [`/deviations has ${deviations.length} entries, its requirements have ${listed.length}`];
}

function loadProblems({ load, requirements }: Report): readonly string[] {
  const known = new Set(requirements.map(({ id }) => id));
  return load.flatMap(({ scenario, requirements: named }) =>
    named
      .filter((id) => !known.has(id))
      .map((id) => `load ${scenario} names ${id}, which is missing`),
  );
}
