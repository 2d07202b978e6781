import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";

import { markdownTable } from "markdown-table";

import { root } from "../../test/project.ts";
import { loadRows } from "./load.ts";
import { proxyRows } from "./proxy.ts";
import { reportRows } from "./report.ts";
import { serveRows } from "./serve.ts";
import { suiteRows } from "./suite.ts";

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
  if (!wants("suite")) return;
  process.stdout.write(`${tableOf(await suiteRows())}\n\n`);
  process.stdout.write(`${await killMatrixLine()}\n`);
}

function tableOf(rows: readonly (readonly string[])[]): string {
  return markdownTable([["", "median", "least", "most", "unit"], ...rows]);
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

await bench(process.argv[2]);
