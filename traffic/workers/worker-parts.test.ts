import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { waitLimits } from "../../test/wait-limits.ts";
import { badInputsOf } from "./bad-inputs.ts";
import { secretsIn } from "./environment-secrets.ts";
import { lastErrorOf, whyUntold } from "./hints.ts";
import { PrintedLines } from "./printed-lines.ts";
import { jobRequestOf } from "./worker-call.ts";
import { memoryDecision } from "./whole-rules.ts";
import { WorkerProcesses } from "./worker-processes.ts";

test("inputs lack a member or have one of another type, of each test in turn, and none is empty", () => {
  const inputs = [{ prompt: "a", n: 1 }, { text: "b" }];
  const tests = inputs.map((input, at) => ({
    name: `t${at}`,
    input,
    timeoutMs: 1,
    expectsFailure: false,
  }));
  expect(badInputsOf(tests).map(({ input }) => input)).toEqual([
    { n: 1 },
    { text: { not: "a text" } },
    { prompt: { not: "a text" }, n: 1 },
    { prompt: "a" },
    { prompt: "a", n: "no such value" },
  ]);
});

test("secrets are told by whole words of names, and ids are none", () => {
  const values = {
    HF_TOKEN: "12345678",
    OPENAI_APIKEY: "12345678",
    MODEL_KEY_FILE: "12345678",
    TOKENIZERS_PARALLELISM: "12345678",
    AWS_ACCESS_KEY_ID: "12345678",
    SHORT_KEY: "1234567",
  };
  const names = secretsIn(values).map(({ name }) => name);
  expect(names).toEqual(["HF_TOKEN", "OPENAI_APIKEY", "MODEL_KEY_FILE"]);
});

/** A line of the library's log, on the service. */
function log(message: string): string {
  return JSON.stringify({ requestId: "x", message });
}

test("causes inside Python are read from what was printed", () => {
  const untold = log(
    "Error while returning job result. | Object of type set is not JSON serializable",
  );
  expect(whyUntold([untold])).toMatch(/type set, which JSON has not \(return a list/);
  const named = "when serializing dict item 'words'";
  expect(whyUntold([untold, named])).toMatch(/^its member words holds/);
  expect(
    lastErrorOf(["Traceback (most recent call last):", "  x()", "KeyError: 'prompt'", "end"]),
  ).toBe("KeyError: 'prompt'");
  expect(lastErrorOf(["all is well"])).toBeUndefined();
});

test("lines are put together from pieces, and told by worker", () => {
  const whole: string[] = [];
  const lines = new PrintedLines((workerId, line) => whole.push(`${workerId}: ${line}`));
  lines.add("a", "one\ntw");
  lines.add("b", "other\n");
  lines.add("a", "o\nrest");
  expect(whole).toEqual(["a: one", "b: other", "a: two"]);
  expect(lines.of("a", 0, Number.POSITIVE_INFINITY)).toEqual(["one", "two"]);
  expect(lines.between(0, Number.POSITIVE_INFINITY)).toEqual(["one", "other", "two", "rest"]);
});

function rising(step: number): number[] {
  return Array.from({ length: 20 }, (_, at) => 1e8 + at * step);
}

test("memory that rises with each of the last ten jobs, by more than 100 MB, grows; less, or with a rest, does not", () => {
  expect(memoryDecision(rising(11e6)).kind).toBe("breaks");
  expect(memoryDecision(rising(9e6)).kind).toBe("holds");
  const resting = rising(50e6).map((bytes, at) => (at === 15 ? 1e8 : bytes));
  expect(memoryDecision(resting).kind).toBe("holds");
  expect(memoryDecision(rising(50e6).slice(1)).kind).toBe("unseen");
});

test("docker run gets its variables by a file, and its container is removed", async () => {
  const folder = temporaryDirectory();
  const docker = join(folder, "docker");
  const seen = join(folder, "seen");
  const told = join(folder, "told");
  const program = `#!${process.execPath}
const { readFileSync, writeFileSync, appendFileSync } = require("node:fs");
const words = process.argv.slice(2);
if (words[0] === "rm") return appendFileSync(${JSON.stringify(seen)}, words.join(" "));
writeFileSync(words[words.indexOf("--cidfile") + 1], "c0ffee");
writeFileSync(${JSON.stringify(told)}, readFileSync(words[words.indexOf("--env-file") + 1]));
setInterval(() => {}, 1000);
`;
  writeFileSync(docker, program);
  chmodSync(docker, 0o755);
  const processes = await WorkerProcesses.start({
    command: [docker, "run", "--env-file", "{env}", "image"],
    count: 1,
    told: { RUNPOD_AI_API_KEY: "k" },
    environment: { PATH: process.env["PATH"] },
    workingDirectory: folder,
    onPrinted: () => undefined,
    isReplaced: () => false,
  });
  await vi.waitFor(() => expect(existsSync(told)).toBe(true), waitLimits);
  expect(readFileSync(told, "utf8")).toBe("RUNPOD_AI_API_KEY=k\nRUNPOD_POD_ID=worker-1\n");
  await processes.stop();
  expect(readFileSync(seen, "utf8")).toBe("rm --force c0ffee");
});

test("an id whose encoding is broken is taken as it stands", () => {
  const request = { method: "GET", target: "/v2/e/job-take/%zz?gpu=x", host: "a" };
  expect(jobRequestOf(request, 1)).toMatchObject({ workerId: "%zz", isIdle: true });
});
