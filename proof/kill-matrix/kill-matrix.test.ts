import { describe, expect, test } from "vitest";
import { checksThatCaught, evidenceText } from "./evidence-file.ts";
import { alarmsOf, evidenceOf, killMatrix, matrixSummary, problemsOf } from "./kill-matrix.ts";
import type { FaultTrial } from "./proof.ts";
import { chosen } from "./suite-job.ts";
import type { Finding } from "./suite-job.ts";
import { variationProblems } from "./variation-problems.ts";

const fault: FaultTrial["fault"] = { name: "area/bug", breaks: ["CANC-01", "CANC-02"] };

function trial(name: string, ...findings: readonly Finding[]): FaultTrial {
  return { fault: { ...fault, name }, run: { findings } };
}

const caught: Finding = { check: "cancel/one", requirement: "CANC-01", verdict: "fail" };
const elsewhere: Finding = { check: "status/one", requirement: "STAT-01", verdict: "fail" };
const passed: Finding = { check: "cancel/two", requirement: "CANC-02", verdict: "pass" };

describe("the fate of a fault", () => {
  test.each([
    {
      what: "one of its requirements fails",
      findings: [caught, elsewhere, passed],
      fate: "killed",
    },
    { what: "another one fails alone", findings: [elsewhere, passed], fate: "misnamed" },
    { what: "nothing fails", findings: [passed], fate: "survived" },
    {
      what: "its requirements are left undecided",
      findings: [{ ...caught, verdict: "inconclusive" } as const],
      fate: "survived",
    },
  ])("is $fate where $what", ({ findings, fate }) => {
    expect(killMatrix([trial("a/b", ...findings)], []).faults).toMatchObject([{ fate }]);
  });

  test("names what failed, each once and sorted, and the rest apart", () => {
    const again = { ...caught, check: "cancel/another" };
    const { faults } = killMatrix([trial("a/b", caught, elsewhere, again, caught)], []);
    expect(faults).toMatchObject([
      {
        caughtBy: ["cancel/another", "cancel/one"],
        also: ["STAT-01"],
      },
    ]);
  });
});

describe("what keeps a matrix from being a proof", () => {
  const trials = [trial("a/killed", caught), trial("a/missed"), trial("a/misnamed", elsewhere)];

  test("is a survivor, a fault under a wrong name, and a check without a fault", () => {
    const matrix = killMatrix(trials, ["cancel/one", "status/one"]);
    expect(problemsOf(matrix, trials)).toEqual([
      "a/missed survived; it breaks CANC-01, CANC-02",
      "a/misnamed breaks CANC-01, CANC-02 and was caught as STAT-01 only",
      "no fault proves the check status/one",
    ]);
    expect(matrixSummary(matrix)).toBe("3 faults, 1 killed, 2 survived; 2 checks, 1 proved");
  });

  test("is a harness that broke, also where the fault was caught", () => {
    const broken = { ...passed, broke: true, reason: "boom" } as const;
    const whole = [trial("a/killed", caught, broken)];
    expect(problemsOf(killMatrix(whole, []), whole)).toEqual([
      "a/killed: cancel/two broke the harness: boom",
    ]);
    const hung: FaultTrial = { fault, run: { findings: [], failed: "it hung" } };
    expect(problemsOf(killMatrix([hung], []), [hung])).toContain(
      "area/bug: the suite could not be run: it hung",
    );
  });

  test("is nothing where every fault is killed and every check proved", () => {
    const whole = [trial("a/killed", caught)];
    expect(problemsOf(killMatrix(whole, ["cancel/one"]), whole)).toEqual([]);
  });
});

test("equal matrices give equal evidence, whatever the order of the trials", () => {
  const trials = [trial("b/two", caught), trial("a/one", elsewhere, caught), trial("c/missed")];
  const text = evidenceText(evidenceOf(killMatrix(trials, ["cancel/one", "cancel/two"])));
  const other = killMatrix(trials.toReversed(), ["cancel/two", "cancel/one"]);
  expect(evidenceText(evidenceOf(other))).toBe(text);
  expect(text).toBe(
    '{\n  "a/one": ["cancel/one"],\n  "b/two": ["cancel/one"],\n  "c/missed": []\n}\n',
  );
  expect(checksThatCaught(text)).toEqual(
    new Map([
      ["a/one", ["cancel/one"]],
      ["b/two", ["cancel/one"]],
    ]),
  );
});

describe("alarms of a run that must have none", () => {
  test.each([
    { finding: caught, alarm: "CANC-01 fail, cancel/one: " },
    {
      finding: { ...passed, verdict: "not-run", reason: "why" } as const,
      alarm: "CANC-02 not-run, cancel/two: why",
    },
  ])("$alarm", ({ finding, alarm }) => {
    expect(alarmsOf({ findings: [finding] })).toEqual([alarm]);
  });
});

describe("a permitted variation", () => {
  const variation = {
    name: "errors/text",
    describe: "Errors are text.",
    shows: { "ENDP-04": "text" },
    change: () => ({}),
  } as const;
  const read = { check: "endpoint/one", requirement: "ENDP-04", verdict: "pass" } as const;

  test("is right where nothing fails and its reading was seen", () => {
    const run = { findings: [{ ...read, reading: "text" }] };
    expect(variationProblems({ variation, run })).toEqual([]);
  });

  test("is wrong where another reading was seen", () => {
    const run = { findings: [{ ...read, reading: "empty body" }] };
    expect(variationProblems({ variation, run })).toEqual([
      'errors/text: ENDP-04 was to be read as "text" and was read as "empty body"',
    ]);
  });

  test("is wrong where something fails", () => {
    const run = { findings: [{ ...read, reading: "text" }, caught] };
    expect(variationProblems({ variation, run })).toHaveLength(1);
  });
});

test("a glob names faults, or the requirements they break", () => {
  const items = [fault, { ...fault, name: "other/bug", breaks: ["RUNA-01"] as const }];
  const names = (...globs: readonly string[]): readonly string[] =>
    chosen(items, globs, ({ breaks }) => breaks).map(({ name }) => name);
  expect(names()).toEqual(["area/bug", "other/bug"]);
  expect(names("area/*")).toEqual(["area/bug"]);
  expect(names("runa-*")).toEqual(["other/bug"]);
  expect(names("bug")).toEqual([]);
});
