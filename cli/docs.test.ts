import { execFile } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const blocks: readonly Block[] = pages.flatMap((page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^```(\w*)\n(.*?)^```/gms)].map(
    ([, language = "", text = ""]) => ({ page, language, text }),
  ),
);

/** Pages whose command lines are run as they stand, in their order. */
const executedPages = ["docs/compare-runs.md"];

const needsServer = "a server, an endpoint or a key that only the reader has";
const ownCommand = "a command of the repository itself, which .ci/run runs";

/** Beginnings of command lines that are not run here, each with the reason. */
const notExecuted: Readonly<Record<string, string>> = {
  "npm ": ownCommand,
  ".ci/run": ownCommand,
  "QUEUEPROOF_BASE_URL=": needsServer,
  "export QUEUEPROOF_": needsServer,
  "export BASE_URL=": needsServer,
  "export RUNPOD_": needsServer,
  "npx queueproof contract": needsServer,
  "npx queueproof serve": "runs until it is stopped; main.test.ts starts it",
  "node dist/cli/main.js contract": needsServer,
  "RUNPOD_POD_ID=": "a worker of the reader's own",
};

const linesElsewhere = blocks
  .filter(({ page, language }) => language === "sh" && !executedPages.includes(page))
  .flatMap(({ page, text }) => text.split("\n").map((line) => ({ page, line })))
  .filter(({ line }) => line.trim() !== "");

describe("the command lines of the docs", () => {
  test.each(executedPages)(
    "of %s all work",
    async (page) => {
      const directory = temporaryDirectory();
      const npx = join(directory, "npx");
      const main = join(root, "dist/cli/main.js");
      writeFileSync(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${main}' "$@"\n`);
      chmodSync(npx, 0o755);
      const own = blocks.filter((block) => block.page === page && block.language === "sh");
      const script = ["set -e", `PATH="${directory}:$PATH"`, ...own.map(({ text }) => text)];
      const options = { cwd: directory, timeout: 110_000 };
      const { stdout } = await promisify(execFile)("sh", ["-c", script.join("\n")], options);
      expect(stdout).toContain("No regression; no verdict changed.");
      expect(stdout).toContain("AUTH-02 is pass, as it was.");
      expect(stdout.match(/ is whole and untouched\./g)).toHaveLength(2);
    },
    120_000,
  );

  test("elsewhere are each left out for a reason that is given", () => {
    const unknown = linesElsewhere.filter(
      ({ line }) => !Object.keys(notExecuted).some((start) => line.startsWith(start)),
    );
    expect(unknown).toEqual([]);
  });

  test.each(Object.keys(notExecuted))("still begin with %j somewhere", (start) => {
    expect(linesElsewhere.some(({ line }) => line.startsWith(start))).toBe(true);
  });
});

test.each(blocks.filter(({ language }) => language === "json"))(
  "the JSON of $page is JSON",
  ({ text }) => {
    expect(() => void JSON.parse(text)).not.toThrow();
  },
);
