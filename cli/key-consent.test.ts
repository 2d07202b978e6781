import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeEach, describe, expect, test } from "vitest";

import { runCommandLine } from "./program.ts";
import { keyCollector } from "../test/harness/scripted-server.ts";
import type { KeyCollector } from "../test/harness/scripted-server.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import type { FakeIo } from "../test/cli/fake-io.ts";
import { reportOf } from "../test/cli/report.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";
import type { Io } from "./io.ts";

const apiKey = "key-of-my-server";
const { target, ...rest } = reportOf({ "HLTH-01": "fail" });

describe("a key that was not typed, and an address that only a report names", () => {
  let server: KeyCollector;
  let directory: string;

  beforeEach(async () => {
    server = await keyCollector();
    directory = temporaryDirectory();
    const report = { ...rest, target: { ...target, baseUrl: server.url } };
    writeFileSync(join(directory, "report.json"), JSON.stringify(report));
  });

  test.each([
    ["no address beside it", {}, "no address stands beside your key"],
    [
      "another address beside it",
      { QUEUEPROOF_BASE_URL: "http://127.0.0.1:9" },
      "your key belongs to http://127.0.0.1:9",
    ],
  ])("the key is not sent: %s", async (_, environment, said) => {
    const io = replaying({ environment: { QUEUEPROOF_API_KEY: apiKey, ...environment } });

    expect(await runCommandLine([...replay], io)).toBe(2);
    expect([...server.keys]).toEqual([]);
    expect(io.errors()).toContain(`report.json names ${server.url}, and ${said}`);
    expect(io.errors()).toContain(`Give --base-url ${server.url}`);
    expect(io.errors()).not.toContain(apiKey);
  });

  test("nor from the config file, which names another address", async () => {
    const config = { baseUrl: "http://127.0.0.1:9", apiKey };
    writeFileSync(join(directory, "queueproof.config.json"), JSON.stringify(config));
    const io = replaying();

    expect(await runCommandLine([...replay], io)).toBe(2);
    expect([...server.keys]).toEqual([]);
  });

  test("nor is a header, which the server would get with every request", async () => {
    const environment = { QUEUEPROOF_HEADER: "X-Gateway: secret-of-a-gateway" };
    const io = replaying({ environment });

    expect(await runCommandLine([...replay, "--api-key", apiKey], io)).toBe(2);
    expect([...server.keys]).toEqual([]);
    expect(io.errors()).toContain("no address stands beside your header");
    expect(io.errors()).not.toContain("secret-of-a-gateway");
  });

  test.each(["", "n", "no"])("nor after the answer %j at the terminal", async (answer) => {
    const asked: string[] = [];
    const io = replaying({
      environment: { QUEUEPROOF_API_KEY: apiKey },
      input: {
        ask: async (question) => {
          asked.push(question);
          return answer;
        },
        readKey: async () => "",
      },
    });

    expect(await runCommandLine([...replay], io)).toBe(2);
    expect(asked.join("\n")).toContain(`names ${server.url}`);
    expect([...server.keys]).toEqual([]);
  });

  test.each<[string, readonly string[], Partial<Io>]>([
    ["the address is typed", ["--base-url", "$URL"], withKey()],
    ["the key is typed", ["--api-key", apiKey], {}],
    ["the same address stands beside it", [], withKey({ QUEUEPROOF_BASE_URL: "$URL/" })],
    ["somebody agrees", [], { ...withKey(), input: { ask: yes, readKey: yes } }],
  ])("the key is sent where %s", async (_, words, { environment, ...given }) => {
    const here = (text = ""): string => text.replace("$URL", server.url);
    const variables = Object.entries(environment ?? {}).map(([name, text]): [string, string] => [
      name,
      here(text),
    ]);
    const io = replaying({ ...given, environment: Object.fromEntries(variables) });

    await runCommandLine([...replay, ...words.map(here)], io);
    expect([...server.keys].join("\n")).toContain(apiKey);
  });

  function replaying(given: Partial<Io> = {}): FakeIo {
    return fakeIo({ workingDirectory: directory, ...given });
  }
});

const replay = ["replay", "report.json", "HLTH-01"];

function withKey(environment: Io["environment"] = {}): Pick<Io, "environment"> {
  return { environment: { QUEUEPROOF_API_KEY: apiKey, ...environment } };
}

async function yes(): Promise<string> {
  return "y";
}
