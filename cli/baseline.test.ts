import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fakeIo } from "../test/cli/fake-io.ts";
import { describe, expect, test } from "vitest";
import {
  ensureBaselineWritable,
  judgeByBaseline,
  readBaseline,
  updatedBaseline,
  withKnownFailures,
  writeBaseline,
} from "./baseline.ts";
import { summaryText } from "./progress/summary.ts";
import { reportOf } from "../test/cli/report.ts";
import { writeCtrf } from "../reports/ctrf.ts";
import { writeJunit } from "../reports/junit.ts";
import { mergeReports } from "../reports/merge-reports.ts";
import { verdictSentence } from "../reports/sentence.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

function fileWith(text: string): string {
  const path = join(temporaryDirectory(), "baseline.txt");
  writeFileSync(path, text);
  return path;
}

describe("a baseline file", () => {
  test("has an id and its reason on each line, and comments", () => {
    const path = fileWith(
      "# known\n\nRUNA-02  the gateway cuts at 8 MB  # until May\nSYNC-05 slow\n",
    );
    expect([...readBaseline(path, false)]).toEqual([
      ["RUNA-02", "the gateway cuts at 8 MB"],
      ["SYNC-05", "slow"],
    ]);
  });

  test("is refused with every line that has no reason or stands twice", () => {
    const path = fileWith("RUNA-02\nSYNC-05 slow\nSYNC-05 slow\n");
    const problems = [
      `${path}:1: RUNA-02 has no reason: write it after the id`,
      `${path}:3: SYNC-05 stands there twice`,
    ];
    expect(() => readBaseline(path, false)).toThrow(
      expect.objectContaining({ code: "WRONG_USAGE", problems }),
    );
  });

  test("may be missing only where it is about to be written", () => {
    const path = join(temporaryDirectory(), "none.txt");
    expect(readBaseline(path, true).size).toBe(0);
    expect(() => readBaseline(path, false)).toThrow(/cannot be read/);
  });
});

test.each([
  { what: "in a directory that is missing", path: (home: string) => join(home, "none", "a.txt") },
  { what: "that is a directory", path: (home: string) => home },
])("a baseline $what is refused before the run that would write it", async ({ path }) => {
  await expect(ensureBaselineWritable(path(temporaryDirectory()))).rejects.toMatchObject({
    code: "WRONG_USAGE",
  });
  await expect(writeBaseline(path(temporaryDirectory()), new Map())).rejects.toMatchObject({
    code: "WRONG_USAGE",
  });
});

test("an update takes in what fails, takes out what passes, keeps what was not decided", async () => {
  const before = new Map([
    ["RUNA-01", "old, now passing"],
    ["RUNA-02", "the gateway cuts at 8 MB"],
    ["SYNC-05", "not run today"],
    ["RUNA-99", "of another catalogue"],
  ]);
  const report = reportOf({ "RUNA-01": "pass", "RUNA-02": "fail", "RUNA-03": "fail" });
  const after = updatedBaseline(before, report);
  expect([...after].toSorted(([a], [b]) => a.localeCompare(b))).toEqual(
    [
      ["RUNA-02", "the gateway cuts at 8 MB"],
      ["RUNA-03", "not yet explained"],
      ["SYNC-05", "not run today"],
      ["RUNA-99", "of another catalogue"],
    ].toSorted(([a = ""], [b = ""]) => a.localeCompare(b)),
  );

  const path = join(temporaryDirectory(), "baseline.txt");
  await writeBaseline(path, after);
  expect(readBaseline(path, false)).toEqual(after);
});

