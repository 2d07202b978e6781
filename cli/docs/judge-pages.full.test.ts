import { mkdtempSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeClient } from "../../proof/client-faults/faulty-client.ts";
import { startReference } from "../../reference/start-reference.ts";
import { texts } from "../../test/cli/record.ts";
import { blockWith } from "../../test/docs/pages.ts";
import { readersDirectory, runLines, startLine } from "../../test/docs/shell.ts";
import { running } from "../../test/running-server.ts";

const traffic = "docs/judge-your-traffic.md";
const client = "docs/judge-your-client.md";

test("the page about traffic leads from a proxy to a true finding, live and recorded", async () => {
  const [serve = "", proxy = ""] = blockWith(traffic, "sh", "--record").text.split("\n");
  const directory = readersDirectory();
  const emulator = startLine(
    `${serve.replace("--port 8080", "--port 0")} --json --fault stream/elements-have-no-metrics`,
    directory,
  );
  const told = texts(await emulator.printed(/^\{.*\}$/m));
  const { baseUrl = "", endpointId = "", apiKey = "" } = told;
  const started = startLine(
    proxy.replace("http://127.0.0.1:8080", baseUrl).replace("--port 8081", "--port 0"),
    directory,
  );
  const url = (await started.printed(/listens on http:\/\/127\.0\.0\.1:\d+/)).replace(/.* /, "");
  const asked = async (method: string, path: string, body?: string): Promise<string> => {
    const headers = { authorization: apiKey, "content-type": "application/json" };
    const answer = await fetch(`${url}/v2/${endpointId}${path}`, {
      method,
      headers,
      body: body ?? null,
    });
    return answer.text();
  };
  const input = { op: "text", bytes: 6, chunks: 2, intervalMs: 10 };
  const { id = "" } = texts(await asked("POST", "/run", JSON.stringify({ input })));
  await expect.poll(async () => asked("GET", `/status/${id}`)).toContain("COMPLETED");
  await asked("GET", `/stream/${id}`);
  const { exitCode, output } = await started.stop();
  expect(output).toMatch(/fail +STRM-01/);
  expect(exitCode).toBe(1);
  await emulator.stop();

  const recording = await readFile(join(directory, "traffic.ndjson"), "utf8");
  expect(recording).not.toContain(apiKey);
  const [line = ""] = blockWith(traffic, "sh", "queueproof traffic").text.split("\n");
  const again = await runLines(line.replace("browser.har", "reports/latest/report.har"), directory);
  expect(again.output).toMatch(/fail +STRM-01/);
  expect(again.exitCode).toBe(1);
});

test("the proxy of the page runs a program with its address, and fails where that did", async () => {
  const { text } = blockWith(traffic, "sh", "-- npm test");
  const server = await startReference();
  const lineFor = (program: string): string =>
    text.replace("http://127.0.0.1:8080", server.baseUrl).replace("npm test", program);
  const path = `/v2/${server.endpointId}/health`;
  const ask = `fetch(process.env.JOB_API_BASE_URL + '${path}', { headers: { authorization: '${server.apiKey}' } })`;
  const good = await runLines(lineFor(`node -e "${ask}"`), readersDirectory());
  expect(good.output).toContain("1 exchange passed.");
  expect(good.exitCode).toBe(0);
  const bad = await runLines(
    lineFor(`node -e "${ask}.then(() => process.exit(5))"`),
    readersDirectory(),
  );
  expect(bad.exitCode).toBe(3);
  await server.stop();
});

test("the page about clients shows that a client that ignores Retry-After is found", async () => {
  const { text } = blockWith(client, "sh", "--only CLNT-11");
  const folder = mkdtempSync(join(tmpdir(), "queueproof-page-"));
  const wait =
    "const waitMs = answer.retryAfterMs ?? 500 * 2 ** tries * (0.75 + Math.random() / 2);";
  const faulty = await writeClient(join(folder, "faulty"), [[wait, "const waitMs = 500;"]]);
  const clean = await writeClient(join(folder, "clean"));
  const lineFor = (program: string): string =>
    text.replace("npx tsx examples/client/main.ts", `node ${program}`);
  const found = await runLines(lineFor(faulty), readersDirectory());
  expect(found.output).toMatch(/fail CLNT-11 .*as Retry-After told, got sent again after/);
  expect(found.exitCode).toBe(1);
  const passed = await runLines(lineFor(clean), readersDirectory());
  expect(passed.output).toContain("1 of 41 holds, none is broken");
  expect(passed.exitCode).toBe(0);
});

test("the receiver of the page is judged", async () => {
  const { text } = blockWith(client, "sh", "--receiver");
  const receiver = await running(
    createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(204).end());
    }),
  );
  const line = text.replace("http://127.0.0.1:3000", receiver.baseUrl);
  const { output, exitCode } = await runLines(line, readersDirectory());
  expect(output).toMatch(/fail CLNT-70 .*expected 200, got 204/);
  expect(exitCode).toBe(1);
  await receiver.stop();
});
