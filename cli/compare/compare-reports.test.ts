import { describe, expect, test } from "vitest";
import type { Report } from "../../reports/model.ts";
import type { Verdict } from "../../reports/verdict.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { reportOf } from "../../test/cli/report.ts";
import { compareReports } from "./compare-reports.ts";
import { comparisonText } from "./comparison-text.ts";

const old = reportOf({
  "RUNA-01": "pass",
  "STAT-01": "pass",
  "SYNC-05": "fail",
  "AUTH-01": "pass",
});

function withFigures(reading: string, p99Ms: number): Report {
  return {
    ...old,
    requirements: old.requirements.map((entry) =>
      entry.id === "RUNA-03" ? { ...entry, reading } : entry,
    ),
    load: [{ scenario: "steady", engine: "k6", figures: { p99Ms, sent: 5 }, requirements: [] }],
  };
}

function withScenario(verdict: Verdict): Report {
  const asked = { scenario: "soak", engine: "k6", figures: {}, requirements: [] } as const;
  return { ...old, load: [{ ...asked, question: "Does it last?", answer: "So so.", verdict }] };
}

function cause(id: string): NonNullable<Report["causes"]>[number] {
  const requirements = ["STAT-01", "SYNC-05"];
  return { id, text: `about ${id}`, requirements, checks: 2, evidence: [] };
}

function at(baseUrl: string): Report {
  return { ...old, target: { ...old.target, baseUrl } };
}

describe("what changed", () => {
  test("between a report and itself is nothing", () => {
    const { regression, comparable, ...rest } = compareReports(old, old);
    expect({ regression, comparable }).toEqual({ regression: false, comparable: true });
    expect(Object.values(rest).flat()).toEqual(["queueproof-comparison/1"]);
  });

  test.each([
    { from: "pass", to: "inconclusive", regression: true },
    { from: "pass", to: "not-run", regression: true },
    { from: "pass", to: "fail", regression: true },
    { from: "inconclusive", to: "fail", regression: true },
    { from: "inconclusive", to: "not-run", regression: false },
    { from: "fail", to: "fail", regression: false },
    { from: "fail", to: "pass", regression: false },
  ] as const)("of a scenario from $from to $to", ({ from, to, regression }) => {
    const comparison = compareReports(withScenario(from), withScenario(to));
    expect(comparison.regression).toBe(regression);
    const text = comparisonText(comparison, fakeIo());
    expect(text.includes("Scenarios that got worse\n  soak  ")).toBe(regression);
    expect(text.includes("Regression: soak.")).toBe(regression);
  });

  test("tells causes that came and went", () => {
    const before = { ...old, causes: [cause("gone"), cause("stays")] };
    const comparison = compareReports(before, { ...old, causes: [cause("stays"), cause("new")] });
    expect(comparison.causesNew.map(({ id }) => id)).toEqual(["new"]);
    expect(comparison.causesGone.map(({ id }) => id)).toEqual(["gone"]);
    const text = comparisonText(comparison, fakeIo());
    expect(text).toContain("New causes\n  new  about new  (STAT-01 SYNC-05)");
    expect(text).toContain("Causes that are gone\n  gone  about gone");
  });

  test("is sorted by what it means", () => {
    const next = reportOf({ "RUNA-01": "fail", "SYNC-05": "pass", "AUTH-01": "inconclusive" });
    const comparison = compareReports(old, next);
    expect(comparison.regression).toBe(true);
    expect(comparison.newlyFailing).toMatchObject([
      { id: "RUNA-01", from: "pass", to: "fail", reason: "fail for a reason" },
    ]);
    expect(comparison.newlyPassing).toMatchObject([{ id: "SYNC-05", from: "fail", to: "pass" }]);
    expect(comparison.noLongerDecided).toMatchObject([
      { id: "AUTH-01", to: "inconclusive" },
      { id: "STAT-01", to: "not-run" },
    ]);
  });

  test.each([
    { from: "pass", to: "fail", regression: true },
    { from: "inconclusive", to: "fail", regression: true },
    { from: "not-run", to: "fail", regression: true },
    { from: "fail", to: "fail", regression: false },
    { from: "pass", to: "inconclusive", regression: false },
    { from: "pass", to: "not-run", regression: false },
    { from: "fail", to: "pass", regression: false },
  ] as const)("from $from to $to: regression is $regression", ({ from, to, regression }) => {
    const comparison = compareReports(reportOf({ "RUNA-01": from }), reportOf({ "RUNA-01": to }));
    expect(comparison.regression).toBe(regression);
  });

  test.each([
    { verdict: "fail", to: "broken", regression: true },
    { verdict: "inconclusive", to: "partly", regression: false },
  ] as const)("of a profile: lost by $verdict, regression is $regression", (lost) => {
    const whole = { "S3CF-01": "pass", "S3CF-02": "pass", "S3CF-03": "pass" } as const;
    const before = reportOf(whole);
    const after = reportOf({ ...whole, "S3CF-02": lost.verdict });
    const comparison = compareReports(before, after);
    const change = { name: "storage", from: "conformant", to: lost.to, missing: ["S3CF-02"] };
    expect(comparison.profilesLost).toEqual([change]);
    expect(comparison.regression).toBe(lost.regression);
    expect(comparisonText(comparison, fakeIo())).toContain(
      `Profiles lost\n  storage  conformant -> ${lost.to}  without S3CF-02\n`,
    );
    const { profiles: _profiles, ...unjudged } = after;
    const again = compareReports(unjudged, before);
    expect(again.profilesLost).toEqual([]);
    expect(again.profilesGained).toEqual([
      { name: "storage", from: lost.to, to: "conformant", missing: [] },
    ]);
    expect(comparisonText(again, fakeIo())).toContain("Profiles gained\n  storage  ");
  });

  test("of readings and of figures is told with both", () => {
    const comparison = compareReports(withFigures("413", 100), withFigures("400", 150));
    expect(comparison.readings).toEqual([{ id: "RUNA-03", from: "413", to: "400" }]);
    expect(comparison.load).toEqual([
      { scenario: "steady", engine: "k6", figure: "p99Ms", from: 100, to: 150 },
    ]);
    expect(comparisonText(comparison, fakeIo())).toContain("steady (k6)  p99Ms  100 -> 150  +50 %");
  });
});