describe("a file that an update writes", () => {
  test("keeps comments, and the lines of what stays, as they are", async () => {
    const lines = [
      "# Ours.",
      "",
      "RUNA-02\tsee issue #12 and #13  # until May",
      "SYNC-05 slow",
      "# The end.",
    ];
    const path = fileWith(`${lines.join("\n")}\n`);
    const baseline = readBaseline(path, true);
    expect(baseline.get("RUNA-02")).toBe("see issue #12 and #13");
    const after = new Map([...baseline, ["AUTH-01", "not yet explained"]]);
    after.delete("SYNC-05");
    await writeBaseline(path, after);
    const [first, second, third, , last] = lines;
    const written = [first, second, third, last, "AUTH-01  not yet explained", ""].join("\n");
    expect(readFileSync(path, "utf8")).toBe(written);
    expect(readdirSync(dirname(path))).toEqual(["baseline.txt"]);
  });

  test.each([
    ["prose", "hello world\nthis is a letter\n"],
    ["a script", "RUNA-02 known\nrm -rf /\nif then\n$HOME is here\n"],
    ["a list of words", "well-known fact\n"],
  ])("is a baseline beyond doubt: %s is refused", (_, text) => {
    const path = fileWith(text);
    expect(() => readBaseline(path, true)).toThrow(
      expect.objectContaining({ code: "WRONG_USAGE", message: "the baseline cannot be used:" }),
    );
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});

describe("a cause in a baseline", () => {
  const failing = reportOf({ "AUTH-02": "fail", "STAT-01": "fail", "RUNA-01": "pass" });
  const told = {
    ...failing,
    requirements: failing.requirements.map((entry) =>
      entry.id === "RUNA-01" ? entry : { ...entry, cause: "key-not-asked" },
    ),
    causes: [
      { id: "key-not-asked", text: "t", requirements: ["AUTH-02"], checks: 1, evidence: [] },
    ],
  };
  const baseline = new Map([["key-not-asked", "it is a local server"]]);

  test("covers all that fails under it, and stays", () => {
    const { unexpected, remarks, stale } = judgeByBaseline(baseline, told);
    expect({ unexpected, stale }).toEqual({ unexpected: [], stale: false });
    expect(remarks).toContain("Expected failure AUTH-02 (key-not-asked): it is a local server");
    expect([...updatedBaseline(baseline, told)]).toEqual([...baseline]);
  });

  test("that the report of a whole run does not tell is no longer true", () => {
    const mended = { ...failing, causes: [] };
    const judged = judgeByBaseline(baseline, mended);
    expect(judged.stale).toBe(true);
    expect(judged.unexpected).toEqual(["AUTH-02", "STAT-01"]);
    expect(judgeByBaseline(baseline, { ...mended, interrupted: true }).stale).toBe(false);
  });
});

describe("a failure that a baseline expects", () => {
  const report = reportOf({ "AUTH-01": "fail", "RUNA-02": "fail", "SUBM-01": "pass" });
  const known = withKnownFailures(report, new Map([["RUNA-02", "the gateway cuts at 8 MB"]]));

  test("is listed on the terminal apart from what is broken, with its reason", () => {
    const shown = { report: known, paths: [], remarks: [], repeatLineOf: () => "again" };
    const text = summaryText(shown, fakeIo());
    expect(text).toMatch(/\nknown failure RUNA-02 {2}.+\n {2}the gateway cuts at 8 MB\n/);
    expect(text).not.toContain("fail RUNA-02");
    expect(text).toContain("fail AUTH-01");
  });

  test("is a known one in the first sentence, beside what is broken", () => {
    expect(verdictSentence(known)).toContain("holds, 1 is broken, 1 known failure, ");
    const all = withKnownFailures(known, new Map([["AUTH-01", "no key on a laptop"]]));
    expect(verdictSentence(all)).toContain("holds, none is broken, 2 known failures, ");
  });

  test("is a skipped case of junit.xml, with the reason, and of ctrf.json", () => {
    const junit = writeJunit(known);
    expect(junit.match(/<failure/g)).toHaveLength(1);
    expect(junit).toContain("known failure, the gateway cuts at 8 MB: fail for a reason");
    const counts = writeCtrf(known);
    expect(counts).toMatch(/"failed": 1,\n\s+"skipped": 134,/);
  });

  test("stays known in a merged report where all that have it expect it", () => {
    const knownIn = (one: typeof report, other: typeof report): string | undefined =>
      mergeReports(one, other).requirements.find(({ id }) => id === "RUNA-02")?.known;
    expect(knownIn(known, known)).toBe("the gateway cuts at 8 MB");
    expect(knownIn(known, report)).toBeUndefined();
  });
});
