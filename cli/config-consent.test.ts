import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeEach, describe, expect, test } from "vitest";

import type { Io } from "./io.ts";
import { runCommandLine } from "./program.ts";
import { keyCollector } from "../test/harness/scripted-server.ts";
import type { KeyCollector } from "../test/harness/scripted-server.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import type { FakeIo } from "../test/cli/fake-io.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

const key = "key-of-my-server";

/** Where a setting is given: typed, in a variable, in a config file that is named, in one that is found. */
const places = ["typed", "variable", "named file", "found file"] as const;
type Place = (typeof places)[number];

describe("a key and an address", () => {
  let server: KeyCollector;
  let directory: string;

  beforeEach(async () => {
    server = await keyCollector();
    directory = temporaryDirectory();
  });

  const wasSent = (): boolean => [...server.keys].some((sent) => sent.endsWith(key));

  /** Runs with key and address each given in a place, and somebody who answers questions. */
  async function run(
    { keyIn, addressIn }: { readonly keyIn: Place; readonly addressIn: Place },
    given: Partial<Io> = {},
  ): Promise<FakeIo & { readonly code: number }> {
    const of = (place: Place): { readonly apiKey?: string; readonly baseUrl?: string } => ({
      ...(keyIn === place && { apiKey: key }),
      ...(addressIn === place && { baseUrl: server.url }),
    });
    const typed = of("typed");
    const words = ["contract", "--endpoint", "e", "--only", "HLTH-01", "--timeout", "1s"];
    if (typed.apiKey !== undefined) words.push("--api-key", key);
    if (typed.baseUrl !== undefined) words.push("--base-url", server.url);
    const [named, found] = [of("named file"), of("found file")];
    if (Object.keys(found).length > 0)
      writeFileSync(join(directory, "queueproof.config.json"), JSON.stringify(found));
    if (Object.keys(named).length > 0) {
      writeFileSync(join(directory, "named.json"), JSON.stringify(named));
      words.push("--config", "named.json");
    }
    const variables = of("variable");
    const io = fakeIo({
      workingDirectory: directory,
      ...given,
      environment: {
        XDG_CACHE_HOME: join(directory, "cache"),
        ...(variables.apiKey !== undefined && { QUEUEPROOF_API_KEY: key }),
        ...(variables.baseUrl !== undefined && { QUEUEPROOF_BASE_URL: server.url }),
      },
    });
    return { ...io, code: await runCommandLine(words, io) };
  }

  const pairs = places.flatMap((keyIn) => places.map((addressIn) => ({ keyIn, addressIn })));
  // One of the two files is read.
  const possible = pairs.filter(
    ({ keyIn, addressIn }) =>
      keyIn === addressIn || !(keyIn.endsWith("file") && addressIn.endsWith("file")),
  );

  test.each(possible)("key: $keyIn, address: $addressIn", async (pair) => {
    const isForeign = pair.addressIn === "found file" && pair.keyIn !== "found file";
    const asked: string[] = [];
    const io = await run(pair, { input: answering("no", asked) });
    const question = `names --base-url ${server.url}, and your key is from elsewhere`;
    expect(asked.map((each) => each.includes(question))).toEqual(isForeign ? [true] : []);
    expect(wasSent()).toBe(!isForeign);
    const said = "nothing was sent: the config file was not agreed to";
    expect(io.errors().includes(said)).toBe(isForeign);
    expect(io.code === 2).toBe(isForeign);
  });

  test("of which one is in a file that is merely there are asked about once", async () => {
    const pair = { keyIn: "variable", addressIn: "found file" } as const;
    const asked: string[] = [];
    await run(pair, { input: answering("yes", asked) });
    await run(pair, { input: answering("no", asked) });
    expect(asked).toHaveLength(1);
    expect(wasSent()).toBe(true);
  });

  test("are told in the first line where nobody can be asked", async () => {
    const io = await run({ keyIn: "variable", addressIn: "found file" });
    const file = join(directory, "queueproof.config.json");
    expect(io.output().split("\n")[0]).toBe(
      `Config file ${file}, found in this directory: --base-url ${server.url}; your key goes there.`,
    );
  });
});

test("a config file writes no baseline", async () => {
  const directory = temporaryDirectory();
  const config = { baseline: "notes.txt", baselineUpdate: true };
  writeFileSync(join(directory, "queueproof.config.json"), JSON.stringify(config));
  const io = fakeIo({ workingDirectory: directory });
  expect(await runCommandLine(["contract", "--reference"], io)).toBe(2);
  expect(io.errors()).toContain("/baselineUpdate: give --baseline-update on the command line");
});

function answering(answer: string, asked: string[]): NonNullable<Io["input"]> {
  return {
    ask: async (question) => {
      asked.push(question);
      return answer;
    },
    readKey: async () => "",
  };
}
