import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configText } from "../init/config-text.ts";
import { askedSettings } from "../init/questions.ts";
import { runCommandLine } from "../program.ts";
import { configSettings, contractOptions } from "../settings/command-options.ts";
import { resolveSettings } from "../settings/resolve.ts";
import type { SettingValues } from "../settings/options.ts";
import { parseDialect } from "../../harness/dialects/parse-dialect.ts";
import { stubServer } from "../../test/harness/scripted-server.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { FakeIo } from "../../test/cli/fake-io.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";

function settingsOf(text: string): SettingValues {
  const workingDirectory = temporaryDirectory();
  writeFileSync(join(workingDirectory, "queueproof.config.json"), text);
  const given = { settings: contractOptions, flags: {}, config: undefined };
  return resolveSettings(given, fakeIo({ workingDirectory }));
}

async function initIn(words: readonly string[]): Promise<FakeIo & { readonly exitCode: number }> {
  const io = fakeIo({ workingDirectory: temporaryDirectory() });
  return { ...io, exitCode: await runCommandLine(["init", ...words], io) };
}

describe("the config file that init writes", () => {
  test("holds what was asked for, and the rest as comments", async () => {
    const words = ["--base-url", "http://a.test", "--endpoint", "e", "--skip", "RATE-*,CONC-*"];
    const { exitCode, workingDirectory } = await initIn(words);
    expect(exitCode).toBe(0);
    const text = readFileSync(join(workingDirectory, "queueproof.config.json"), "utf8");
    const settings = { baseUrl: "http://a.test", endpoint: ["e"], skip: ["RATE-*", "CONC-*"] };
    expect(settingsOf(text)).toEqual(settings);
    for (const name of configSettings)
      expect(text).toMatch(new RegExp(`^ {2}(// )?"${name}": `, "m"));
  });

  test("is right with every comment taken away, too", () => {
    const settings = settingsOf(configText({}).replaceAll(/^ {2}\/\/ (?=")/gm, "  "));
    expect(Object.keys(settings)).toEqual(configSettings);
  });

  test("is never written over unless that was asked for", async () => {
    const io = fakeIo({ workingDirectory: temporaryDirectory() });
    const path = join(io.workingDirectory, "own.json");
    writeFileSync(path, "mine");
    const words = ["init", "--seed", "3", "--config", "own.json"];
    expect(await runCommandLine(words, io)).toBe(2);
    expect(io.errors()).toMatch(/own\.json already exists\nhint: {2}--force/);
    expect(readFileSync(path, "utf8")).toBe("mine");
    expect(await runCommandLine([...words, "--force"], io)).toBe(0);
    expect(settingsOf(readFileSync(path, "utf8"))).toEqual({ seed: 3 });
  });

  test.each([
    { words: ["--seed", "x"], error: /--seed: expected an integer/ },
    { words: ["--api-key", "k"], error: /unknown option --api-key/ },
    { words: ["--config", "none/x.json"], error: /cannot be written/ },
  ])("is not written where $words is wrong", async ({ words, error }) => {
    const { exitCode, errors } = await initIn(words);
    expect(exitCode).toBe(2);
    expect(errors()).toMatch(error);
  });
});

describe("a dialect's file that is not there", () => {
  test("is written from what is learned of the target, and named in the config file", async () => {
    const baseUrl = await stubServer(({ url = "", headers }, response) => {
      const status =
        headers.authorization !== "Bearer k" ? 401 : url === "/v2/e/health" ? 200 : 404;
      const counts = { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 };
      const body = status === 200 ? { jobs: counts, workers: { idle: 1, running: 0 } } : {};
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
    const io = fakeIo({
      workingDirectory: temporaryDirectory(),
      environment: { QUEUEPROOF_API_KEY: "k" },
    });
    const words = ["init", "--base-url", baseUrl, "--endpoint", "e", "--dialect", "our own.json"];
    expect(await runCommandLine(words, io)).toBe(0);
    const written = readFileSync(join(io.workingDirectory, "our own.json"), "utf8");
    const parsed = parseDialect(JSON.parse(written));
    expect(parsed).toMatchObject({
      dialect: { name: "our-own", deviations: { authorization: "bearer" } },
    });
    const config = readFileSync(join(io.workingDirectory, "queueproof.config.json"), "utf8");
    expect(settingsOf(config)).toMatchObject({ dialect: "our own.json" });
    expect(io.output()).toContain("a key is taken as `Bearer KEY` alone");
  });

  test("cannot be learned without a target", async () => {
    const { exitCode, errors } = await initIn(["--dialect", "none.json"]);
    expect(exitCode).toBe(2);
    expect(errors()).toMatch(
      /no dialect is at none\.json, and no target .*\nhint: {2}Give --base-url/,
    );
  });
});

async function answered(answers: readonly string[]): Promise<readonly unknown[]> {
  const left = [...answers];
  const asked: string[] = [];
  const io = fakeIo();
  const ask = async (question: string): Promise<string> => {
    asked.push(question);
    return left.shift() ?? "";
  };
  const settings = await askedSettings({ ask, readKey: async () => "" }, io);
  return [settings, asked.length, io.output()];
}

describe("the questions", () => {
  test("are few for the reference", async () => {
    expect(await answered([])).toEqual([{}, 3, ""]);
  });

  test("go into a bare server, and a wrong answer is asked again", async () => {
    expect(await answered(["a.test", "http://a.test", "", "e", "yes", "runpod"])).toEqual([
      { baseUrl: "http://a.test", endpoint: ["e"], capability: ["handler"], dialect: "runpod" },
      8,
      '--base-url: expected an http or https URL, got "a.test"\n',
    ]);
  });

  test("do not ask for an endpoint where the control protocol makes them", async () => {
    const [settings, asked] = await answered(["http://a.test", "http://a.test/__control"]);
    expect(settings).toEqual({ baseUrl: "http://a.test", control: "http://a.test/__control" });
    expect(asked).toBe(5);
  });
});
