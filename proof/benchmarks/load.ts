import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

import { rulesFor } from "../../client/request-rules.ts";
import { findTool } from "../../load/go-tools/find.ts";
import { k6Tool } from "../../load/k6/tool.ts";
import { generatorError } from "../../load/probe/generator-error.ts";
import type { GeneratorError } from "../../load/probe/generator-error.ts";
import { Pool } from "../../load/probe/pool.ts";
import { serialise, stamped } from "../../load/probe/request.ts";
import type { WireRequest } from "../../load/probe/request.ts";
import { start, nextMessageWith } from "./children.ts";
import { row } from "./row.ts";

/** Each figure is the median of this many rounds; each round runs everything once, so that noise hits all alike. */
const rounds = 7;
const requestsEach = 20_000;

const clients = ["probe", "undici", "autocannon", "autocannon driver"] as const;

/** Measures what sending costs, how close together and how punctually requests are sent, and how fast engines start. */
export async function loadRows(): Promise<readonly (readonly string[])[]> {
  const server = start("server-process");
  try {
    const ports = await nextMessageWith(server, "http", "raw");
    const url = `http://127.0.0.1:${ports.http[0] ?? 0}/`;
    const cost = await costs(url);
    return [
      ...clients.map((name) => row(`CPU per request, ${name}`, cost[name], "µs")),
      ratio("probe / undici dispatch", cost.probe, cost.undici),
      ratio("probe / autocannon", cost.probe, cost.autocannon),
      ratio("autocannon driver / autocannon", cost["autocannon driver"], cost.autocannon),
      ...(await spreadRows(server, ports.raw[0] ?? 0)),
      ...(await scheduleRows(url)),
      ...(await startRows(url)),
    ];
  } finally {
    server.kill();
  }
}

type Costs = Record<(typeof clients)[number], number[]>;

async function costs(url: string): Promise<Costs> {
  const found: Costs = { probe: [], undici: [], autocannon: [], "autocannon driver": [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of clients) {
      const client = start("client-process", [name, url, String(requestsEach)]);
      const { cpuUsPerRequest } = await nextMessageWith(client, "cpuUsPerRequest");
      found[name].push(...cpuUsPerRequest);
    }
  }
  return found;
}

/** A row of the ratios of two figures of the same round, which met the same noise. */
function ratio(
  what: string,
  above: readonly number[],
  below: readonly number[],
): readonly string[] {
  const ratios = above.map((each, at) => each / (below[at] ?? Number.NaN));
  return row(what, ratios, "ratio");
}

const together = 401;

/** Times 401 requests that are released by their last byte: from first to last sent, and from first to last arrived. */
async function spreadRows(
  server: ChildProcess,
  port: number,
): Promise<readonly (readonly string[])[]> {
  const url = `http://127.0.0.1:${port}/`;
  const rules = rulesFor({ baseUrl: url });
  const request = serialise({ method: "POST", url, headers: {}, body: '{"input":{"a":1}}' }, rules);
  const arrived: number[] = [];
  const sent: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ready = once(server, "message");
    server.send({ count: together, bytes: request.bytes.length });
    await ready;
    const pool = new Pool(new URL(url), rules);
    const held = await pool.holdBodies(Array.from({ length: together }, () => request));
    const arrivedOf401s = nextMessageWith(server, "arrivedMs");
    held.release();
    const exchanges = await Promise.all(held.exchanges);
    arrived.push(spanOf((await arrivedOf401s).arrivedMs));
    sent.push(spanOf(exchanges.map(({ sentMs }) => sentMs)));
    pool.close();
  }
  return [
    row(`${together} requests together, first to last sent`, sent, "ms"),
    row(`${together} requests together, first to last arrived`, arrived, "ms"),
  ];
}

function spanOf(timesMs: readonly number[]): number {
  return Math.max(...timesMs) - Math.min(...timesMs);
}

const scheduled = 2_000;
const scheduledMs = 10_000;
const schedules = 3;
const lastStretchMs = 2;

async function scheduleRows(url: string): Promise<readonly (readonly string[])[]> {
  const rules = rulesFor({ baseUrl: url });
  const request = serialise({ method: "GET", url, headers: {} }, rules);
  const errors: GeneratorError[] = [];
  for (let round = 0; round < schedules; round += 1) {
    const pool = new Pool(new URL(url), rules);
    errors.push(await latenessOf(pool, request));
    pool.close();
  }
  const of = (what: "p50Ms" | "p99Ms" | "maxMs"): number[] => errors.map((each) => each[what]);
  return [
    row("2000 requests in 10 s, late by, p50", of("p50Ms"), "ms"),
    row("2000 requests in 10 s, late by, p99", of("p99Ms"), "ms"),
    row("2000 requests in 10 s, late by, most", of("maxMs"), "ms"),
  ];
}

/** Sends a request at even distances, without waiting for answers, and tells how late each was. */
async function latenessOf(pool: Pool, request: WireRequest): Promise<GeneratorError> {
  const startMs = performance.now();
  const sent: Promise<{ readonly intendedMs: number; readonly sentMs: number }>[] = [];
  for (let at = 0; at < scheduled; at += 1) {
    const intendedMs = startMs + (at * scheduledMs) / scheduled;
    const ready = stamped(request);
    await until(intendedMs);
    sent.push(pool.send(request, ready).then(({ sentMs }) => ({ intendedMs, sentMs })));
  }
  return generatorError(await Promise.all(sent));
}

/** Timers are late by a millisecond or two, so the last stretch before a moment is spent in setImmediate turns. */
async function until(momentMs: number): Promise<void> {
  const waitMs = momentMs - performance.now() - lastStretchMs;
  if (waitMs > 0) await pause(waitMs);
  while (performance.now() < momentMs) await new Promise((resolve) => setImmediate(resolve));
}

async function startRows(url: string): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for (const name of ["probe", "autocannon driver"]) {
    const walls: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const beganMs = performance.now();
      await once(start("client-process", [name, url, "1"]), "exit");
      walls.push(performance.now() - beganMs);
    }
    rows.push(row(`start to end, two requests by ${name}`, walls, "ms"));
  }
  const found = await findTool(k6Tool, process.env);
  if ("missing" in found) return rows;
  const walls: number[] = [];
  for (let round = 0; round < rounds; round += 1) walls.push(await emptyK6Run(found.path));
  return [...rows, row(`start to end, an empty script by k6 ${found.version}`, walls, "ms")];
}

async function emptyK6Run(path: string): Promise<number> {
  const beganMs = performance.now();
  const child = spawn(path, ["run", "--quiet", "--no-usage-report", "--address=", "-"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.end("export default function () {}");
  await once(child, "exit");
  return performance.now() - beganMs;
}
