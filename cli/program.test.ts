import { describe, expect, test } from "vitest";
import { requirementIds } from "../openapi/requirements.ts";
import { runCommandLine } from "./program.ts";
import { specificationText } from "./specification-text.ts";
import { fakeIo } from "../test/cli/fake-io.ts";

describe("wrong usage is exit code 2 and names the nearest right word", () => {
  test.each([
    { words: ["contrat"], error: 'unknown command "contrat"; did you mean "contract"?' },
    { words: ["lod"], error: /unknown command "lod"; did you mean "load"\?/ },
    {
      words: ["contract", "--base-ur", "x"],
      error: /unknown option --base-ur; did you mean "--base-url"\?/,
    },
    { words: ["contract", "--seed"], error: /--seed needs a value: --seed <n>/ },
    { words: ["contract", "stray"], error: /too many words for contract/ },
    {
      words: ["serve", "--dialect", "rp-local"],
      error: /--dialect: expected spec or runpod, got "rp-local"/,
    },
    { words: ["serve", "--fault", "none-such"], error: /there is no fault "none-such"/ },
    { words: ["serve", "--port", "70000"], error: /--port: expected an integer from 0 to 65535/ },
    {
      words: ["explain", "RUNNA-01"],
      error: /no requirement "RUNNA-01"; did you mean "RUNA-01"\?/,
    },
    { words: ["explain"], error: /explain needs <id>/ },
  ])("$words", async ({ words, error }) => {
    const io = fakeIo();
    expect(await runCommandLine(words, io)).toBe(2);
    expect(io.errors()).toMatch(error);
    expect(io.errors()).toMatch(/^error: [\s\S]*\nhint: {2}.*\n$/);
    expect(io.output()).toBe("");
  });

  test("no command at all prints the help", async () => {
    const io = fakeIo();
    expect(await runCommandLine([], io)).toBe(2);
    expect(io.errors()).toMatch(/^Usage: queueproof/);
  });
});

test("what stands behind a misspelt option is not repeated: it may be a key", async () => {
  const io = fakeIo();
  expect(await runCommandLine(["contract", "--api-ke=it's-my-key"], io)).toBe(2);
  expect(io.errors()).toMatch(/unknown option --api-ke/);
  expect(io.errors()).not.toContain("my-key");
});

describe("help and version", () => {
  test.each([["--help"], ["help"], ["contract", "--help"]])(
    "%s is exit code 0",
    async (...words) => {
      const io = fakeIo();
      expect(await runCommandLine(words, io)).toBe(0);
      expect(io.output()).toMatch(/^Usage: queueproof/);
    },
  );

  test("the help lists every exit code", async () => {
    const io = fakeIo();
    await runCommandLine(["--help"], io);
    const told = io.output().split("Exit codes: ")[1] ?? "";
    for (const code of [0, 1, 2, 3, 4, 130]) expect(told).toMatch(new RegExp(`\\b${code}\\b`));
  });

  test("every option's help names its variable", async () => {
    const io = fakeIo();
    await runCommandLine(["contract", "--help"], io);
    expect(io.output()).toContain("QUEUEPROOF_TIME_BUDGET");
    expect(io.output()).toContain("--url, --base-url <url>");
  });

  test("the version is that of the package", async () => {
    const io = fakeIo();
    expect(await runCommandLine(["--version"], io)).toBe(0);
    expect(io.output()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

test("a misspelt variable is warned of", async () => {
  const io = fakeIo({ environment: { QUEUEPROOF_BASEURL: "http://a.test" } });
  await runCommandLine(["--version"], io);
  expect(io.errors()).toMatch(
    /^warning: QUEUEPROOF_BASEURL .* did you mean "QUEUEPROOF_BASE_URL"\?/,
  );
});

describe("list", () => {
  test.each([
    ["client", "CLNT-01"],
    ["worker", "WORK-01"],
  ])("shows the requirements of a %s, each with its checks", async (catalogue, first) => {
    const io = fakeIo();
    expect(await runCommandLine(["list", "--catalogue", catalogue], io)).toBe(0);
    expect(io.output()).toContain(`\n${first} `);
    expect(io.output()).not.toMatch(/none yet|RUNA-01|SCENARIO/u);
  });

  test("shows every requirement once, aligned", async () => {
    const io = fakeIo();
    expect(await runCommandLine(["list"], io)).toBe(0);
    const [head = "", ...rows] = io.output().split("\n");
    const shown = rows.filter((row) => /^[A-Z0-9]{4}-\d\d /.test(row));
    expect(shown.map((row) => row.slice(0, 7))).toEqual(requirementIds);
    expect(
      shown.every((row) => /^(must|implied|open) /.test(row.slice(head.indexOf("LEVEL")))),
    ).toBe(true);
  });

  test("shows what a check needs where its requirement needs something else, and the scenarios", async () => {
    const io = fakeIo();
    await runCommandLine(["list"], io);
    expect(io.output()).toMatch(/^AUTH-06 .*auth\/refused-cancel-of-queued-job \(quick, slow\)/m);
    expect(io.output()).toMatch(/^steady-mix +quick +segment, k8s +\d+/m);
  });

  test("--json is an array a program can read", async () => {
    const io = fakeIo();
    expect(await runCommandLine(["list", "--json"], io)).toBe(0);
    const entries: unknown = JSON.parse(io.output());
    expect(entries).toHaveLength(requirementIds.length);
    expect(entries).toContainEqual(
      expect.objectContaining({ id: "POLI-05", realTimeMs: 600_000, needs: ["handler"] }),
    );
  });

  test("has no colour outside a terminal, and none on one with NO_COLOR", async () => {
    const terminal = fakeIo({ terminal: true });
    await runCommandLine(["list"], terminal);
    expect(terminal.output()).toContain("\u001B[1m");

    for (const io of [fakeIo(), fakeIo({ terminal: true, environment: { NO_COLOR: "1" } })]) {
      await runCommandLine(["list"], io);
      expect(io.output()).not.toContain("\u001B");
    }
  });
});

test("explain shows what the specification says of every requirement", async () => {
  for (const id of requirementIds) expect(specificationText(id)).not.toBe("");
  const io = fakeIo();
  await runCommandLine(["explain", "RUNA-01"], io);
  const said =
    "  run answers as soon as the job is accepted, with its id and the status `IN_QUEUE`.";
  expect(io.output()).toContain(`What the specification says\n${said}`);
});

test("explain tells the sentence, the readings, the checks and how to repeat", async () => {
  const io = fakeIo();
  expect(await runCommandLine(["explain", "runa-03"], io)).toBe(0);
  const page = "docs/specification.md#runa-03";
  for (const part of ["HTTP status of a payload", page, "- 413", "Checks", "--only RUNA-03"]) {
    expect(io.output()).toContain(part);
  }
});
