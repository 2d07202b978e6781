import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { writeReports } from "../reports/write.ts";
import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { reportOf } from "../test/cli/report.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

let directory = "";

beforeEach(async () => {
  directory = join(temporaryDirectory(), "mein Bericht ü 報告");
  await writeReports(reportOf({ "AUTH-01": "fail" }), { directory, formats: ["json"] });
  const text = readFileSync(join(directory, "report.json"), "utf8");
  const files = {
    "half.json": text.slice(0, text.length / 2),
    "later.json": text.replace("queueproof-report/1", "queueproof-report/2"),
    "junk.json": "x".repeat(5_000_000),
    "deep.json": "[".repeat(1_000_000),
    "member.json": text.replace("{", `{"stray":${"[".repeat(20_000)}${"]".repeat(20_000)},`),
    "empty.json": "",
    "object.json": "{}",
    "null.json": "null",
  };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(directory, name), content);
  mkdirSync(join(directory, "folder"));
});

const badReports = [
  { file: "none.json", says: /none\.json cannot be read\n.*ENOENT/ },
  { file: "folder", says: /folder cannot be read\n.*EISDIR/ },
  { file: "half.json", says: /half\.json .*\n.*cut off after \d+ characters/ },
  { file: "later.json", says: /later\.json .*\n.*\/schema is not queueproof-report\/1/ },
  { file: "junk.json", says: /junk\.json .*\n.*not valid JSON/ },
  { file: "deep.json", says: /deep\.json .*\n.*nested more than 100 deep/ },
  { file: "member.json", says: /member\.json .*\n.*nested more than 100 deep/ },
  { file: "empty.json", says: /empty\.json .*\n.*the file is empty/ },
  { file: "object.json", says: /object\.json .*\n.*without the member "schema"/ },
  { file: "null.json", says: /null\.json .*\n.*without the member "schema"/ },
];

describe.each(badReports)("a report that is $file", ({ file, says }) => {
  test.each([
    ["report", file],
    ["compare", file, "report.json"],
    ["compare", "report.json", file],
    ["replay", file, "AUTH-01"],
  ])("is refused by %s %s %s, and nothing is written", async (...words) => {
    const io = fakeIo({ workingDirectory: directory });
    expect(await runCommandLine(words, io)).toBe(2);
    // compare reads the reports in a folder.
    const isFolder = file === "folder" && words[0] === "compare";
    expect(io.errors()).toMatch(isFolder ? /folder holds no report\.json/ : says);
    expect(io.errors()).toMatch(/^error: [^]*\nhint: {2}\S/);
  });

  test("is told by verify", async () => {
    const io = fakeIo({ workingDirectory: directory });
    // verify answers no (1) for a file that it can read but that is no report; 2 for one that it cannot read.
    const unread = says.source.includes("cannot be read");
    expect(await runCommandLine(["verify", file], io)).toBe(unread ? 2 : 1);
    expect(io.output() + io.errors()).toMatch(says);
  });
});

describe("a file that is a directory, or a directory that is a file", () => {
  test.each([
    { words: ["contract", "--config", "folder"], says: /folder cannot be read\n.*EISDIR/ },
    { words: ["contract", "--baseline", "folder"], says: /folder cannot be read\n.*EISDIR/ },
    { words: ["contract", "--dialect", "folder"], says: /--dialect folder[^]*EISDIR/ },
    { words: ["serve", "--endpoints", "folder"], says: /folder cannot be read\n.*EISDIR/ },
    { words: ["contract", "--report", "null.json"], says: /null\.json: ENOTDIR/ },
    { words: ["report", "report.json", "--report", "null.json"], says: /null\.json: ENOTDIR/ },
    { words: ["init", "--config", "none/q.json"], says: /q\.json cannot be written\n.*ENOENT/ },
    {
      words: ["contract", "--baseline", "none/b.txt", "--baseline-update", "--report", "out"],
      says: /b\.txt cannot be written\n.*ENOENT/,
    },
  ])("is told of $words", async ({ words, says }) => {
    const io = fakeIo({ workingDirectory: directory });
    expect(await runCommandLine(words, io)).toBe(2);
    expect(io.errors()).toMatch(says);
    expect(io.errors()).toMatch(/\nhint: {2}\S/);
  });
});

describe("a file that is nested deeper than any of ours", () => {
  test.each([
    ["contract", "--config"],
    ["contract", "--dialect"],
    ["serve", "--endpoints"],
  ])("is told of %s %s", async (...words) => {
    const io = fakeIo({ workingDirectory: directory });
    expect(await runCommandLine([...words, "member.json"], io)).toBe(2);
    expect(io.errors()).toMatch(/member\.json[^]*nested more than 100 deep[^]*\nhint: {2}\S/);
  });
});

test("a path with spaces and letters of any script is as good as another", async () => {
  const io = fakeIo({ workingDirectory: directory });
  expect(await runCommandLine(["report", "report.json", "--report", "ein ü"], io)).toBe(0);
  expect(await runCommandLine(["verify", "ein ü/report.json"], io)).toBe(0);
  expect(io.output()).toContain(join(directory, "ein ü", "report.html"));
});
