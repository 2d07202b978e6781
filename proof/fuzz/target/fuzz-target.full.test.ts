import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { running } from "../../../test/running-server.ts";
import { fuzzTarget, run } from "./fuzz-target.ts";

test("no answer of a target gets the key into an output, breaks a run or holds it up", async () => {
  const { problems, figures } = await fuzzTarget({ seconds: 60, seed: 20261128 });
  expect(problems.join("\n")).toBe("");
  // Where no run found a failure, none had an answer to show.
  expect(figures["exitCodes"]).toHaveProperty("1");
});

const million = Array.from({ length: 1_000_000 }, (_, index) => index);

test.each([
  { what: "elements", text: `[${million.map(() => '{"a":0,"b":[1]}').join(",")}]` },
  {
    what: "chunks",
    text: `{"id":"a","status":"COMPLETED","output":[${million.map((index) => `{"output":{"i":${index}}}`).join(",")}]}`,
  },
  { what: "members", text: `{"id":"a",${million.map((index) => `"m${index}":0`).join(",")}}` },
])("a target whose every answer has a million $what does not fill the memory", async ({ text }) => {
  const body = Buffer.from(text);
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    });
  });
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  const directory = mkdtempSync(join(tmpdir(), "queueproof-million-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const { code, usage } = await run(baseUrl, "*", directory);
  expect(code).toBe(1);
  expect(usage.memoryKilobytes).toBeLessThan(500_000);
});
