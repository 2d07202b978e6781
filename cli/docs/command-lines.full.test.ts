import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { faultNamed } from "../../proof/faults/faults.ts";
import type { Reference } from "../../reference/start-reference.ts";
import manifest from "../../package.json" with { type: "json" };
import { record } from "../../test/cli/record.ts";
import { blocks, blockWith } from "../../test/docs/pages.ts";
import { readersDirectory, runLines, startLine, withServer } from "../../test/docs/shell.ts";

/** A block of command lines that runs unchanged, with a server where the page leaves it to the reader. */
interface Run {
  readonly page: string;
  /** How the block's first line begins. */
  readonly begins: string;
  /** Variables that make the run short, so that the line itself stays as printed. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly prints: readonly RegExp[];
  /** The exit code where the page shows a failure; default 0. */
  readonly exitCode?: number;
  /** Contents of the reader's files, according to the page. */
  readonly files?: Readonly<Record<string, string>>;
}

const short = { QUEUEPROOF_ONLY: "AUTH-01" };
const planOnly = { QUEUEPROOF_DRY_RUN: "true" };
const passed = /Requirements: 1 passed, 0 failed/;
const myServer = "docs/test-my-server.md";
const local = "docs/local-development.md";

const runs: readonly Run[] = [
  {
    page: "README.md",
    begins: "npx queueproof contract --base-url",
    environment: short,
    prints: [passed],
  },
  {
    page: "README.md",
    begins: "npx queueproof contract --control",
    environment: short,
    prints: [passed],
  },
  {
    page: "README.md",
    begins: "QUEUEPROOF_BASE_URL=",
    environment: short,
    prints: [/\b2 passed, 0 failed/],
  },
  {
    page: "docs/dialects.md",
    begins: "npx queueproof contract --dialect",
    environment: planOnly,
    files: { "our-dialect.json": blockWith("docs/dialects.md", "json").text },
    // The server here does not have the paths of the second dialect, so the run says that.
    prints: [/\bAUTH-01\b/, /no job API was found at .*a dialect's basePath names another place/s],
    exitCode: 3,
  },
  {
    page: "docs/dialects.md",
    begins: "export QUEUEPROOF_API_KEY=",
    environment: {},
    prints: [/Wrote ours\.json: what was learned/],
  },
  {
    page: "docs/evidence/proof.md",
    begins: "node dist/cli/main.js contract",
    environment: planOnly,
    prints: [/\bAUTH-01\b/],
  },
  {
    page: myServer,
    begins: "export QUEUEPROOF_BASE_URL=",
    environment: short,
    prints: [passed],
  },
  {
    page: myServer,
    begins: "npx queueproof contract --wait-for-target",
    environment: {
      QUEUEPROOF_CONTROL: "http://127.0.0.1:8080/__control",
      QUEUEPROOF_ONLY: "AUTH-*,SUBM-*,RUNA-02",
    },
    files: { "known-failures.txt": blockWith(myServer, "text").text },
    prints: [/Expected failure RUNA-02: the gateway cuts bodies/],
  },
];

const serves: readonly Pick<Run, "page" | "begins" | "files">[] = [
  { page: "README.md", begins: "npm run build && node dist/cli/main.js serve" },
  { page: local, begins: "queueproof serve --port" },
  { page: local, begins: "queueproof serve --json" },
  {
    page: local,
    begins: "queueproof serve --endpoints",
    files: { "endpoints.json": blockWith(local, "json", '"endpoints"').text },
  },
  { page: local, begins: "queueproof serve --state" },
  {
    page: local,
    begins: "queueproof serve --handler",
    files: { "handler.json": blockWith(local, "json", '"the model cannot be loaded"').text },
  },
  { page: "docs/real-workers.md", begins: "npx queueproof serve" },
];

/** Blocks that need several processes or earlier blocks of their page; each has its own test below. */
const toldApart = [
  { page: "docs/compare-runs.md", begins: "" },
  { page: myServer, begins: "npx queueproof serve" },
  // judge-pages.full.test.ts
  { page: "docs/judge-your-client.md", begins: "" },
  { page: "docs/judge-your-traffic.md", begins: "" },
  { page: "docs/test-my-worker.md", begins: "" },
  // release-page.full.test.ts
  { page: "docs/before-a-release.md", begins: "" },
  // first-run.full.test.ts
  { page: "docs/first-run.md", begins: "" },
];

/** Blocks that are not run here, with reasons. */
const leftOut = [
  { page: "README.md", begins: "npm ci", reason: "takes minutes: .ci/run runs it" },
  {
    page: "docs/architecture.md",
    begins: "npm run lint",
    reason: "takes minutes: .ci/run runs it",
  },
  {
    page: local,
    begins: "export BASE_URL=",
    reason:
      "variables of the clients below it, which test/foreign/shown-clients.full.test.ts sets and runs",
  },
  {
    page: "docs/behind-a-gateway.md",
    begins: "export QUEUEPROOF_BASE_URL=",
    reason: "a gateway: test/foreign/gateway.full.test.ts runs these options through a real one",
  },
  {
    page: "docs/load.md",
    begins: "queueproof load",
    reason: "three machines and k6: only its plan is printed here",
  },
  {
    page: "docs/real-workers.md",
    begins: "RUNPOD_POD_ID=",
    reason: "a worker in Python: test/foreign/ runs real ones",
  },
];

let server: Reference;

beforeAll(async () => {
  // The server accepts less than it should, as known-failures.txt says.
  const fault = faultNamed("run/ten-megabytes-are-too-many");
  const behaviour = changed(specified, fault?.change(specified) ?? {});
  server = await startReference({ behaviour, endpoints: [{ clock: "real" }] });
});

afterAll(async () => server.stop());

function linesOf({ page, begins }: Pick<Run, "page" | "begins">): string {
  const found = blocks.filter((block) => block.page === page && block.language === "sh");
  return found.find(({ text }) => text.startsWith(begins))?.text ?? "exit 64";
}

function directoryWith(files: Readonly<Record<string, string>> = {}): string {
  const directory = readersDirectory();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

describe("the command lines of the docs", () => {
  test.each(runs)(
    "of $page run: $begins",
    async (run) => {
      const directory = directoryWith(run.files);
      const lines = withServer(linesOf(run), server);
      const variables = Object.entries(run.environment ?? {}).map(
        ([name, value]) => [name, withServer(value, server)] as const,
      );
      const { exitCode, output } = await runLines(lines, directory, Object.fromEntries(variables));
      for (const pattern of run.prints) expect(output).toMatch(pattern);
      expect(exitCode).toBe(run.exitCode ?? 0);
    },
    120_000,
  );

  test.each(serves)(
    "of $page start and stop: $begins",
    async (row) => {
      const started = startLine(
        linesOf(row).replace("--port 8080", "--port 0"),
        directoryWith(row.files),
      );
      const url = await started.printed(/http:\/\/127\.0\.0\.1:\d+/);
      expect((await fetch(`${url}/metrics`)).status).toBe(200);
      expect((await started.stop()).exitCode).toBe(0);
    },
    120_000,
  );

  test("of docs/load.md share out the rates of k6", async () => {
    const [command = ""] = linesOf({ page: "docs/load.md", begins: "queueproof load" }).split(/ #/);
    const lines = withServer(command, server);
    const { exitCode, output } = await runLines(lines, readersDirectory(), planOnly);
    expect(output).toMatch(/\bRATE-02\b/);
    expect(exitCode).toBe(0);
  });

  test("of docs/compare-runs.md work in their order", async () => {
    const own = blocks.filter(
      ({ page, language }) => page === "docs/compare-runs.md" && language === "sh",
    );
    const lines = own.map(({ text }) => text).join("\n");
    const { exitCode, output } = await runLines(lines, readersDirectory());
    expect(output).toContain("No regression; no verdict changed.");
    expect(output).toContain("AUTH-02 passes, as before.");
    expect(output.match(/ is whole and untouched\./g)).toHaveLength(2);
    expect(exitCode).toBe(0);
  });

  test("show a server that is broken on purpose", async () => {
    const [serve = "", contract = ""] = linesOf({
      page: myServer,
      begins: "npx queueproof serve",
    }).split("\n");
    const directory = readersDirectory();
    const started = startLine(serve.replace("--port 8080", "--port 0"), directory);
    const url = await started.printed(/http:\/\/127\.0\.0\.1:\d+/);
    const lines = contract.replace("http://127.0.0.1:8080", url);
    const { exitCode, output } = await runLines(lines, directory);
    expect(output).toMatch(/fail +AUTH-02/);
    expect(exitCode).toBe(1);
    await started.stop();
  });

  test("are each run here, or left out for a reason that is given", () => {
    const known = [...runs, ...serves, ...toldApart, ...leftOut];
    const unknown = blocks.filter(
      ({ page, language, text }) =>
        language === "sh" && !known.some((row) => row.page === page && text.startsWith(row.begins)),
    );
    expect(unknown).toEqual([]);
  });

  test("of the repository itself are scripts that there are", () => {
    const { text } = blockWith("docs/architecture.md", "sh", "npm run lint");
    const named = [...text.matchAll(/^npm run (\S+)/gm)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named));
  });

  test.each([...toldApart, ...leftOut])("still begin with $begins in $page", (row) => {
    expect(linesOf(row)).not.toBe("exit 64");
  });
});

describe("what the docs say that serve prints", () => {
  test("is its first line with --json", async () => {
    const shown: unknown = JSON.parse(blockWith(local, "json", '"foreignKey"').text);
    const started = startLine("queueproof serve --json --port 0", readersDirectory());
    const printed: unknown = JSON.parse(await started.printed(/^\{.*\}$/m));
    expect(Object.keys(record(printed))).toEqual(Object.keys(record(shown)));
    await started.stop();
  });

  test("is the refusal of a file of endpoints", async () => {
    const wrong = { endpoints: [{ id: "a", wrkers: 1 }, { id: "b", clock: "virtul" }, {}] };
    const directory = directoryWith({ "endpoints.json": JSON.stringify(wrong) });
    const line = "queueproof serve --endpoints endpoints.json";
    const { exitCode, output } = await runLines(line, directory);
    expect(output.replace(directory, "/home/me")).toBe(
      blockWith(local, "", "not a file of endpoints").text,
    );
    expect(exitCode).toBe(2);
  });

  test("is the refusal of a state file", async () => {
    const directory = directoryWith({ "jobs.db": "of another program" });
    const { output } = await runLines("queueproof serve --state jobs.db", directory);
    expect(output.replace(`${directory}/`, "")).toBe(blockWith(local, "", "not a state file").text);
  });
});
