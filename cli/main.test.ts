import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startCommand } from "../test/cli/command.ts";
import { main } from "../test/project.ts";
import { runHere } from "../test/cli/failed-run.ts";
import { closedPort, stubServer } from "../test/harness/scripted-server.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

const noControl = ["--endpoint", "e", "--api-key", "s3cret-key"];

// npx does not make the file executable where it ran from the same folder before.
test("the build makes the command executable, so that npx can run it in a clone", () => {
  expect(statSync(main).mode & 0o111).toBe(0o111);
});

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

  test("a port in use is one clear message and exit code 3", async () => {
    const taken = await stubServer((_, response) => response.end());
    const { port } = new URL(taken);
    const end = await runHere(["serve", "--port", port], temporaryDirectory());
    expect(end).toMatchObject({ exitCode: 3, output: "" });
    expect(end.errors).toMatch(/^error: port \d+ of 127\.0\.0\.1 is in use\nhint: .*\n$/);
  });
});

describe("contract", () => {
  test("a target that is down is exit code 3, and the report says so", async () => {
    const directory = temporaryDirectory();
    const words = ["contract", "--base-url", await closedPort(), ...noControl];
    const end = await runHere(words, directory);
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
    const end = await runHere(words, temporaryDirectory());
    expect(end.exitCode).toBe(1);
    expect(end.output).toMatch(/fail RUNA-01/);
    expect(end.output).toMatch(/^ +repeat: /m);
    expect(end.output).not.toContain("s3cret");
  });

  test("a report directory that cannot be written is told before the run, exit code 2", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "file"), "");
    const words = ["contract", "--report", join(directory, "file", "reports")];
    const end = await runHere(words, directory);
    expect(end).toMatchObject({ exitCode: 2, output: "" });
    expect(end.errors).toMatch(/^error: .*file.*\nhint: .*--report/);
  });

  test("the embedded reference is started when no target is named", async () => {
    const words = ["contract", "--only", "RUNA-01", "--format", "json"];
    const end = await runHere(words, temporaryDirectory());
    expect(end, end.output).toMatchObject({ exitCode: 0, errors: "" });
    expect(end.output).toMatch(/report\.json\n$/);
  });

  test("a requirement that must be decided and is not makes the exit code 4", async () => {
    const words = ["contract", "--only", "RUNA-01", "--require", "RATE-01"];
    const end = await runHere(words, temporaryDirectory());
    expect(end.exitCode).toBe(4);
    expect(end.output).toMatch(/RATE-01 had to be decided and is not-run: not selected/);
  });
});
