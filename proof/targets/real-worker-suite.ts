import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { requirementIds, validators, type RequirementId } from "../../openapi/index.ts";
import type { Report } from "../../reports/index.ts";
import { inDialect, specified, startReference, type Reference } from "../../reference/index.ts";
import { markOf, type Mark } from "./matrix.ts";
import { realWorkerReports, reportsIn, root } from "./target.ts";
import { startConformanceWorkers } from "../../interop/testing/conformance-workers.ts";
import { pythonWithRunpod } from "../../interop/testing/python.ts";

/**
 * `npm run interop` runs the contract suite against the emulator with real workers and their conformance handler. What
 * a busy machine left undecided, or broke by losing a worker, is tried again with less at once; every failure is listed
 * at the end. A crash also loses whatever else its process works
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
const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

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
  try {
    await haveCome(reference, WORKERS);
    process.stdout.write(`== ${run}\n`);
    const fixed = ["--control", reference.controlUrl ?? "", "--dialect", dialect];
    const place = ["--report", join(root, "reports", run)];
    const child = spawn(
      process.execPath,
      [main, "contract", ...fixed, ...place, ...words, ...process.argv.slice(2)],
      { stdio: "inherit" },
    );
    await once(child, "exit");
    return child.exitCode ?? 3;
  } finally {
    workers.stop();
    await reference.stop();
  }
}

/** The requirements whose last verdict in these reports is one of these marks. */
function idsWith(marks: readonly Mark[], reports: readonly Report[]): readonly RequirementId[] {
  return requirementIds.filter((id) => marks.includes(markOf(id, reports)));
}

/** In the dialect of the live service these times between the calls of a webhook are others. */
const openInDialect = new Set<RequirementId>(["HOOK-05", "HOOK-07"]);
/** The exit code of a run that decided nothing, and those of runs whose reports tell the rest. */
const NOTHING_DECIDED = 3;
const REPORTED = new Set([0, 1, 4]);

async function checkAgain(): Promise<number> {
  const open = idsWith(["?", "fail"], await reportsIn(realWorkerReports));
  const ids = open.filter((id) => !openInDialect.has(id));
  if (ids.length === 0) return 0;
  const code = await check("real-worker/again", ["--only", ids.join(",")]);
  return code === NOTHING_DECIDED ? 0 : code;
}

async function checkAsSpecified(): Promise<number> {
  const ids = idsWith(["?"], await reportsIn(realWorkerReports));
  return ids.length === 0
    ? 0
    : check("real-worker/as-specified", ["--only", ids.join(",")], "spec");
}

/** What all the runs together have decided, what they have not, and each failure with its reason. */
function summaryOf(reports: readonly Report[]): string {
  const count = (mark: Mark): number => idsWith([mark], reports).length;
  const list = (mark: Mark): string => idsWith([mark], reports).join(", ") || "none";
  const passed = new Set<string>(idsWith(["pass"], reports));
  const failures = reports
    .flatMap(({ requirements }) => requirements)
    .filter(({ verdict }) => verdict === "fail")
    .map(({ id, reason = "", checks }) => {
      const names = checks.filter(({ verdict }) => verdict === "fail").map(({ name }) => name);
      const end = passed.has(id) ? "; it passed when asked again" : "";
      return `failed: ${id} ${names.join(", ")}: ${reason}${end}\n`;
    });
  return (
    `\n== in all: ${count("pass")} passed, ${count("fail")} failed\n` +
    `not tried: ${list("-")}\n` +
    `tried and not decided: ${list("?")}\n` +
    failures.join("")
  );
}

await rm(join(root, "reports", "real-worker"), { recursive: true, force: true });
const codes = [
  await check("real-worker/without-crashes", []),
  await check("real-worker/crashes", ["--capability", "crash", "--only", "LIFE-05,HLTH-05"]),
  await checkAgain(),
  await checkAsSpecified(),
].filter((code) => !REPORTED.has(code));
const reports = await reportsIn(realWorkerReports);
if (reports.length < 2) throw new Error("a run left no report");
process.stdout.write(summaryOf(reports));
process.exitCode = Math.max(idsWith(["fail"], reports).length > 0 ? 1 : 0, ...codes);
