import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { validators } from "../openapi/index.ts";
import { inDialect, specified, startReference, type Reference } from "../reference/index.ts";
import { parseReport } from "../reports/index.ts";
import { crew } from "./testing/crew.ts";
import { pythonWithRunpod } from "./testing/python.ts";

/**
 * The contract suite over harness, emulator, real workers and their conformance handler: one command,
 * `npm run interop`. What a busy machine left undecided is tried again with less at once. A crash takes
 * along whatever else its process works on, so what needs one is a run of its own.
 */
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

async function check(name: string, words: readonly string[]): Promise<number> {
  const reference = await startReference({
    behaviour: inDialect("runpod", specified) ?? specified,
    externalWorkers: { silenceMs: 10_000 },
  });
  const workers = crew(reference, WORKERS);
  await haveCome(reference, WORKERS);
  process.stdout.write(`== ${name}\n`);
  const report = directoryOf(name);
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

function directoryOf(name: string): string {
  return `reports/real-worker/${name.replaceAll(" ", "-")}`;
}

/** What a run tried and could not decide, as a machine that is busy with everything at once leaves it. */
async function undecidedIn(name: string): Promise<readonly string[]> {
  const path = `${directoryOf(name)}/report.json`;
  const report = parseReport(await readFile(path, "utf8"), path);
  return report.requirements
    .filter(({ verdict }) => verdict === "inconclusive")
    .map(({ id }) => id);
}

const whole = await check("without crashes", []);
const undecided = await undecidedIn("without crashes");
const again = undecided.length === 0 ? 0 : await check("again", ["--only", undecided.join(",")]);
const crashes = await check("crashes", ["--capability", "crash", "--only", "LIFE-05,HLTH-05"]);
process.exitCode = Math.max(whole, again, crashes);
