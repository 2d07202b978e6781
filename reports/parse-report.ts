import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import type { Static } from "typebox";
import type { Report } from "./model.ts";
import { reportSchema } from "./report-schema.ts";
import { summarise } from "./verdicts.ts";

/** A text that is no report. `problems` holds each one with its place. */
export class ReportParseError extends Error {
  override readonly name = "ReportParseError";
  readonly origin: string;
  readonly problems: readonly string[];
  readonly hint = "Give a report.json written by queueproof (schema queueproof-report/1).";

  constructor(origin: string, problems: readonly string[]) {
    super(`${origin} is not a report:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.origin = origin;
    this.problems = problems;
  }
}

const problemsMax = 20;

/**
 * Reads the text of a report.json.
 * @param origin What the text is called in an error: its path.
 * @throws ReportParseError Naming what is wrong and where.
 */
export function parseReport(text: string, origin: string): Report {
  const value = parseJson(text, origin);
  // Compiled here, not at import: a run that only writes reports never needs it.
  const validate = new Ajv2020({ allErrors: true, strict: false }).compile<
    Static<typeof reportSchema>
  >(reportSchema);
  if (!validate(value)) {
    throw new ReportParseError(origin, (validate.errors ?? []).slice(0, problemsMax).map(describe));
  }

  const report: Report = value;
  if (Number.isNaN(Date.parse(report.startedAt))) {
    throw new ReportParseError(origin, [`/startedAt is no moment: ${report.startedAt}`]);
  }
  const { requirements, checks } = summarise(report.requirements);
  const counted = JSON.stringify({ requirements, checks });
  // Key order is fixed by the writer, yet a file may have passed through other tools.
  const stated = JSON.stringify({
    requirements: { ...requirements, ...report.summary.requirements },
    checks: { ...checks, ...report.summary.checks },
  });
  if (counted !== stated) {
    throw new ReportParseError(origin, [`/summary says ${stated}, its entries say ${counted}`]);
  }
  return report;
}

function parseJson(text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ReportParseError(origin, [error instanceof Error ? error.message : "not JSON"]);
  }
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const allowed: unknown = params["allowedValues"];
  const choice = Array.isArray(allowed) ? `: ${allowed.join(", ")}` : "";
  return `${instancePath === "" ? "/" : instancePath} ${message ?? "is wrong"}${choice}`;
}
