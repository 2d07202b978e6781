import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

import { startReference } from "../reference/start-reference.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";
import { running } from "../test/running-server.ts";
import { runCommandLine } from "./program.ts";

const apiKey = "key-of-the-owner";
const tests = {
  tests: [
    { name: "words", input: { prompt: "words" } },
    { name: "bad", input: { prompt: 1 } },
    { name: "count", input: { prompt: "count" } },
    { name: "never", input: { prompt: "never" }, timeout: 300 },
  ],
  config: { env: [] },
};

/** The words that lead to a server whose handler wants a prompt, and a folder with tests for it. */
async function owner(file: object): Promise<{ words: string[]; workingDirectory: string }> {
  const server = await startReference({
    control: false,
    endpointId: "e",
    apiKey,
    defaultEndpoint: { workers: 4 },
    handler: [
      { input: { prompt: "words" }, output: { text: "three words" } },
      { input: { prompt: "count" }, chunks: [{ n: 1 }, { n: 2 }] },
      { input: { prompt: "never" }, delayMs: 500_000 },
      { error: "a prompt is wanted" },
    ],
  });
  onTestFinished(() => server.stop());
  const workingDirectory = temporaryDirectory();
  mkdirSync(join(workingDirectory, ".runpod"));
  writeFileSync(join(workingDirectory, ".runpod/tests.json"), JSON.stringify(file));
  return { words: ["--base-url", server.baseUrl, "--endpoint", "e"], workingDirectory };
}

test("tests that people have stand in place of a jobs file, told apart by what they do", async () => {
  const { words, workingDirectory } = await owner(tests);
  const io = fakeIo({ workingDirectory });
  const jobs = ["--api-key", apiKey, "--jobs", ".runpod/tests.json", "--only", "RUNA-01"];
  expect(await runCommandLine(["contract", ...words, ...jobs], io)).toBe(0);
  const said = io.output();
  expect(said).toContain("Runs 4 tests once");
  expect(said).toMatch(/words: COMPLETED after \d+ ms: quick/);
  expect(said).toMatch(/bad: FAILED after \d+ ms: failing/);
  expect(said).toMatch(/count: COMPLETED after \d+ ms, in 2 chunks: streaming/);
  expect(said).toContain("never: it did not end within 300 ms, not used");
  expect(said).toMatch(/No test is slow\. Requirements that need one: slow \d+\./);
  const report = readFileSync(join(workingDirectory, "reports/latest/report.json"), "utf8");
  expect(JSON.parse(report)).toMatchObject({
    settings: {
      jobs: {
        quick: { input: { prompt: "words" } },
        known: [{ output: { text: "three words" } }],
      },
    },
  });
});

test("init makes a jobs file of them, and names it in the config file", async () => {
  const { words, workingDirectory } = await owner(tests);
  const io = fakeIo({ workingDirectory, environment: { QUEUEPROOF_API_KEY: apiKey } });
  expect(await runCommandLine(["init", ...words], io)).toBe(0);
  const jobs: unknown = JSON.parse(readFileSync(join(workingDirectory, "jobs.json"), "utf8"));
  expect(jobs).toMatchObject({
    quick: { input: { prompt: "words" }, atMostMs: 5000 },
    failing: { input: { prompt: 1 } },
    streaming: { input: { prompt: "count" }, chunksAtLeast: 2 },
  });
  const config = readFileSync(join(workingDirectory, "queueproof.config.json"), "utf8");
  expect(config).toContain('"jobs": "jobs.json"');
});

test("init without a key says what it takes, and writes its config file", async () => {
  const { words, workingDirectory } = await owner(tests);
  const io = fakeIo({ workingDirectory });
  expect(await runCommandLine(["init", ...words], io)).toBe(0);
  expect(io.output()).toContain(".runpod/tests.json is here: with --base-url, --endpoint and");
  expect(existsSync(join(workingDirectory, "jobs.json"))).toBe(false);
});

test("where none can serve, what came of each is told, and nothing else is sent", async () => {
  const { words, workingDirectory } = await owner({ input: { prompt: "never" }, timeout: 100 });
  const io = fakeIo({ workingDirectory });
  const jobs = ["--api-key", apiKey, "--jobs", ".runpod/tests.json"];
  expect(await runCommandLine(["contract", ...words, ...jobs], io)).toBe(2);
  expect(io.errors()).toContain("none of the tests can serve as a job");
  expect(io.errors()).toContain("test 1: it did not end within 100 ms");
});

test("what a server answers to a test is told without the key", async () => {
  const { words, workingDirectory } = await owner({ input: { prompt: "words" } });
  const server = createServer((request, response) => {
    const isRun = request.url?.endsWith("/run") === true;
    response.writeHead(isRun ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify({ detail: `the key ${String(request.headers.authorization)}` }));
  });
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  const io = fakeIo({ workingDirectory });
  const place = ["--base-url", baseUrl, ...words.slice(2), "--api-key", apiKey];
  const jobs = ["--jobs", ".runpod/tests.json"];
  expect(await runCommandLine(["contract", ...place, ...jobs], io)).toBe(2);
  expect(io.errors()).toContain("test 1: run answered status 400");
  expect(io.output() + io.errors()).not.toContain(apiKey);
});

test("a file of tests that is none is refused with its places", async () => {
  const { words, workingDirectory } = await owner({ tests: [{ input: 1 }] });
  const io = fakeIo({ workingDirectory });
  const jobs = ["--api-key", apiKey, "--jobs", ".runpod/tests.json"];
  expect(await runCommandLine(["contract", ...words, ...jobs], io)).toBe(2);
  expect(io.errors()).toContain("/tests/0/input: expected an input");
});
