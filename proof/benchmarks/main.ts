import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";

import { markdownTable } from "markdown-table";

import { requirementIds } from "../../openapi/requirements.ts";
import { main, root } from "../../test/project.ts";
import { loadRows } from "./load.ts";
import { proxyRows } from "./proxy.ts";
import { reportRows } from "./report.ts";
import { serveRows } from "./serve.ts";
import { row } from "./row.ts";

/** Each figure is the median of this many runs, each in a process of its own. */
const runs = 5;

/** One run of the contract suite against the reference, from the start of the process to the written report. */
interface Run {
  readonly wallMs: number;
  readonly peakMemoryMb: number;
  readonly decided: number;
}

/**
 * `npm run bench` times everything. A word after `--` times one part: `load` what sends load, `report` the HTML report,
 * `proxy` the proxy and recordings, `serve` the local server, `suite` the contract suite on the virtual clock and the kill matrix.
 */
async function bench(only: string | undefined): Promise<void> {
  const [processor] = cpus();
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} cores (${processor?.model ?? "unknown"})\n\n`,
  );
  const wants = (part: string): boolean => only === undefined || only === part;
  if (wants("load")) process.stdout.write(`${tableOf(await loadRows())}\n\n`);
  if (wants("report")) process.stdout.write(`${tableOf(await reportRows())}\n\n`);
  if (wants("proxy")) process.stdout.write(`${tableOf(await proxyRows())}\n\n`);
  if (wants("serve")) process.stdout.write(`${tableOf(await serveRows())}\n\n`);
  if (wants("suite")) await benchSuite();
}

function tableOf(rows: readonly (readonly string[])[]): string {
  return markdownTable([["", "median", "least", "most", "unit"], ...rows]);
}

async function benchSuite(): Promise<void> {
  const measured: Run[] = [];
  for (let run = 0; run < runs; run += 1) measured.push(await contractRun());

  const table = tableOf([
    row(
      "contract suite, reference, virtual clock, start to report",
      measured.map(({ wallMs }) => wallMs),
      "ms",
    ),
    row(
      "peak resident memory",
      measured.map(({ peakMemoryMb }) => peakMemoryMb),
      "MB",
    ),
    row(
      "requirements decided",
      measured.map(({ decided }) => decided),
      `of ${requirementIds.length}`,
    ),
  ]);
  process.stdout.write(`${table}\n\n${await killMatrixLine()}\n`);
}

/** Runs the kill matrix once: every fault of the reference against the checks of what it breaks. */
async function killMatrixLine(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "queueproof-bench-"));
  const startedMs = performance.now();
  const child = fork(killMatrix, ["--out", join(directory, "matrix.md")], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  await once(child, "close");
  await rm(directory, { recursive: true });
  const summary = output.trimEnd().split("\n").at(-1) ?? "";
  return `kill matrix: ${((performance.now() - startedMs) / 1000).toFixed(0)} s; ${summary}`;
}

const killMatrix = join(root, "dist", "proof", "kill-matrix", "main.js");

async function contractRun(): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), "queueproof-bench-"));
  const startedMs = performance.now();
  const child = spawn(process.execPath, [main, "contract", "--reference", "--report", directory], {
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

await bench(process.argv[2]);
