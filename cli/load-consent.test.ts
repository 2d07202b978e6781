import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";

import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import type { FakeIo } from "../test/cli/fake-io.ts";
import type { TerminalInput } from "./terminal-input.ts";
import { running } from "../test/running-server.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

const purge = ["--only", "RATE-06", "--format", "json"];

// 0.0.0.0 leads to this machine but is not a loopback address, so the traffic stays here and yet needs consent.
describe("load on another machine", () => {
  test.each([
    { hint: "--capability load", words: [] },
    { hint: "--capability load", words: ["--yes"] },
    { hint: "--yes", words: ["--capability", "load"] },
  ])("is not sent with $words alone: the plan is shown", async ({ hint, words }) => {
    const server = await recordingServer();
    const io = quietIo();

    expect(await load(server.elsewhere, words, io)).toBe(2);
    expect(server.requests).toEqual([]);
    expect(io.errors()).toContain(`load would be sent to ${server.elsewhere}`);
    expect(io.errors()).toMatch(/requests +up to \d+/);
    expect(io.errors()).toMatch(/jobs +up to \d+/);
    expect(io.errors()).toMatch(/rate +bursts of up to 22 requests/);
    expect(io.errors()).toMatch(/in flight +up to \d+ at once/);
    expect(io.errors()).toMatch(/duration +up to \d+/);
    expect(io.errors()).toMatch(new RegExp(`hint: +Give ${hint}`));
  });

  test.each(["", "n", "no", "maybe", "yes please"])(
    "is not sent when the answer to the question is %j",
    async (answer) => {
      const server = await recordingServer();
      const asked: string[] = [];
      const io = quietIo({
        input: asking(async (question) => {
          asked.push(question);
          return answer;
        }),
      });

      expect(await load(server.elsewhere, ["--capability", "load"], io)).toBe(2);
      expect(server.requests).toEqual([]);
      expect(asked).toEqual(["Send it? [y/N] "]);
      expect(io.output()).toContain(`Load on ${server.elsewhere}: `);
      expect(io.errors()).toContain("nothing was sent");
    },
  );

  test.each([
    { how: "with --yes", words: ["--yes"], answer: undefined },
    { how: "after y", words: [], answer: "y" },
    { how: "after YES", words: [], answer: " YES " },
  ])("is sent $how, once the plan was shown", async ({ words, answer }) => {
    const server = await recordingServer();
    const io = quietIo(answer === undefined ? {} : { input: asking(async () => answer) });

    await load(server.elsewhere, ["--capability", "load", "--time-limit", "1s", ...words], io);
    expect(server.requests.length).toBeGreaterThan(0);
    expect(io.output()).toContain(`Load on ${server.elsewhere}: `);
  });

  test.each(["localhost.", "0.0.0.0", "[::ffff:127.0.0.1]", "127.0.0.1.nip.test", "[::]"])(
    "is what a name is that only may lead here: %s",
    async (host) => {
      const io = quietIo();
      expect(await load(`http://${host}:9`, [], io)).toBe(2);
      expect(io.errors()).toContain("load would be sent to");
    },
  );
});

test.each(["127.0.0.1", "127.1", "2130706433", "localhost", "127.255.0.3", "[::1]"])(
  "load on this machine needs no consent: %s",
  async (host) => {
    const io = quietIo();
    // Nothing listens there, so the only visible effect is that a connection was tried.
    expect(await load(`http://${host}:9`, [], io)).toBe(3);
    expect(io.errors()).toContain("did not answer");
  },
);

function quietIo(given: Partial<FakeIo> = {}): FakeIo {
  return fakeIo({
    workingDirectory: temporaryDirectory(),
    environment: { PATH: "" },
    ...given,
  });
}

function asking(ask: TerminalInput["ask"]): TerminalInput {
  return { ask, readKey: async () => "" };
}

function load(baseUrl: string, words: readonly string[], io: FakeIo): Promise<number> {
  const target = ["--base-url", baseUrl, "--endpoint", "e", "--api-key", "k"];
  return runCommandLine(["load", ...target, ...purge, ...words], io);
}

async function recordingServer(): Promise<{
  readonly elsewhere: string;
  readonly requests: readonly string[];
}> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end("{}");
  });
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  return { elsewhere: baseUrl.replace("127.0.0.1", "0.0.0.0"), requests };
}
