import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

import { requirementIds } from "../../openapi/requirements.ts";
import { validators } from "../../openapi/generated/validators.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Report } from "../../reports/model.ts";
import { inDialect } from "../../reference/dialects.ts";
import { specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { markOf, type Mark } from "./matrix.ts";
import { realWorkerReports, reportsIn } from "./target.ts";
import { main, root } from "../../test/project.ts";
import { startConformanceWorkers } from "../../test/foreign/conformance-workers.ts";
import { pythonWithRunpod } from "../../test/foreign/python.ts";

/**
 * `npm run interop` runs the contract suite against the emulator with real workers and their conformance handler. What
 * a busy machine left undecided is tried again with less at once. A crash also loses whatever else its process works
 * on, so checks that need one have a run of their own. What the dialect of the live service leaves open about webhooks
 * is checked once more against the same workers in the dialect of the specification.
 */
const WORKERS = 3;
const COME_WITHIN_MS = 120_000;
/** A worker that says nothing for so long is replaced, and its jobs begin anew. */
const SILENCE_MS = { whereOneCrashes: 10_000, elsewhere: 60_000 };

type Run = (typeof realWorkerReports)[number];

const { missing } = pythonWithRunpod();
if (missing !== "") throw new Error(missing);

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

/** Runs the suite once, with a server and workers of its own, and returns the exit code. */
async function check(
  run: Run,
  words: readonly string[],
  dialect: "runpod" | "spec" = "runpod",
): Promise<number> {
  const reference = await startReference({
    behaviour: inDialect(dialect, specified) ?? specified,
    externalWorkers: {
      silenceMs: run === "real-worker/crashes" ? SILENCE_MS.whereOneCrashes : SILENCE_MS.elsewhere,
    },
  });
  const workers = startConformanceWorkers(reference, WORKERS);
  process.once("exit", workers.stop);
  try {
    await haveCome(reference, WORKERS);
    const fixed = ["--control", reference.controlUrl ?? "", "--dialect", dialect];
    const place = ["--report", join(root, "reports", run)];
    const child = spawn(
      process.execPath,
      [main, "contract", ...fixed, ...place, ...words, ...process.argv.slice(2)],
      { stdio: ["inherit", "pipe", "inherit"] },
    );
    const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
    // Whole, since runs go on side by side.
    process.stdout.write(`== ${run}\n${output}`);
    return child.exitCode ?? 3;
  } finally {
    workers.stop();
    await reference.stop();
  }
}

/** The requirements of which this is what these reports say in the end. */
function idsWith(mark: Mark, reports: readonly Report[]): readonly RequirementId[] {
  return requirementIds.filter((id) => markOf(id, reports) === mark);
}

async function undecided(): Promise<readonly RequirementId[]> {
  return idsWith("?", await reportsIn(realWorkerReports));
}

/** In the dialect of the live service these times between the calls of a webhook are others. */
const openInDialect = new Set<RequirementId>(["HOOK-05", "HOOK-07"]);
/** The exit codes of a run that decided nothing, and of one that left something open. */
const NOTHING_DECIDED = 3;
const LEFT_OPEN = 4;

/** Treats a run that left something open as a success: that is asked again, and listed at the end. */
function unlessOpen(code: number): number {
  return code === LEFT_OPEN ? 0 : code;
}

async function checkAgain(): Promise<number> {
  const ids = (await undecided()).filter((id) => !openInDialect.has(id));
  if (ids.length === 0) return 0;
  const code = await check("real-worker/again", ["--only", ids.join(",")]);
  return code === NOTHING_DECIDED ? 0 : unlessOpen(code);
}

async function checkAsSpecified(): Promise<number> {
  const ids = await undecided();
  if (ids.length === 0) return 0;
  return unlessOpen(await check("real-worker/as-specified", ["--only", ids.join(",")], "spec"));
}

/** What all the runs together have decided, what they have not, and each failure with its reason. */
async function summary(): Promise<string> {
  const reports = await reportsIn(realWorkerReports);
  const listOf = (mark: Mark): string => idsWith(mark, reports).join(", ") || "none";
  const failures = reports
    .flatMap(({ requirements }) => requirements)
    .filter(({ verdict }) => verdict === "fail")
    .map(({ id, reason = "", checks }) => {
      const names = checks.filter(({ verdict }) => verdict === "fail").map(({ name }) => name);
      return `failed: ${id} ${names.join(", ")}: ${reason}\n`;
    });
  return (
    `\n== in all: ${idsWith("pass", reports).length} passed, ${idsWith("fail", reports).length} failed\n` +
    `not tried: ${listOf("-")}\n` +
    `tried and not decided: ${listOf("?")}\n` +
    failures.join("")
  );
}

// Workers have process groups of their own, so that a signal to this process does not reach them.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

await rm(join(root, "reports", "real-worker"), { recursive: true, force: true });
const crashing = ["--capability", "crash", "--only", "LIFE-05,HLTH-05"];
const codes = [
  ...(
    await Promise.all([
      check("real-worker/without-crashes", []),
      check("real-worker/crashes", crashing),
    ])
  ).map(unlessOpen),
  await checkAgain(),
  await checkAsSpecified(),
];
process.stdout.write(await summary());
process.exitCode = Math.max(...codes);
