import XMLBuilder from "fast-xml-builder";
import { casesOf, type Case } from "./cases.ts";
import { requirementsOf, sharedCauses } from "./causes.ts";
import type { Cause, RepeatLineOf, Report } from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { profilesText } from "./profiles.ts";
import { noRepeatLine } from "./repeat-line.ts";
import { absenceLines, verdictSentence } from "./sentence.ts";
import { scenariosWithVerdict } from "./verdicts.ts";

/** An XML element: attributes by their name after `@`, then children in order, and text under `#text`. */
interface Element {
  readonly [member: string]: string | Element | readonly Element[];
}

const builder = new XMLBuilder({
  attributeNamePrefix: "@",
  ignoreAttributes: false,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
  format: true,
});

/**
 * Writes junit.xml: one suite for each area, one case for each requirement, so that both count the same things.
 * The class `queueproof.<area>.<ID>` and the requirement's sentence are the same in every run.
 *
 * The file holds only what both schemas in use allow: Jenkins (xUnit plugin) and Ant. Therefore the root has no
 * attributes, the time stamp has no zone, and each suite ends with two outputs that may be empty.
 */
export function writeJunit(report: Report, repeatLineOf: RepeatLineOf = noRepeatLine): string {
  const cases = casesOf(report, repeatLineOf).map(caseOf);
  const areas = [...new Set(cases.map(({ requirement }) => requirement.area))];
  const ofAreas = areas.map((area): Suite => {
    const own = cases.filter(({ requirement }) => requirement.area === area);
    return {
      name: area,
      rows: own.map((each) => ({ ...each, element: elementOf(each) })),
      lines: [...readingsOf(own), ...deviationsOf(own), ...remarksOf(own)],
    };
  });
  const document: Element = {
    "?xml": { "@version": "1.0", "@encoding": "UTF-8" },
    testsuites: {
      testsuite: [...ofAreas, ...scenarioSuites(report)].map((suite, index) =>
        suiteElement(suite, { report, index }),
      ),
    },
  };
  return builder.build(document);
}

/** A case with what JUnit says of it. */
interface JunitCase extends Case {
  readonly verdict: Verdict;
}

/** A suite: its cases as elements, and the lines that it prints. */
interface Suite {
  readonly name: string;
  readonly rows: readonly {
    readonly verdict: Verdict;
    readonly durationMs: number;
    readonly element: Element;
  }[];
  readonly lines: readonly string[];
}

/** The load scenarios that were named, which have a question and no requirement; none where none were. */
function scenarioSuites(report: Report): readonly Suite[] {
  const asked = scenariosWithVerdict(report);
  if (asked.length === 0) return [];
  const rows = asked.map(
    ({ scenario, question = "", verdict = "not-run", answer, reason = "" }) => {
      const said = valid(answer ?? reason);
      const element = {
        "@name": tokenOf(question),
        "@classname": tokenOf(`queueproof.scenarios.${scenario}`),
        "@time": seconds(0),
        ...outcome[verdict](said, said),
      };
      return { verdict, durationMs: 0, element };
    },
  );
  return [{ name: "scenarios", rows, lines: [] }];
}

