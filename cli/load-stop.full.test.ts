import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { realK6 } from "../test/load/senders.ts";
import { parseReport } from "../reports/parse-report.ts";
import type { Report } from "../reports/model.ts";
import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { stubServer } from "../test/harness/scripted-server.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

const { k6, reason } = await realK6();

const stopped = /the load was stopped: \d+ of the last \d+ answers of the target were 5xx/;

/** Half of the latest thousand answers, plus what was in flight while they were read. */
const brokenMax = 3_000;

// 0.0.0.0 leads to this machine but is not a loopback address. An endpoint that is not new rests for 21 s first.
describe.concurrent("a target on another machine that turns to 5xx in the middle", () => {
  test("ends a check of the probe", async ({ onTestFinished }) => {
    const words = ["--only", "RATE-05"];
    const { exitCode, report } = await load(words, 30, onTestFinished);

    expect(exitCode).toBe(3);
    expect(report.interrupted).toBe(true);
    expect(verdictOf(report, "RATE-05")).toEqual(["inconclusive", expect.stringMatching(stopped)]);
  });

  test.skipIf(k6 === undefined)(
    `ends a rate of k6 in the same way${reason && ` (${reason})`}`,
    async ({ onTestFinished }) => {
      const words = ["rate-status"];
      const { exitCode, report, broken } = await load(words, 300, onTestFinished);

      expect(exitCode).toBe(3);
      expect(report.interrupted).toBe(true);
      const [verdict, why] = verdictOf(report, "RATE-03");
      expect(verdict).toBe("inconclusive");
      expect(why).toMatch(/^k6 was stopped: /);
      expect(why).toMatch(stopped);
      expect(broken).toBeLessThan(brokenMax);
    },
  );

  test.skipIf(k6 === undefined)(
    `ends a scenario run by k6, and those after it${reason && ` (${reason})`}`,
    async ({ onTestFinished }) => {
      const words = ["steady-mix", "climb"];
      const { exitCode, report, broken } = await load(words, 700, onTestFinished);

      expect(exitCode).toBe(3);
      expect(report.interrupted).toBe(true);
      const [mix, climb] = ["steady-mix", "climb"].map((name) =>
        report.load.find(({ scenario }) => scenario === `load/k6/${name}`),
      );
      expect(mix?.verdict).toBe("inconclusive");
      expect(mix?.reason).toMatch(/^k6 was stopped: /);
      expect(mix?.reason).toMatch(stopped);
      expect(climb?.verdict).toBe("not-run");
      expect(climb?.reason).toMatch(stopped);
      expect(broken).toBeLessThan(brokenMax);
    },
  );
});

interface Stopped {
  readonly exitCode: number;
  readonly report: Report;
  /** How many answers of 503 were sent. */
  readonly broken: number;
}

/** Loads a server that answers 200 for the given number of requests, and then only 503. */
async function load(
  words: readonly string[],
  goodAnswers: number,
  finished: (clean: () => void) => void,
): Promise<Stopped> {
  let answers = 0;
  const url = await stubServer((_request, response) => {
    answers += 1;
    response.statusCode = answers > goodAnswers ? 503 : 200;
    response.end(JSON.stringify({ id: "job", status: "COMPLETED", output: {}, stream: [] }));
  }, finished);
  const workingDirectory = temporaryDirectory(finished);
  const io = fakeIo({ workingDirectory, environment: { ...process.env, K6_PATH: k6?.path } });
  const target = ["--base-url", url.replace("127.0.0.1", "0.0.0.0"), "--endpoint", "e"];
  const consent = ["--api-key", "k", "--capability", "load,handler", "--yes"];
  const rest = ["--time-budget", "full", "--format", "json"];
  const exitCode = await runCommandLine(["load", ...words, ...target, ...consent, ...rest], io);
  const file = join(workingDirectory, "reports", "latest", "report.json");
  const report = parseReport(await readFile(file, "utf8"), file);
  return { exitCode, report, broken: answers - goodAnswers };
}

function verdictOf({ requirements }: Report, id: string): readonly (string | undefined)[] {
  const found = requirements.find((each) => each.id === id);
  return [found?.verdict, found?.reason];
}
