import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, onTestFinished, test, vi } from "vitest";

import { startReference } from "../reference/start-reference.ts";
import { startCommand } from "../test/cli/command.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

test.each([0, 3, 6, 9])("a signal %i ms after the last line ends no run by itself", async (ms) => {
  const run = startCommand(["contract", "--only", "ENDP-01"], temporaryDirectory());
  await run.printed(/badge\.svg/);
  await sleep(ms);
  run.kill("SIGINT");
  expect(await run.exit).toMatchObject({ exitCode: 0 });
});

test("a signal that comes twice while the program loads is one: a report is written", async () => {
  // The process sends itself both as soon as it listens.
  const twice = `process.on("newListener", function listen(name) {
    if (name !== "SIGINT") return;
    process.off("newListener", listen);
    const send = () => process.kill(process.pid, "SIGINT");
    setImmediate(() => { send(); setImmediate(send); });
  });`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(twice)}`;
  const directory = temporaryDirectory();
  const run = startCommand(["contract"], directory, { NODE_OPTIONS: preload });
  expect(await run.exit).toMatchObject({ exitCode: 130 });
  expect(existsSync(join(directory, "reports/latest/report.json"))).toBe(true);
});

test.each(["SIGHUP", "SIGTERM"] as const)("%s, too, ends a run with its report", async (signal) => {
  const directory = temporaryDirectory();
  const run = startCommand(["contract"], directory);
  await run.printed(/checks to run/);
  run.kill(signal);
  expect(await run.exit).toMatchObject({ exitCode: 130 });
  expect(existsSync(join(directory, "reports/latest/report.json"))).toBe(true);
});

test("a process that is stopped for longer than its time-out accuses nobody of silence", async () => {
  const reference = await startReference();
  onTestFinished(async () => reference.stop());
  const words = ["contract", "--control", reference.controlUrl ?? "", "--timeout", "2s"];
  const run = startCommand(words, temporaryDirectory());
  await run.printed(/checks to run/);
  for (const afterMs of [300, 600]) {
    await sleep(afterMs);
    run.kill("SIGSTOP");
    await sleep(6000);
    run.kill("SIGCONT");
  }
  expect(await run.exit).toMatchObject({ exitCode: 0 });
});

test("an error that nothing awaits ends a run with its report and exit code 3, not 1", async () => {
  const broken = `process.on("newListener", function listen(name) {
    if (name !== "SIGHUP") return;
    process.off("newListener", listen);
    setTimeout(() => { throw new Error("broken on purpose"); }, 1000);
  });`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(broken)}`;
  const directory = temporaryDirectory();
  const run = startCommand(["contract"], directory, { NODE_OPTIONS: preload });
  const { exitCode, errors } = await run.exit;
  expect({ exitCode, isTold: errors.includes("broken on purpose") }).toEqual({
    exitCode: 3,
    isTold: true,
  });
  expect(existsSync(join(directory, "reports/latest/report.json"))).toBe(true);
});

test("serve ends with 0 at a signal, after the time that requests under way were given", async () => {
  const words = ["serve", "--no-control", "--real", "--stop-within", "12s", "--json"];
  const server = startCommand(words, temporaryDirectory());
  const told = /"baseUrl":"([^"]+)","endpointId":"([^"]+)","apiKey":"([^"]+)"/;
  const [, baseUrl = "", endpointId = "", apiKey = ""] = await server.printed(told);
  const url = `${baseUrl}/v2/${endpointId}`;
  const headers = { authorization: apiKey, "content-type": "application/json" };
  const body = JSON.stringify({ input: { op: "sleep", ms: 10_500, value: "done" } });
  const asked = fetch(`${url}/runsync?wait=11000`, { method: "POST", headers, body });
  const isAtWork = async (): Promise<boolean> =>
    (await (await fetch(`${url}/health`, { headers })).text()).includes('"inProgress":1');
  await vi.waitUntil(isAtWork, { timeout: 10_000 });
  server.kill("SIGTERM");
  expect(await (await asked).text()).toContain("COMPLETED");
  expect(await server.exit).toMatchObject({ exitCode: 0 });
});
