import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { startReference } from "../../reference/start-reference.ts";
import { runCommandLine } from "../program.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { blocks, blockWith, prose } from "../../test/docs/pages.ts";
import { root } from "../../test/project.ts";

describe("the samples in TypeScript", () => {
  test("of a check is a check of the suite", () => {
    const source = readFileSync(join(root, "contracts/cancel/queued.ts"), "utf8");
    const lines = blockWith("docs/write-a-check.md", "ts").text.trimEnd().split("\n");
    expect(source).toContain(lines.map((line) => `  ${line}`).join("\n"));
  });

  test("of a script of k6 names what its harness has", () => {
    const { text } = blockWith("docs/write-a-scenario.md", "ts", "runWholeJob = ");
    const source = ["harness", "jobs", "settings", "whole-jobs"]
      .map((name) => readFileSync(join(root, `scenarios/k6/${name}.ts`), "utf8"))
      .join("\n");
    const called = [...text.matchAll(/\b(\w+)\(/g)].map(([, name = ""]) => name);
    expect(called).toEqual(expect.arrayContaining(["iteration", "submit", "valueOf"]));
    for (const name of called) expect(source).toMatch(new RegExp(`function ${name}[(<]`));
  });
});

describe("the samples of data", () => {
  test.each(blocks.filter(({ language }) => language === "json"))("of $page is JSON", (block) => {
    expect(() => void JSON.parse(block.text)).not.toThrow();
  });

  test("of a config file is taken as it stands", async () => {
    const workingDirectory = temporaryDirectory();
    const server = await startReference({ endpoints: [{ id: "my-endpoint", clock: "real" }] });
    onTestFinished(async () => server.stop());
    const text = blockWith("docs/test-my-server.md", "json", "baseUrl").text.replace(
      "http://127.0.0.1:8080",
      server.baseUrl,
    );
    writeFileSync(join(workingDirectory, "queueproof.config.json"), text);
    const environment = { QUEUEPROOF_API_KEY: server.apiKey };
    const io = fakeIo({ workingDirectory, environment });
    expect(await runCommandLine(["contract", "--dry-run"], io)).toBe(0);
    expect(io.output()).toContain(server.baseUrl);
  });

  test.each(["examples/pipelines/github.yml", "examples/pipelines/gitlab.yml"])(
    "%s is YAML",
    (path) => {
      expect(parse(readFileSync(join(root, path), "utf8"))).toBeTypeOf("object");
    },
  );

  test("are of no language that nothing here looks at", () => {
    // js and python are tested in test/foreign/shown-clients.full.test.ts, text and none in command-lines.test.ts.
    const looked = new Set(["sh", "ts", "json", "js", "python", "text", ""]);
    expect(blocks.filter(({ language }) => !looked.has(language))).toEqual([]);
  });
});

describe("the commands in the sentences of the docs", () => {
  const named = [...prose].flatMap(([page, text]) =>
    [...text.matchAll(/`(?:npx )?queueproof ([a-z][^`]*)`/g)].map(([, words = ""]) => ({
      page,
      words,
    })),
  );

  test("are there to look at", () => {
    expect(named.length).toBeGreaterThan(10);
  });

  test.each(named)("of $page exist with their options: $words", async ({ words }) => {
    const [command = "", ...rest] = words.split(/\s+/);
    const help = fakeIo();
    expect(await runCommandLine([command, "--help"], help)).toBe(0);
    const known = help.output().match(/--[a-z][a-z0-9-]*/g) ?? [];
    const used = rest.filter((word) => word.startsWith("--"));
    expect(known).toEqual(expect.arrayContaining(used));
  });
});
