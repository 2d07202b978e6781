import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startCommand } from "../test/cli/command.ts";
import { stubServer } from "../test/harness/scripted-server.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";
import { main } from "../test/project.ts";

const noControl = ["--endpoint", "e", "--api-key", "s3cret-key"];

describe("serve", () => {
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
});

describe("contract", () => {
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
    // The server answers only health, so the current check cannot end by itself.
    const url = await stubServer((request, response) => {
      if (request.url?.endsWith("/health") === true) response.end("{}");
    });
    const words = ["contract", "--base-url", url, ...noControl, "--only", "RUNA-01"];
    const running = startCommand(words, directory);
    await running.printed(/^\d+ checks? to run$/m);
    running.kill("SIGINT");
    const end = await running.exit;
    expect(end.exitCode).toBe(130);
    expect(end.errors).toMatch(/Stopping/);

    const report = readFileSync(join(directory, "reports/latest/report.json"), "utf8");
    expect(JSON.parse(report)).toMatchObject({ interrupted: true });
  });
});
