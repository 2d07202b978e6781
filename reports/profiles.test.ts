import { describe, expect, test } from "vitest";
import { idsOfProfile, requirementIds, requirements } from "../openapi/requirements.ts";
import { profileNames } from "../openapi/profiles.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { writeBadge } from "./badge.ts";
import { writeCtrf } from "./ctrf.ts";
import { writeHtml } from "./html/write-html.ts";
import { writeJson } from "./json.ts";
import { writeJunit } from "./junit.ts";
import { writeMarkdown } from "./markdown.ts";
import { mergeReports } from "./merge-reports.ts";
import type { Report, ReportProfile } from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { parseReport } from "./parse-report.ts";
import { profilesOf, profilesText, sharesText } from "./profiles.ts";
import { resultOf, sampleReport } from "../test/reports/sample-results.ts";
import { verifyReport } from "./verify.ts";

const storage = idsOfProfile("storage");
const streaming = idsOfProfile("streaming");

/** Makes a report in which each of these requirements has the given verdict. */
function reportOf(verdicts: readonly (readonly [RequirementId, Verdict])[]): Report {
  return sampleReport(
    verdicts.map(([id, verdict]) => resultOf(id, { covers: [id], verdict, reason: verdict })),
  );
}

function all(
  ids: readonly RequirementId[],
  verdict: Verdict,
): (readonly [RequirementId, Verdict])[] {
  return ids.map((id) => [id, verdict]);
}

function profileIn({ profiles = [] }: Report, wanted: string): ReportProfile | undefined {
  return profiles.find(({ name }) => name === wanted);
}

test("every requirement is in one profile, and every profile has some", () => {
  const ids = profileNames.flatMap(idsOfProfile);
  expect(ids.toSorted()).toEqual(requirementIds.toSorted());
  expect(profileNames.filter((name) => idsOfProfile(name).length === 0)).toEqual([]);
});

describe("a profile is", () => {
  // The first is what takes more than a plain server, the others are the base.
  const [first = "S3CF-01", second = "S3CF-02", third = "S3CF-03"] = storage;

  test.each([
    { verdict: "conformant", of: all(storage, "pass"), missing: [], extended: 1 },
    { verdict: "conformant", of: all([second, third], "pass"), missing: [], extended: 0 },
    {
      verdict: "broken",
      of: [...all([third], "pass"), ...all([second], "fail")],
      missing: [second],
      extended: 0,
    },
    {
      verdict: "broken",
      of: [...all([second, third], "pass"), ...all([first], "fail")],
      missing: [first],
      extended: 0,
    },
    { verdict: "broken", of: all([third], "fail"), missing: [third, second], extended: 0 },
    { verdict: "partly", of: all([first, third], "pass"), missing: [second], extended: 1 },
    {
      verdict: "partly",
      of: [...all([first, second], "pass"), ...all([third], "inconclusive")],
      missing: [third],
      extended: 1,
    },
    {
      verdict: "untested",
      of: all([second], "inconclusive"),
      missing: [second, third],
      extended: 0,
    },
    { verdict: "untested", of: [], missing: [second, third], extended: 0 },
  ] as const)("$verdict, missing $missing", ({ verdict, of, missing, extended }) => {
    const pass = of.filter(([, each]) => each === "pass").length;
    expect(profileIn(reportOf(of), "storage")).toEqual({
      name: "storage",
      verdict,
      pass,
      of: 3,
      extended: { pass: extended, of: 1 },
      missing: [...missing],
    });
  });

  test("told with how much was seen of what takes more than a plain server", () => {
    const base = profilesText(reportOf(all([second, third], "pass")), ["conformant"]);
    expect(base).toBe("conformant: storage (base, and 0 of 1 that take more)");
    expect(profilesText(reportOf(all(storage, "pass")), ["conformant"])).toBe(
      "conformant: storage",
    );
  });

  test("conformant without its open ones, and broken by one that shows no permitted reading", () => {
    const open = streaming.filter((id) => requirements[id].level === "open");
    const demanded = streaming.filter((id) => !open.includes(id) && !requirements[id].isExtended);
    expect(open).not.toEqual([]);
    const without = profileIn(reportOf(all(demanded, "pass")), "streaming");
    expect(without).toMatchObject({ verdict: "conformant", pass: demanded.length, missing: [] });
    const against = reportOf([...all(demanded, "pass"), ...all(open, "fail")]);
    expect(profileIn(against, "streaming")).toMatchObject({ verdict: "broken", missing: open });
  });
});

