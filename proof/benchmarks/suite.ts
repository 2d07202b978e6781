import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { requirementIds } from "../../openapi/requirements.ts";
import { startRelay } from "../../traffic/recording/relay.ts";
import type { RecordedExchange } from "../../traffic/recording/recorded-exchange.ts";
import { main } from "../../test/project.ts";
import { startServeProcess } from "../serve-process.ts";
import { nextMessageWith, start } from "./children.ts";
import { replayed, scriptOf } from "./replay.ts";
import type { ReplayedRun, RecordedRun } from "./replay.ts";
import { row } from "./row.ts";

/** Each figure is the median of this many rounds, each in processes of its own. */
const rounds = 7;

/** One run of the contract suite against the reference, from the start of the process to the written report. */
interface Run {
  readonly wallMs: number;
  readonly peakMemoryMb: number;
  readonly decided: number;
}

interface Round {
  readonly run: Run;
  readonly ofReference: ReplayedRun;
  readonly atOnce: ReplayedRun;
}

/**
 * Times the contract suite on a virtual clock, and beside each run the same requests by bare undici: against the
 * reference, and against a server that answers each at once. What the suite takes beyond them is its own.
 */
export async function suiteRows(): Promise<readonly (readonly string[])[]> {
  const script = scriptOf(await recordedRun());
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) measured.push(await measure(script));
  const rows: readonly (readonly [string, (round: Round) => number, string])[] = [
    ["contract suite, reference, virtual clock, start to report", ({ run }) => run.wallMs, "ms"],
    ["its requests by bare undici, the same server", ({ ofReference }) => ofReference.wallMs, "ms"],
    [
      "its requests by bare undici, a server that answers at once",
      ({ atOnce }) => atOnce.wallMs,
      "ms",
    ],
    [
      "suite / its requests, the same server",
      ({ run, ofReference }) => run.wallMs / ofReference.wallMs,
      "ratio",
    ],
    ["requests sent again", ({ ofReference }) => ofReference.sent, ""],
    [
      "of them with another status than in the run, or with none",
      ({ ofReference }) => ofReference.otherStatuses,
      "",
    ],
    [
      "of them sent before an answer that came before them in the run",
      ({ ofReference }) => ofReference.early,
      "",
    ],
    ["peak resident memory of the suite", ({ run }) => run.peakMemoryMb, "MB"],
    ["requirements decided", ({ run }) => run.decided, `of ${requirementIds.length}`],
  ];
  return rows.map(([what, valueOf, unit]) => row(what, measured.map(valueOf), unit));
}

async function measure(script: RecordedRun): Promise<Round> {
  const run = await contractRun(["--reference"]);
  const serve = await startServeProcess(["--port", "0"]);
  const server = start("server-process");
  try {
    const ofReference = await replayed(script, new URL(serve.told["baseUrl"] ?? "").origin);
    const { http } = await nextMessageWith(server, "http");
    const atOnce = await replayed(script, `http://127.0.0.1:${String(http[0])}`);
    return { run, ofReference, atOnce };
  } finally {
    serve.child.kill();
    server.kill();
  }
}

/** Runs the suite once against a reference in a process of its own, through a relay that records. */
async function recordedRun(): Promise<readonly RecordedExchange[]> {
  const serve = await startServeProcess(["--port", "0"]);
  const recorded: RecordedExchange[] = [];
  const relay = await startRelay({
    baseUrl: new URL(serve.told["baseUrl"] ?? "").origin,
    onExchange: (exchange) => recorded.push(exchange),
  });
  try {
    const { pathname } = new URL(serve.told["controlUrl"] ?? "");
    const control = `${relay.baseUrl}${pathname}`;
    await contractRun(["--base-url", relay.baseUrl, "--control", control]);
    return recorded;
  } finally {
    await relay.stop();
    serve.child.kill();
  }
}

async function contractRun(target: readonly string[]): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), "queueproof-bench-"));
  const startedMs = performance.now();
  const child = spawn(process.execPath, [main, "contract", ...target, "--report", directory], {
    stdio: "ignore",
  });
  let peakMemoryMb = 0;
  const sampling = setInterval(() => {
    peakMemoryMb = Math.max(peakMemoryMb, residentMb(child.pid));
  }, 50);
  await once(child, "exit");
  const wallMs = Math.round(performance.now() - startedMs);
  clearInterval(sampling);
  if (child.exitCode !== 0) throw new Error(`the suite ended with ${String(child.exitCode)}`);
  const decided = await decidedIn(join(directory, "report.json"));
  await rm(directory, { recursive: true });
  return { wallMs, peakMemoryMb, decided };
}

/** The most memory that a process has held so far, in MB; 0 where the system does not tell. */
function residentMb(pid: number | undefined): number {
  const path = `/proc/${String(pid)}/status`;
  if (!existsSync(path)) return 0;
  const status = readFileSync(path, "utf8");
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? "0";
  return Math.round(Number(kilobytes) / 1024);
}

async function decidedIn(path: string): Promise<number> {
  const text = await readFile(path, "utf8");
  const match = /"requirements":\s*\{\s*"pass":\s*(\d+),\s*"fail":\s*(\d+)/.exec(text);
  return Number(match?.[1] ?? 0) + Number(match?.[2] ?? 0);
}
