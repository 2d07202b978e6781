import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startCommand } from "./testing/command.ts";
import { closedPort, stubServer } from "./testing/stub-server.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

const noControl = ["--endpoint", "e", "--api-key", "s3cret-key"];

describe("serve", () => {
  test("--json tells on its first line how to use it, and SIGTERM stops it cleanly", async () => {
    const served = startCommand(["serve", "--json"], temporaryDirectory());
    const [line] = await served.printed(/^.*\n/);
    const members = ["baseUrl", "controlUrl", "endpointId", "apiKey", "foreignKey"] as const;
    const told: unknown = JSON.parse(line);
    expect(Object.keys(told ?? {})).toEqual(members);

    const [baseUrl, controlUrl, endpointId, apiKey] = Object.values(told ?? {}).map(String);
    expect(controlUrl).toBe(`${baseUrl}/__control`);
    const headers = { authorization: apiKey ?? "" };
    const health = await fetch(`${baseUrl}/v2/${endpointId}/health`, { headers });
    expect(health.status).toBe(200);

    served.kill("SIGTERM");
    expect(await served.exit).toMatchObject({ exitCode: 0, errors: "" });
  });

  test("--no-control leaves out the control URL", async () => {
    const served = startCommand(["serve", "--json", "--no-control"], temporaryDirectory());
    const [line] = await served.printed(/^.*\n/);
    expect(line).not.toContain("control");
  });

  test("prints lines that work in another terminal", async () => {
    const served = startCommand(["serve"], temporaryDirectory());
    const [, base = ""] = await served.printed(/BASE='(.*)'/);
    const [, key = ""] = await served.printed(/KEY='(.*)'/);
    await served.printed(/^ {2}node '\/.*' contract --control '.*'$/m);
    await served.printed(/Stop with Ctrl-C/);
    const answer = await fetch(`${base}/health`, { headers: { authorization: key } });
    expect(answer.status).toBe(200);

    served.kill("SIGINT");
    expect((await served.exit).exitCode).toBe(0);
  });

  test("a port in use is one clear message and exit code 3", async () => {
    const taken = await stubServer((_, response) => response.end());
    const { port } = new URL(taken);
    const end = await startCommand(["serve", "--port", port], temporaryDirectory()).exit;
    expect(end).toMatchObject({ exitCode: 3, output: "" });
    expect(end.errors).toMatch(/^error: Port \d+ of 127\.0\.0\.1 is in use\.\nhint: .*\n$/);
  });
});

describe("contract", () => {
  test("a target that is down is exit code 3, and the report says so", async () => {
    const directory = temporaryDirectory();
    const words = ["contract", "--base-url", await closedPort(), ...noControl];
    const end = await startCommand(words, directory).exit;
    expect(end.exitCode).toBe(3);
    expect(end.errors).toMatch(/^error: /);
    expect(end.output + end.errors).not.toContain("s3cret");

    const report = readFileSync(join(directory, "reports/latest/report.json"), "utf8");
    expect(JSON.parse(report)).toMatchObject({ summary: { requirements: { pass: 0, fail: 0 } } });
  });

  test("a target that answers {} to everything fails, with the line that repeats it", async () => {
    const url = await stubServer((request, response) => {
      request.resume();
      response.setHeader("content-type", "application/json").end("{}");
    });
    const words = ["contract", "--base-url", url, ...noControl, "--only", "RUNA-01"];
    const end = await startCommand(words, temporaryDirectory()).exit;
    expect(end.exitCode).toBe(1);
    expect(end.output).toMatch(/fail RUNA-01/);
    expect(end.output).toMatch(/^ +curl /m);
    expect(end.output).not.toContain("s3cret");
  });

  test("a reader that goes away, as `head` does, takes neither the report nor the exit code", async () => {
    const directory = temporaryDirectory();
    const url = await stubServer((request, response) => {
      request.resume();
      response.setHeader("content-type", "application/json").end("{}");
    });
    const words = ["contract", "--base-url", url, ...noControl, "--only", "RUNA-01,AUTH-01"];
    const running = startCommand(words, directory);
    await running.printed(/^queueproof /);
    running.turnAway();
    expect(await running.exit).toMatchObject({ exitCode: 1, errors: "" });

    const report = readFileSync(join(directory, "reports/latest/report.json"), "utf8");
    expect(JSON.parse(report)).toMatchObject({ summary: { requirements: { fail: 2 } } });
  });

  test.skipIf(!existsSync("/dev/full"))(
    "output that finds no room is told, and is no success",
    async () => {
      const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
      const line = `'${process.execPath}' '${main}' list > /dev/full`;
      const failed: unknown = await promisify(execFile)("sh", ["-c", line]).catch(
        (error: unknown) => error,
      );
      expect(failed).toMatchObject({ code: 3 });
      expect(failed).toHaveProperty(
        "stderr",
        expect.stringMatching(/^error: what was printed is incomplete: ENOSPC.*\nhint: .*\n$/),
      );
    },
  );

  test("Ctrl-C stops the run, writes the report of what was decided, and exits with 130", async () => {
    const directory = temporaryDirectory();
    // Nothing but health is ever answered, so the check under way cannot end by itself.
    const url = await stubServer((request, response) => {
      if (request.url?.endsWith("/health") === true) response.end("{}");
    });
    const words = ["contract", "--base-url", url, ...noControl, "--only", "RUNA-01"];
    const running = startCommand(words, directory);
    await running.printed(/^\d+ checks?$/m);
    running.kill("SIGINT");
    const end = await running.exit;
    expect(end.exitCode).toBe(130);
    expect(end.errors).toMatch(/Stopping/);

    const report = readFileSync(join(directory, "reports/latest/report.json"), "utf8");
    expect(JSON.parse(report)).toMatchObject({ interrupted: true });
  });

  test("a report directory that cannot be written is told before the run, exit code 2", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "file"), "");
    const words = ["contract", "--report", join(directory, "file", "reports")];
    const end = await startCommand(words, directory).exit;
    expect(end).toMatchObject({ exitCode: 2, output: "" });
    expect(end.errors).toMatch(/^error: .*file.*\nhint: .*--report/);
  });

  test("the embedded reference is started when no target is named", async () => {
    const words = ["contract", "--only", "STAT-*,RUNA-01", "--format", "json"];
    const end = await startCommand(words, temporaryDirectory()).exit;
    expect(end).toMatchObject({ exitCode: 0, errors: "" });
    expect(end.output).toMatch(/report\.json\n$/);
  });

  test("a requirement that must be decided and is not makes the exit code 4", async () => {
    const words = ["contract", "--only", "RUNA-01", "--require", "RATE-01"];
    const end = await startCommand(words, temporaryDirectory()).exit;
    expect(end.exitCode).toBe(4);
    expect(end.output).toMatch(/RATE-01 had to be decided and is not-run: not selected/);
  });
});
