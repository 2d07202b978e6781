import { tmpdir } from "node:os";
import { expect, onTestFinished, test, vi } from "vitest";
import { startReference } from "../../reference/start-reference.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { FakeIo } from "../../test/cli/fake-io.ts";
import { record } from "../../test/cli/record.ts";
import { nodeWorkerScript } from "../../test/node-worker-script.ts";
import { callJson } from "../../test/rig.ts";
import { waitLimits } from "../../test/wait-limits.ts";
import { printedLinesOn, startServedWorkers } from "./serve-workers.ts";

const script = nodeWorkerScript();

async function servedWith(
  command: string,
  processes = 1,
): Promise<{ reference: Reference; io: FakeIo; stop: () => Promise<void> }> {
  const io = fakeIo({ workingDirectory: tmpdir(), environment: { PATH: process.env["PATH"] } });
  const lines = printedLinesOn(io);
  const reference = await startReference({
    externalWorkers: { silenceMs: 60_000, holdMs: 500 },
    console: true,
    workerLines: (...asked) => lines.of(...asked),
  });
  onTestFinished(() => reference.stop());
  const workers = await startServedWorkers(reference, { command, processes }, { lines, io });
  onTestFinished(() => workers.stop());
  return { reference, io, stop: () => workers.stop() };
}

test("the workers of a command do the jobs, and what they print stands beside them", async () => {
  const { reference, io } = await servedWith(`${process.execPath} ${script} right`, 2);
  const { baseUrl, endpointId, apiKey } = reference;
  const call = (method: string, path: string, body?: unknown): ReturnType<typeof callJson> =>
    callJson(method, `${baseUrl}/v2/${endpointId}${path}`, body, {
      headers: { authorization: apiKey },
    });
  const id = String((await call("POST", "/run", { input: { prompt: "two words" } })).body["id"]);
  await vi.waitFor(async () => {
    expect((await call("GET", `/status/${id}`)).body).toMatchObject({ output: { words: 2 } });
  }, waitLimits);
  await vi.waitFor(() => expect(io.errors()).toMatch(`worker-`), waitLimits);
  expect(io.errors()).toMatch(new RegExp(`worker-[12].*took ${id}`));
  const url = `${baseUrl}/__console/endpoints/${endpointId}/jobs/${id}`;
  const details = record(await (await fetch(url)).json());
  expect(details["printed"]).toEqual([`took ${id}`]);
});

test("another process is started where one has ended, until three have ended at once", async () => {
  const { io } = await servedWith(`${process.execPath} ${script} ends`);
  const ended = /worker-3 ended with exit code 0; it has done so 3 times within 5 s/;
  await vi.waitFor(() => expect(io.errors()).toMatch(ended), waitLimits);
  expect(io.errors()).toMatch(/worker-1 ended with exit code 0; another is started/);
  expect(io.errors()).not.toMatch(/worker-4/);
});

test("nothing that they started is left when they are stopped", async () => {
  const listen =
    "require('http').createServer((_, a) => a.end()).listen(0, function () { console.log(this.address().port) })";
  const { io, stop } = await servedWith(`${process.execPath} -e "${listen}" & sleep 1000`);
  await vi.waitFor(() => expect(io.errors()).toMatch(/\d+\n$/), waitLimits);
  const [, port = ""] = /(\d+)\n$/.exec(io.errors()) ?? [];
  const asked = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/`);
  expect((await asked()).status).toBe(200);
  await stop();
  await expect(asked()).rejects.toThrow(/fetch failed/);
});