describe("the shares", () => {
  test.each([
    [[], `0 of ${requirementIds.length} (0 %)`],
    [
      all(storage.slice(0, 1), "pass"),
      `1 of ${requirementIds.length} (0 %), of which 1 holds (100 %)`,
    ],
    [
      [...all(storage.slice(0, 2), "pass"), ...all(storage.slice(2), "fail")],
      `3 of ${requirementIds.length} (2 %), of which 2 hold (66 %)`,
    ],
    [
      all(requirementIds, "pass"),
      `${requirementIds.length} of ${requirementIds.length} (100 %), of which ${requirementIds.length} hold (100 %)`,
    ],
  ] as const)("of %j", (verdicts, text) => {
    expect(sharesText(reportOf(verdicts))).toBe(text);
  });

  test("stand in the summary", () => {
    const half = reportOf([
      ...all(requirementIds.slice(0, 34), "pass"),
      ...all(requirementIds.slice(34, 68), "fail"),
    ]);
    expect(half.summary.shares).toEqual({ decided: 68 / requirementIds.length, held: 0.5 });
    expect(reportOf([]).summary.shares).toEqual({ decided: 0 });
  });
});

describe("in every format", () => {
  const report = reportOf([
    ...all(storage, "pass"),
    ...all(streaming.slice(0, 2), "pass"),
    ...all(["CANC-01"], "fail"),
  ]);
  const told = profilesText(report);

  test("the text names them by verdict", () => {
    expect(told).toMatch(
      /^conformant: storage; broken: job-control \(0 of \d+\); partly: streaming \(2 of 5\); untested: core, policy, /,
    );
  });

  test.each([
    ["badge", writeBadge, "queueproof: conformant: storage; broken: job-control"],
    ["junit", writeJunit, `name="queueproof.profiles" value="${told}"`],
    ["junit, each", writeJunit, 'name="queueproof.profile.streaming" value="partly"'],
    ["ctrf", writeCtrf, '"verdict": "conformant"'],
    ["markdown", writeMarkdown, "| storage | conformant | 3 of 3 |"],
    ["html", writeHtml, "<td>2 of 5</td>"],
    ["json", writeJson, '"name": "streaming"'],
  ])("%s", (_, write, part) => {
    expect(write(report)).toContain(part);
  });
});

test("several reports together conform to what none of them does alone", () => {
  const parts = storage.map((id) => reportOf(all([id], "pass")));
  const [first = reportOf([]), ...others] = parts;
  expect(profileIn(first, "storage")?.verdict).toBe("partly");
  expect(profileIn(mergeReports(first, ...others), "storage")?.verdict).toBe("conformant");
});

test("a report of before there were profiles is read, written and put beside others as it was", () => {
  const {
    profiles: _profiles,
    specification: _specification,
    summary,
    ...rest
  } = reportOf(all(storage, "pass"));
  const { shares: _shares, ...counts } = summary;
  const old = parseReport(writeJson({ ...rest, summary: counts }), "old.json");
  expect(old.profiles).toBeUndefined();
  expect(verifyReport(writeJson(old), old.tool.version).problems).toEqual([]);
  expect(profilesText(old)).toBe("");
  for (const write of [writeBadge, writeHtml, writeMarkdown, writeJunit, writeCtrf]) {
    expect(write(old)).not.toMatch(/conformant|Profiles/);
  }
  expect(profilesOf(old.requirements)).toEqual(mergeReports(old, old).profiles);
});
