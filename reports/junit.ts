import { create } from "xmlbuilder2";
import type { XMLBuilder } from "xmlbuilder2/lib/interfaces.js";
import { casesOf, type Case } from "./cases.ts";
import type { Report, Verdict } from "./model.ts";

/**
 * junit.xml: one suite an area, one case a check under a requirement. Class and name together are
 * unique and stay the same from run to run: `queueproof.<area>.<ID>` and the check's name.
 *
 * What it may hold is what both schemas in use admit: that of Jenkins (xUnit plugin) and that of
 * Ant. Hence the bare root, the time stamp without a zone and the two empty outputs at the end.
 */
export function writeJunit(report: Report): string {
  const root = create({ version: "1.0", encoding: "UTF-8", invalidCharReplacement: "" }).ele(
    "testsuites",
  );
  const cases = casesOf(report);
  const areas = new Set(cases.map(({ requirement }) => requirement.area));
  for (const [index, area] of [...areas].entries()) {
    const own = cases.filter(({ requirement }) => requirement.area === area);
    writeSuite(root.ele("testsuite"), { report, index, area, cases: own });
  }
  return `${root.end({ prettyPrint: true })}\n`;
}

interface Suite {
  readonly report: Report;
  readonly index: number;
  readonly area: string;
  readonly cases: readonly Case[];
}

function writeSuite(element: XMLBuilder, { report, index, area, cases }: Suite): void {
  const count = (verdict: Verdict): string =>
    String(cases.filter((each) => each.verdict === verdict).length);
  element.att({
    name: tokenOf(area),
    package: "queueproof",
    id: String(index),
    timestamp: report.startedAt.slice(0, "2024-01-01T00:00:00".length),
    hostname: "localhost",
    tests: String(cases.length),
    failures: count("fail"),
    errors: count("inconclusive"),
    skipped: count("not-run"),
    time: seconds(cases.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  });
  writeProperties(element.ele("properties"), report);
  const taken = new Set<string>();
  for (const each of cases) writeCase(element.ele("testcase"), each, taken);
  element.ele("system-out").txt(readingsOf(cases));
  element.ele("system-err");
}

function writeProperties(element: XMLBuilder, report: Report): void {
  const properties = {
    "queueproof.version": report.tool.version,
    "queueproof.command": report.command,
    "queueproof.seed": String(report.seed),
    "target.baseUrl": report.target.baseUrl,
    "target.endpointId": report.target.endpointId,
    "target.capabilities": report.target.capabilities.join(" "),
  };
  for (const [name, value] of Object.entries(properties)) {
    element.ele("property", { name, value: valid(value) });
  }
}

function writeCase(element: XMLBuilder, each: Case, taken: Set<string>): void {
  const classname = tokenOf(`queueproof.${each.requirement.area}.${each.requirement.id}`);
  const name = uniqueName(classname, tokenOf(each.name), taken);
  element.att({ name, classname, time: seconds(each.durationMs) });
  outcome[each.verdict](element, each);
}

/**
 * JUnit knows no "could not be decided". It is written as an error: like one it says nothing about
 * the target's conformance, it must not pass unseen, and tools tell it from a failure.
 */
const outcome: Readonly<Record<Verdict, (element: XMLBuilder, each: Case) => void>> = {
  pass: () => undefined,
  fail: (element, { message, details }) => {
    element.ele("failure", { type: "mismatch", message: valid(message) }).txt(valid(details));
  },
  inconclusive: (element, { message, details }) => {
    element.ele("error", { type: "inconclusive", message: valid(message) }).txt(valid(details));
  },
  "not-run": (element, { message }) => {
    element.ele("skipped", { message: valid(message) });
  },
};

function readingsOf(cases: readonly Case[]): string {
  const lines = cases.flatMap(({ requirement: { id, reading } }) =>
    reading === undefined ? [] : [`${id} reading: ${valid(reading)}`],
  );
  return [...new Set(lines)].join("\n");
}

function uniqueName(classname: string, name: string, taken: Set<string>): string {
  let unique = name;
  for (let copy = 2; taken.has(`${classname} ${unique}`); copy += 1) {
    unique = `${name} (${String(copy)})`;
  }
  taken.add(`${classname} ${unique}`);
  return unique;
}

/** What XML 1.0 cannot hold even as a reference: control characters, lone surrogates, noncharacters. */
function valid(text: string): string {
  return text
    .replaceAll(/\p{Surrogate}/gu, "")
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "");
}

/** As xs:token: without space at either end or twice in a row. */
function tokenOf(text: string): string {
  return valid(text).replaceAll(/\s+/gu, " ").trim() || "unnamed";
}

/** Seconds in plain decimals; neither schema takes an exponent. */
function seconds(durationMs: number): string {
  return (Math.min(durationMs, Number.MAX_SAFE_INTEGER) / 1000).toFixed(3);
}
