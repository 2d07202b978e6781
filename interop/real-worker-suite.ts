import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { validators } from "../openapi/index.ts";
import { inDialect, specified, startReference, type Reference } from "../reference/index.ts";
import { crew } from "./testing/crew.ts";
import { pythonWithRunpod } from "./testing/python.ts";

/**
 * The contract suite over harness, emulator, real workers and their conformance handler: one command,
 * `npm run interop`. A crash takes along whatever else its process works on, so what needs one is a
 * run of its own after the others.
 */
const runs = [
  { name: "without crashes", words: [] },
  { name: "crashes", words: ["--capability", "crash", "--only", "LIFE-05,HLTH-05"] },
];

const WORKERS = 2;
const COME_WITHIN_MS = 120_000;

async function haveCome({ baseUrl, endpointId, apiKey }: Reference, count: number): Promise<void> {
  const headers = { authorization: apiKey };
  const untilMs = Date.now() + COME_WITHIN_MS;
  while (Date.now() < untilMs) {
    const answer = await fetch(`${baseUrl}/v2/${endpointId}/health`, { headers });
    const health: unknown = await answer.json();
    if (validators.HealthAnswer(health) && health.workers.idle === count) return;
    await pause(200);
  }
  throw new Error("the workers did not come");
}

const { missing } = pythonWithRunpod();
if (missing !== "") throw new Error(missing);
const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

async function check({ name, words }: (typeof runs)[number]): Promise<number> {
  const reference = await startReference({
    behaviour: inDialect("runpod", specified) ?? specified,
    externalWorkers: { silenceMs: 10_000 },
  });
  const workers = crew(reference, WORKERS);
  await haveCome(reference, WORKERS);
  process.stdout.write(`== ${name}\n`);
  const report = `reports/real-worker/${name.replaceAll(" ", "-")}`;
  const fixed = ["--control", reference.controlUrl ?? "", "--dialect", "runpod"];
  const child = spawn(
    process.execPath,
    [main, "contract", ...fixed, "--report", report, ...words, ...process.argv.slice(2)],
    { stdio: "inherit" },
  );
  await once(child, "exit");
  workers.stop();
  await reference.stop();
  return child.exitCode ?? 3;
}

for (const run of runs) {
  const code = await check(run);
  if (code !== 0) process.exitCode = code;
}
