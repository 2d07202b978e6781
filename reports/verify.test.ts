import { assert, constantFrom, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { writeJson } from "./json.ts";
import { mergeReports } from "./merge-reports.ts";
import { readReport } from "./parse-report.ts";
import { sampleReport } from "../test/reports/sample-results.ts";
import { verifyReport } from "./verify.ts";

const version = sampleReport().tool.version;
const text = writeJson(sampleReport());

function problemsOf(changed: string): readonly string[] {
  return verifyReport(changed, version).problems;
}

/** Changes one thing in the report and computes its digest anew, as a forger would. */
function resealed(change: (json: string) => string): string {
  const { report } = readReport(change(text));
  if (report === undefined) throw new Error("it is no report any more");
  return writeJson(report);
}

/** Lists the paths of all JSON values that are neither object nor array. */
function leavesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, held]) => leavesOf(held, [...path, key]));
}

function changedAt(path: readonly string[]): string {
  const step = (value: unknown, at: number): unknown => {
    if (at === path.length) {
      if (typeof value === "string") return `${value}x`;
      return typeof value === "number" ? value + 1 : !(value === true);
    }
    const key = path[at] ?? "";
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value;
      return items.map((item, i) => (String(i) === key ? step(item, at + 1) : item));
    }
    return Object.fromEntries(
      Object.entries(value ?? {}).map(([name, held]) => [
        name,
        name === key ? step(held, at + 1) : held,
      ]),
    );
  };
  return JSON.stringify(step(JSON.parse(text), 0));
}

describe("a report as it was written", () => {
  test("is whole and untouched, and so are several merged", () => {
    expect(problemsOf(text)).toEqual([]);
    expect(problemsOf(writeJson(mergeReports(sampleReport(), sampleReport())))).toEqual([]);
  });

  test("is so whatever its white space and the order of its members", () => {
    const report: unknown = JSON.parse(text);
    const turned = Object.fromEntries(Object.entries(report ?? {}).toReversed());
    expect(problemsOf(JSON.stringify(turned))).toEqual([]);
  });
});

test("any value that was changed is noticed", () => {
  const leaves = leavesOf(JSON.parse(text));
  expect(leaves.length).toBeGreaterThan(500);
  assert(
    property(constantFrom(...leaves), (path) => {
      expect(problemsOf(changedAt(path))).not.toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("a file that was cut off anywhere says so", () => {
  const small = JSON.stringify({ a: ["b", 1.5, true, null], "c\u00e9": { d: "\\u0041" } });
  for (let end = 1; end < small.length; end += 1) {
    expect(problemsOf(small.slice(0, end)).join(" ")).toMatch(/cut off after|must/);
  }
  expect(problemsOf(text.slice(0, text.length / 2))[0]).toMatch(/^the file is cut off after \d+/);
  expect(problemsOf("")).toEqual(["the file is empty"]);
});

describe("whoever computes the digest anew is found out by the contents", () => {
  test.each([
    {
      what: "a verdict that its checks do not say",
      change: (json: string) => json.replace('"verdict": "fail"', '"verdict": "pass"'),
      problem: /is pass, its checks say fail/,
    },
    {
      what: "a count",
      change: (json: string) => json.replace(/("summary"[^]*?"pass": )/, "$19"),
      problem: /^\/summary\/requirements\/pass is 9\d+, its entries say/,
    },
    {
      what: "a profile's verdict",
      change: (json: string) => json.replace('"verdict": "untested"', '"verdict": "conformant"'),
      problem: /^\/profiles: \S+ is not what its entries say: untested, 0 of \d+$/m,
    },
    {
      what: "a profile that there is not",
      change: (json: string) => json.replace('"name": "webhooks"', '"name": "webhook"'),
      problem: /^\/profiles: webhook is no profile$/m,
    },
    {
      what: "the share that was decided",
      change: (json: string) => json.replace(/("decided": )[\d.]+/, "$10.5"),
      problem: /^\/summary\/shares is not what its entries say$/m,
    },
    {
      what: "a sentence of the catalogue",
      change: (json: string) => json.replace(/("level": "\w+",\s*"text": ")/, "$1Not: "),
      problem: /has another text than the catalogue/,
    },
    {
      what: "every failure",
      change: (json: string) => json.replaceAll('"verdict": "fail"', '"verdict": "pass"'),
      problem: /passes, yet something differs at/,
    },
  ])("$what", ({ change, problem }) => {
    expect(problemsOf(resealed(change)).join("\n")).toMatch(problem);
  });

  test("a requirement that was left out, or stands there twice", () => {
    const { requirements, ...rest } = sampleReport();
    const cut = writeJson({ ...rest, requirements: requirements.slice(1) });
    expect(problemsOf(cut).join("\n")).toMatch(/^AUTH-01 is missing$/m);
    const twice = writeJson({
      ...rest,
      requirements: [...requirements, ...requirements.slice(0, 1)],
    });
    expect(problemsOf(twice).join("\n")).toMatch(/^AUTH-01 stands there twice$/m);
  });

  test("a digest that was taken away", () => {
    expect(problemsOf(JSON.stringify(sampleReport()))).toEqual([
      "/integrity is missing: whether the report was touched cannot be told",
    ]);
  });
});
