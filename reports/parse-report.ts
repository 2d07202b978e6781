import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Static } from "typebox";
import { parseFile } from "../openapi/depth.ts";
import { describeError } from "../openapi/describe-errors.ts";
import type { Report } from "./model.ts";
import { reportSchema } from "./report-schema.ts";
import { summarise } from "./verdicts.ts";

/** Says that a text is not a report. `problems` holds each problem with its place. */
export class ReportParseError extends Error {
  override readonly name = "ReportParseError";
  readonly problems: readonly string[];
  readonly hint = "Give a report.json written by queueproof (schema queueproof-report/1).";

  constructor(origin: string, problems: readonly string[]) {
    super(`${origin} is not a report:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

const problemsMax = 3;

/**
 * Reads the text of a report.json.
 * @param origin The name of the text in an error: its path.
 * @throws ReportParseError that names what is wrong and where.
 */
export function parseReport(text: string, origin: string): Report {
  const { report, problems } = readReport(text);
  if (report === undefined || problems.length > 0) throw new ReportParseError(origin, problems);
  const { requirements, checks } = summarise(report.requirements);
  const counted = JSON.stringify({ requirements, checks });
  // The writer fixes the order of keys, but the file may have passed through other tools.
  const stated = JSON.stringify({
    requirements: { ...requirements, ...report.summary.requirements },
    checks: { ...checks, ...report.summary.checks },
  });
  if (counted !== stated) {
    throw new ReportParseError(origin, [`/summary says ${stated}, its entries say ${counted}`]);
  }
  return report;
}

/** Reads a report and finds what is wrong with its form; does not check its counts. */
export function readReport(text: string): {
  readonly report?: Report;
  readonly problems: readonly string[];
} {
  let value: unknown;
  try {
    value = parseFile(text);
  } catch (error) {
    return { problems: [jsonProblem(text, error)] };
  }
  if (!hasSchema(value))
    return { problems: [`it is JSON without the member "schema" of a report`] };
  const validate = schemaValidator();
  if (!validate(value)) {
    const errors = validate.errors ?? [];
    // Where another program wrote the file, only the wrong schema is worth reporting.
    const ofSchema = errors.filter(({ instancePath }) => instancePath === "/schema");
    const told = ofSchema.length > 0 ? ofSchema.slice(0, 1) : errors.slice(0, problemsMax);
    return { problems: told.map(describe) };
  }
  const report: Report = value;
  const isMoment = !Number.isNaN(Date.parse(report.startedAt));
  return { report, problems: isMoment ? [] : [`/startedAt is no moment: ${report.startedAt}`] };
}

function hasSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && "schema" in value;
}

let compiled: ValidateFunction<Static<typeof reportSchema>> | undefined;

/** Compiles the schema when first needed, since a run that only writes reports never needs it. */
function schemaValidator(): ValidateFunction<Static<typeof reportSchema>> {
  compiled ??= new Ajv2020({ allErrors: true, strict: false }).compile(reportSchema);
  return compiled;
}

/** Says where a report was cut off, since a full disk or a broken copy causes that. */
function jsonProblem(text: string, error: unknown): string {
  const end = text.trimEnd();
  if (end === "") return "the file is empty";
  if (end.startsWith("<")) {
    return "it is a page or XML, not JSON: a report.html and a junit.xml lie beside the report.json they are made of";
  }
  const message = error instanceof Error ? error.message : "not JSON";
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  const cut = /end of JSON|Unterminated/.test(message) || position >= end.length;
  return cut ? `the file is cut off after ${text.length} characters: ${message}` : message;
}

function describe(error: ErrorObject): string {
  if (error.instancePath === "/schema") {
    return "/schema is not queueproof-report/1: another version of queueproof wrote it, or another program";
  }
  return describeError(error, "/");
}