function suiteElement(
  { name, rows, lines }: Suite,
  { report, index }: { readonly report: Report; readonly index: number },
): Element {
  const count = (verdict: Verdict): string =>
    String(rows.filter((each) => each.verdict === verdict).length);
  return {
    "@name": tokenOf(name),
    "@package": "queueproof",
    "@id": String(index),
    "@timestamp": report.startedAt.slice(0, "2024-01-01T00:00:00".length),
    "@hostname": "localhost",
    "@tests": String(rows.length),
    "@failures": count("fail"),
    "@errors": count("inconclusive"),
    "@skipped": count("not-run"),
    "@time": seconds(rows.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    properties: { property: propertiesOf(report) },
    testcase: rows.map(({ element }) => element),
    "system-out": lines.join("\n"),
    "system-err": "",
  };
}

function propertiesOf(report: Report): readonly Element[] {
  const { tool, command, seed, target, dialect, profiles = [] } = report;
  const properties = {
    "queueproof.summary": [verdictSentence(report), ...absenceLines(report)].join(" "),
    ...(profiles.length > 0 && {
      "queueproof.profiles": profilesText(report),
      ...Object.fromEntries(
        profiles.map(({ name, verdict }) => [`queueproof.profile.${name}`, verdict]),
      ),
    }),
    ...Object.fromEntries(
      sharedCauses(report).map((cause) => [
        `queueproof.cause.${cause.id}`,
        causeText(cause, report),
      ]),
    ),
    "queueproof.version": tool.version,
    "queueproof.command": command,
    "queueproof.seed": String(seed),
    "target.baseUrl": target.baseUrl,
    "target.endpointId": target.endpointId,
    "target.capabilities": target.capabilities.join(" "),
    ...(dialect !== undefined && { "target.dialect": dialect }),
  };
  return Object.entries(properties).map(([name, value]) => ({
    "@name": name,
    "@value": valid(value),
  }));
}

function causeText(cause: Cause, report: Report): string {
  const { text, adapted, dialect } = cause;
  const { broken, kept } = requirementsOf(cause, report);
  return [
    text,
    ...(broken.length === 0 ? [] : [`breaks ${broken.join(" ")}`]),
    ...(kept.length === 0 ? [] : [`keeps from being decided ${kept.join(" ")}`]),
    ...(adapted === undefined ? [] : [`the run: ${adapted}`]),
    ...(dialect === undefined ? [] : [`dialect ${JSON.stringify(dialect)}`]),
  ].join("; ");
}

function elementOf({ requirement, durationMs, verdict, message, details }: JunitCase): Element {
  const { area, id, text } = requirement;
  return {
    "@name": tokenOf(text),
    "@classname": tokenOf(`queueproof.${area}.${id}`),
    "@time": seconds(durationMs),
    ...outcome[verdict](valid(message), valid(details)),
  };
}

/**
 * JUnit has no inconclusive, so it becomes an error. Like an error, it says nothing about the target's
 * conformance and must not go unnoticed, and tools can tell it from a failure.
 */
const outcome: Readonly<Record<Verdict, (message: string, details: string) => Element>> = {
  pass: () => ({}),
  fail: (message, details) => ({
    failure: { "@type": "mismatch", "@message": message, "#text": details },
  }),
  inconclusive: (message, details) => ({
    error: { "@type": "inconclusive", "@message": message, "#text": details },
  }),
  "not-run": (message) => ({ skipped: { "@message": message } }),
};

/** A failure that a baseline expects is a skipped case, and so is what may stay undecided. */
function caseOf(each: Case): JunitCase {
  const { requirement, message } = each;
  const { verdict, known, allowed } = requirement;
  if (verdict === "fail" && known !== undefined) {
    return { ...each, verdict: "not-run", message: `known failure, ${known}: ${message}` };
  }
  if (verdict === "inconclusive" && allowed === true) {
    return { ...each, verdict: "not-run", message: `allowed to stay undecided: ${message}` };
  }
  return { ...each, verdict };
}

function remarksOf(cases: readonly Case[]): readonly string[] {
  return cases.flatMap(({ requirement: { id }, remarks }) =>
    remarks.map((line) => valid(`${id} ${line}`)),
  );
}

function readingsOf(cases: readonly Case[]): readonly string[] {
  const lines = cases.flatMap(({ requirement: { id, reading } }) =>
    reading === undefined ? [] : [`${id} reading: ${valid(reading)}`],
  );
  return [...new Set(lines)];
}

function deviationsOf(cases: readonly Case[]): readonly string[] {
  const lines = cases.flatMap(({ requirement: { id, deviations = [] } }) =>
    deviations.map(({ what, seen }) => `${id} deviation: ${valid(what)}; seen: ${valid(seen)}`),
  );
  return [...new Set(lines)];
}

/** Removes what XML 1.0 cannot hold even as a reference: control characters, lone surrogates, noncharacters. */
function valid(text: string): string {
  return text
    .replaceAll(/\p{Surrogate}/gu, "")
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "");
}

/** Returns the text as an xs:token: no white space at either end and no double spaces. */
function tokenOf(text: string): string {
  return valid(text).replaceAll(/\s+/gu, " ").trim() || "unnamed";
}

/** Formats seconds as plain decimals, because neither schema allows an exponent. */
function seconds(durationMs: number): string {
  return (Math.min(durationMs, Number.MAX_SAFE_INTEGER) / 1000).toFixed(3);
}
