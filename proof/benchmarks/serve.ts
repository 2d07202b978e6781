import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import autocannon from "autocannon";

import { record } from "../../test/cli/record.ts";
import { startServeProcess } from "../serve-process.ts";
import { row } from "./row.ts";

const rounds = 5;
const roundSeconds = 2;
const heldJobs = 100_000;
/** The unit in which Linux counts processor time. */
const tickMicroseconds = 10_000;

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Speed {
  readonly perSecond: number;
  readonly processorMicroseconds: number;
}

const echo = JSON.stringify({ input: { op: "echo", value: "hello" } });
const long = JSON.stringify({
  input: { op: "sleep", ms: 86_400_000 },
  policy: { executionTimeout: 604_800_000 },
});

/**
 * Measures how many status reads and submissions `serve` answers per second over real HTTP: with few jobs, with 100,000
 * held, and with a state file. Its limits are counted but raised, so that nothing is refused.
 */
export async function serveRows(): Promise<readonly (readonly string[])[]> {
  const directory = await mkdtemp(join(tmpdir(), "queueproof-bench-"));
  try {
    const memory = await rowsOf("", [], true);
    const kept = await rowsOf(", with --state", ["--state", join(directory, "state.db")], false);
    return [...memory, ...kept];
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function rowsOf(
  name: string,
  options: readonly string[],
  held: boolean,
): Promise<readonly (readonly string[])[]> {
  const server = await start(options);
  try {
    // One of two workers is busy for a day, so that there is a job to read and the allowance counts.
    const id = await submit(server, long);
    const rows = await measured(server, id, name);
    if (!held) return rows;
    const before = await residentMb(server);
    await send(server, { amount: heldJobs, method: "POST", path: "/run", body: long });
    const bytes = ((await residentMb(server)) - before) * 1_048_576;
    const suffix = `, ${heldJobs.toLocaleString("en")} jobs held`;
    const memory = row("serve: memory of a held job", [Math.round(bytes / heldJobs)], "bytes");
    return [...rows, ...(await measured(server, id, suffix)), memory];
  } finally {
    server.child.kill();
    await once(server.child, "exit");
  }
}

async function measured(
  server: Server,
  id: string,
  name: string,
): Promise<readonly (readonly string[])[]> {
  const reads: Speed[] = [];
  const submissions: Speed[] = [];
  for (let round = 0; round < rounds; round += 1) {
    reads.push(await send(server, { method: "GET", path: `/status/${id}` }));
    submissions.push(await send(server, { method: "POST", path: "/run", body: echo }));
  }
  return [
    ...speedRows(`serve: status reads${name}`, reads),
    ...speedRows(`serve: submissions${name}`, submissions),
  ];
}

function speedRows(name: string, speeds: readonly Speed[]): readonly (readonly string[])[] {
  return [
    row(
      name,
      speeds.map(({ perSecond }) => Math.round(perSecond)),
      "per second",
    ),
    row(
      `${name}, processor time of the server`,
      speeds.map(({ processorMicroseconds }) => Math.round(processorMicroseconds)),
      "µs each",
    ),
  ];
}

async function start(options: readonly string[]): Promise<Server> {
  const words = ["--workers", "2", "--allowance", "1000000000", ...options];
  const { child, told } = await startServeProcess(words);
  const { baseUrl, endpointId, apiKey = "" } = told;
  return {
    child,
    url: `${baseUrl}/v2/${endpointId}`,
    headers: { authorization: apiKey, "content-type": "application/json" },
  };
}

async function submit({ url, headers }: Server, body: string): Promise<string> {
  const response = await fetch(`${url}/run`, { method: "POST", headers, body });
  return String(record(await response.json())["id"]);
}

interface Load {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly amount?: number;
}

/** @throws Error where a request was refused, since the figure would then be that of refusals */
async function send(server: Server, { method, path, body, amount }: Load): Promise<Speed> {
  const cpuBefore = await cpuMicroseconds(server);
  const { requests, non2xx, errors } = await autocannon({
    url: `${server.url}${path}`,
    method,
    headers: server.headers,
    connections: 32,
    ...(body !== undefined && { body }),
    ...(amount === undefined ? { duration: roundSeconds } : { amount }),
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests of ${path} were refused`);
  const cpu = (await cpuMicroseconds(server)) - cpuBefore;
  return { perSecond: requests.average, processorMicroseconds: cpu / requests.total };
}

/** The processor time that a process has used, in microseconds; 0 where the system does not tell. */
async function cpuMicroseconds({ child }: Server): Promise<number> {
  const text = await readFile(`/proc/${child.pid}/stat`, "utf8").catch(() => "");
  const [, user = 0, system = 0] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(text)?.map(Number) ?? [];
  return (user + system) * tickMicroseconds;
}

async function residentMb({ child }: Server): Promise<number> {
  const text = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1_024;
}
