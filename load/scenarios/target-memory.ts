import { readFile, readdir, readlink } from "node:fs/promises";

import type { Series } from "../k6/points.ts";

/** The memory of the process that answers on a port of this machine, looked at from outside. */
export interface MemoryWatch {
  /** Ends the watch. Returns the medians of the first and the last quarter; empty where nothing could be seen. */
  readonly end: () => ReadonlyMap<string, Series>;
}

const sampleEveryMs = 1_000;

/**
 * Watches the target's process if it runs on this machine and the system is Linux.
 * @param fromMs the moment, in milliseconds since the epoch, before which nothing is sampled.
 */
export async function watchMemory(baseUrl: string, fromMs = 0): Promise<MemoryWatch> {
  const process = await processListeningOn(new URL(baseUrl));
  const bytes: number[] = [];
  const sample = async (): Promise<void> => {
    if (Date.now() < fromMs) return;
    const resident = process === undefined ? undefined : await residentBytes(process);
    if (resident !== undefined) bytes.push(resident);
  };
  await sample();
  const timer = setInterval(() => void sample(), sampleEveryMs).unref();
  return {
    end: () => {
      clearInterval(timer);
      return process === undefined ? new Map() : figuresOf(bytes);
    },
  };
}

function figuresOf(bytes: readonly number[]): ReadonlyMap<string, Series> {
  if (bytes.length === 0) return new Map();
  const quarter = Math.ceil(bytes.length / 4);
  const first = medianOf(bytes.slice(0, quarter));
  const last = medianOf(bytes.slice(-quarter));
  return new Map([
    ["memory.first", one(first)],
    ["memory.last", one(last)],
    ["memory.first.mb", one(inMegabytes(first))],
    ["memory.last.mb", one(inMegabytes(last))],
  ]);
}

function one(value: number): Series {
  return { type: "trend", values: [value] };
}

function inMegabytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);

async function processListeningOn({ hostname, port }: URL): Promise<string | undefined> {
  if (process.platform !== "linux" || !loopback.has(hostname) || port === "") return undefined;
  try {
    const inodes = await listeningInodes(Number(port));
    return await ownerOf(new Set(inodes.map((inode) => `socket:[${inode}]`)));
  } catch {
    return undefined;
  }
}

const stateListening = "0A";

async function listeningInodes(port: number): Promise<readonly string[]> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map(readOrNothing));
  return tables
    .flatMap((table) => table.split("\n").map((line) => line.trim().split(/\s+/)))
    .filter(([, local = "", , state]) => local.endsWith(wanted) && state === stateListening)
    .flatMap((columns) => columns[9] ?? []);
}

/** Other users' processes do not show their sockets: they are passed over. */
async function ownerOf(sockets: ReadonlySet<string>): Promise<string | undefined> {
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const id of processes) {
    const open = await readdir(`/proc/${id}/fd`).catch(() => []);
    for (const descriptor of open) {
      const link = await readlink(`/proc/${id}/fd/${descriptor}`).catch(() => "");
      if (sockets.has(link)) return id;
    }
  }
  return undefined;
}

async function residentBytes(id: string): Promise<number | undefined> {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(await readOrNothing(`/proc/${id}/status`))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
}

async function readOrNothing(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
