import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startReference } from "../reference/start-reference.ts";
import type { CommandEnd } from "../test/cli/command.ts";
import { runHere } from "../test/cli/failed-run.ts";
import { closedPort, stubServer } from "../test/harness/scripted-server.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

const key = "s3cret-key-of-the-test";

function always(status: number, body: string): RequestListener {
  return (request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  };
}

async function contract(baseUrl: string, ...more: readonly string[]): Promise<CommandEnd> {
  const words = ["contract", "--base-url", baseUrl, "--endpoint", "e", "--api-key", key];
  return runHere([...words, "--format", "json", ...more], temporaryDirectory());
}

/** Returns the printed line of each requirement that failed. */
function failuresIn({ output }: CommandEnd): readonly string[] {
  return output.split("\n").filter((line) => /^fail [A-Z0-9]{4}-\d\d /.test(line));
}

describe("contract against a server that is none", () => {
  test("one that answers 401 to everything is taken for a wrong key: exit code 3", async () => {
    const end = await contract(await stubServer(always(401, '{"error":"unauthorized"}')));

    expect(end.exitCode).toBe(3);
    expect(end.errors).toMatch(/^error: every request with this key was answered 401 /);
    expect(failuresIn(end)).toEqual([]);
  });

  test("one that answers 200 with {} to everything fails: exit code 1, and why", async () => {
    const end = await contract(await stubServer(always(200, "{}")));

    expect(end).toMatchObject({ exitCode: 1, errors: "" });
    expect(failuresIn(end)).toContainEqual(expect.stringMatching(/^fail RUNA-01 /));
    expect(end.output).toMatch(/^ +got +status 200, \{\}/m);
    expect(end.output).toMatch(/^Requirements: 0 passed, /m);
  });

  test("one that says 429 to everything decides nothing: exit code 3, and why", async () => {
    const end = await contract(await stubServer(always(429, "{}")), "--only", "RUNA-*,HLTH-01");

    expect(end.exitCode).toBe(3);
    expect(end.output).toMatch(/^inconclusive 3 requirements: run answered 429\n {2}RUNA-01, /m);
  });

  test("one that answers health and nothing else fails what it never answers: exit code 1", async () => {
    const url = await stubServer((request, response) => {
      if (request.url?.endsWith("/health") === true) response.end("{}");
    });
    const end = await contract(url, "--timeout", "2s", "--only", "RUNA-*,SYNC-*,STAT-*,SUBM-*");

    expect(end.exitCode).toBe(1);
    expect(end.output).toMatch(
      /^fail run gave no answer 5 times in a row \[silent-run\]\n {2}breaks RUNA-01\n/m,
    );
    expect(end.output).toContain("no whole answer within 2000 ms");
    expect(failuresIn(end)).not.toContainEqual(expect.stringMatching(/^fail SUBM-/));
  });

  test("a closed port cannot be tested: exit code 3", async () => {
    const end = await contract(await closedPort());

    expect(end.exitCode).toBe(3);
    expect(end.errors).toMatch(/^error: the target at .* did not answer: .*ECONNREFUSED/);
  });

  test("one that never answers cannot be tested: exit code 3 within the time-out", async () => {
    const url = await stubServer((request) => void request.resume());
    const end = await contract(url, "--timeout", "300ms");

    expect(end.exitCode).toBe(3);
    expect(end.errors).toMatch(/did not answer: no whole answer within 300 ms/);
  });

  test("no control character of the target reaches the terminal, and no key", async () => {
    const words = `\u001B[2J\u009B31m\u202E${key}`;
    const end = await contract(await stubServer(always(500, words)), "--only", "RUNA-*,HLTH-*");

    expect(end.exitCode).toBe(1);
    expect(end.output + end.errors).not.toMatch(/[^\P{C}\n]/u);
    expect(end.output + end.errors).not.toContain(key);
  });
});

test.each([1, 2, 4, 8, 12, 20])(
  "a target that goes away after %i answers is told as that: exit code 3",
  async (answers) => {
    let asked = 0;
    const url = await stubServer((request, response) => {
      request.resume();
      asked += 1;
      if (asked > answers) return void request.socket.destroy();
      const isHealth = request.url?.endsWith("/health") === true;
      const jobs = { completed: 0, failed: 0, retried: 0, inProgress: 0, inQueue: 0 };
      const health = JSON.stringify({ jobs, workers: { idle: 1, running: 0 } });
      const hasKey = request.headers.authorization?.endsWith(key) === true;
      always(!hasKey ? 401 : isHealth ? 200 : 400, isHealth && hasKey ? health : "{}")(
        request,
        response,
      );
    });
    const words = ["--only", "SUBM-02", "--timeout", "500ms", "--input", '{"a":1}'];
    const { exitCode, output, errors } = await contract(url, ...words);
    expect(exitCode).toBe(3);
    expect(output + errors).not.toContain("itself broke");
    expect(output + errors).toMatch(/gone|did not answer|stopped answering/);
  },
);

describe("a key that a target gives back", () => {
  /** Answers run with an id that is the key, and nothing more once that id is asked for. */
  const goingAway = (): RequestListener => {
    let isGone = false;
    return (request, response) => {
      request.resume();
      isGone ||= request.url?.includes("/status/s3") === true;
      if (isGone) request.socket.destroy();
      else always(200, JSON.stringify({ id: `${key}-1`, status: "IN_QUEUE" }))(request, response);
    };
  };

  test.each<[string, RequestListener]>([
    ["as the id of a job, before it goes away", goingAway()],
    [
      "in the name of a header, in a reason phrase and in the name of a member",
      (request, response) => {
        request.resume();
        response.writeHead(500, key, { [`x-${key}`]: key, "content-type": "application/json" });
        response.end(JSON.stringify({ [key]: { [key]: 1 } }));
      },
    ],
    ...[160, 161, 165, 175, 4090, 4096, 8190].map((characters): [string, RequestListener] => [
      `after ${characters} characters of a long answer`,
      always(500, `${"x".repeat(characters - 12)}${key}${"y".repeat(9000)}`),
    ]),
    ["again and again", always(500, key.repeat(3000))],
  ])("is in nothing that leaves: %s", async (_, answer) => {
    const directory = temporaryDirectory();
    const baseUrl = await stubServer(answer);
    const words = ["contract", "--base-url", baseUrl, "--endpoint", "e", "--api-key", key];
    const more = ["--only", "RUNA-*,STAT-*", "--timeout", "1s", "--time-limit", "6s"];
    const { output, errors } = await runHere([...words, ...more], directory);
    const reports = join(directory, "reports/latest");
    const files = existsSync(reports) ? readdirSync(reports) : [];
    const texts = [
      output,
      errors,
      ...files.map((name) => readFileSync(join(reports, name), "utf8")),
    ];
    for (const text of texts) expect(text).not.toContain(key.slice(0, 6));
  });
});

describe("contract with a key that is refused", () => {
  test("by an implementation: exit code 3, and what to check", async () => {
    const reference = await startReference({});
    onTestFinished(() => reference.stop());
    const { baseUrl, endpointId } = reference;
    const words = ["contract", "--base-url", baseUrl, "--endpoint", endpointId];
    const end = await runHere([...words, "--api-key", `${key}-wrong`], temporaryDirectory());

    expect(end.exitCode).toBe(3);
    expect(end.errors).toMatch(
      /^error: every request with this key was answered 401 .*\nhint: .*--api-key/,
    );
    expect(end.output + end.errors).not.toContain(key);
  });
});