describe("two runs are not on the same terms when", () => {
  const target = { ...old.target, capabilities: ["handler"] };
  const [first, ...others] = old.requirements;
  test.each<[string, Partial<Report>, RegExp]>([
    ["the target is another", { target: { ...target, baseUrl: "http://b.test" } }, /^target: /],
    ["it offers more", { target }, /^capabilities only in NEW: handler$/],
    ["the dialect is another", { dialect: "runpod" }, /^dialect: spec in OLD, runpod in NEW$/],
    [
      "the program is another",
      { tool: { name: "queueproof", version: "9.0.0" } },
      /^queueproof version/,
    ],
    ["the catalogue is smaller", { requirements: others }, /^requirements only in OLD: AUTH-01$/],
    [
      "a sentence reads otherwise",
      { requirements: [...(first === undefined ? [] : [{ ...first, text: "Else." }]), ...others] },
      /^requirements with another wording: AUTH-01$/,
    ],
    ["one was stopped", { interrupted: true }, /^NEW was stopped before its end$/],
  ])("%s", (_, changes, difference) => {
    const { comparable, differences } = compareReports(old, { ...old, ...changes });
    expect(comparable).toBe(false);
    expect(differences.join("\n")).toMatch(new RegExp(difference, "m"));
  });

  test("not when a server on this machine listens on another port", () => {
    const comparison = compareReports(at("http://127.0.0.1:1"), at("http://127.0.0.1:2"));
    expect(comparison.comparable).toBe(true);
  });
});

test("the text says first what differs, then what fails, and the answer last", () => {
  const next = { ...reportOf({ "RUNA-01": "fail" }), dialect: "runpod" };
  const text = comparisonText(compareReports(old, next), fakeIo());
  expect(text).toMatch(
    /^The runs differ in setup.*\n {2}dialect: spec in OLD, runpod in NEW\n\nNewly failing: 1\n {2}RUNA-01 {2}pass -> fail/,
  );
  expect(text.trimEnd()).toMatch(
    /Regression: RUNA-01\. `queueproof replay NEW ID` runs one again\.$/,
  );
  expect(text).not.toMatch(/: 0$/m);
});

test("a section is shown whatever its lines end with", () => {
  const failing = reportOf({ "RUNA-01": "fail", "STAT-01": "fail" });
  const requirements = failing.requirements.map((entry) =>
    entry.verdict === "fail" ? { ...entry, reason: "jobs in the queue: 0" } : entry,
  );
  const text = comparisonText(compareReports(old, { ...failing, requirements }), fakeIo());
  expect(text).toMatch(/^Newly failing: 2\n.*\n {6}jobs in the queue: 0\n {2}STAT-01 /m);
});
