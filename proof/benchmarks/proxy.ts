import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { Client } from "undici";
import { main } from "../../test/project.ts";
import { running } from "../../test/running-server.ts";
import { row } from "./row.ts";

const rounds = 5;
const requestsInTurn = 2_000;
const secondsOfLoad = 5;
const recordedExchanges = 1_000_000;
const target = "/v2/e/status/j";
const headers = { authorization: "a-key-for-a-benchmark" };

/** What the proxy costs, and what a recording of a million exchanges does. */
export async function proxyRows(): Promise<readonly (readonly string[])[]> {
  const answer = Buffer.from('{"id":"j","status":"IN_PROGRESS"}');
  const server = await running(
    createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "application/json" }).end(answer);
    }),
  );
  const folder = await mkdtemp(join(tmpdir(), "queueproof-bench-"));
  const proxy = spawn(
    process.execPath,
    [main, "proxy", "--base-url", server.baseUrl, "--report", folder, "--format", "json"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  try {
    const url = await listeningAt(proxy);
    const [added, rates]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const direct = await medianMs(server.baseUrl);
      added.push((await medianMs(url)) - direct);
      const { requests } = await autocannon({
        url: `${url}${target}`,
        headers,
        connections: 10,
        duration: secondsOfLoad,
      });
      rates.push(requests.average);
    }
    const peakMb = await peakMemoryMb(proxy.pid);
    const recordings: (readonly string[])[] = [];
    for (const kind of kinds) recordings.push(...(await recordingRows(folder, kind)));
    return [
      row("the proxy adds at the median, one request at a time", added, "ms"),
      row("requests a second through the proxy, ten connections", rates, "1/s"),
      row("the proxy's peak memory after all of them", [peakMb], "MB"),
      ...recordings,
    ];
  } finally {
    proxy.kill("SIGINT");
    await once(proxy, "exit");
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function listeningAt(proxy: ChildProcess): Promise<string> {
  let said = "";
  for await (const piece of proxy.stdout ?? []) {
    said += String(piece);
    const [, url] = /listens on (\S+),/.exec(said) ?? [];
    if (url !== undefined) {
      proxy.stdout?.resume();
      return url;
    }
  }
  throw new Error(`the proxy did not start: ${said}`);
}

/** The median time of an answer, one request after the other. */
async function medianMs(url: string): Promise<number> {
  const client = new Client(url);
  const took: number[] = [];
  for (let sent = 0; sent < requestsInTurn; sent += 1) {
    const startedMs = performance.now();
    const { body } = await client.request({ path: target, method: "GET", headers });
    await body.dump();
    took.push(performance.now() - startedMs);
  }
  await client.close();
  return took.toSorted((one, other) => one - other)[requestsInTurn / 2] ?? 0;
}

async function peakMemoryMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid ?? "self"}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** A kind of file that holds recorded exchanges: what it begins with, each of them, and what it ends with. */
interface RecordingKind {
  readonly name: string;
  readonly begins: string;
  readonly exchange: (number: number) => string;
  readonly ends: string;
}

const kinds: readonly RecordingKind[] = [
  { name: "recording.ndjson", begins: "", exchange: lineOf, ends: "" },
  {
    name: "recording.har",
    begins: '{"log":{"version":"1.2","entries":[',
    exchange: (number) => `${number === 1 ? "" : ","}${harEntryOf(number)}`,
    ends: "]}}",
  },
];

/** Judges a million recorded exchanges of some hundred thousand jobs. */
async function recordingRows(
  folder: string,
  { name, begins, exchange, ends }: RecordingKind,
): Promise<readonly (readonly string[])[]> {
  const path = join(folder, name);
  const file = createWriteStream(path);
  file.write(begins);
  for (let number = 1; number <= recordedExchanges; number += 1) {
    if (!file.write(exchange(number))) await once(file, "drain");
  }
  file.end(ends);
  await once(file, "close");
  const words = [
    "-v",
    process.execPath,
    main,
    "traffic",
    path,
    "--report",
    join(folder, "traffic"),
    "--format",
    "json",
  ];
  const startedMs = performance.now();
  const child = spawn("/usr/bin/time", words, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`the recording was not judged: ${said}`);
  const seconds = (performance.now() - startedMs) / 1000;
  const peakKb = Number(
    /Maximum resident set size \(kbytes\): (\d+)/.exec(said)?.[1] ?? Number.NaN,
  );
  return [
    row(`a million exchanges of ${name} judged`, [seconds], "s"),
    row("peak memory of that", [peakKb / 1024], "MB"),
  ];
}

/** Each job is submitted and read nine times. */
function lineOf(number: number): string {
  const id = `job-${Math.floor(number / 10)}`;
  const isSubmission = number % 10 === 0;
  const status = isSubmission ? "IN_QUEUE" : "IN_PROGRESS";
  const arrivedMs = 1_800_000_000_000 + number * 10;
  const text = JSON.stringify({ id, status, delayTime: 1, executionTime: 1 });
  return `${JSON.stringify({
    number,
    connection: 1,
    method: isSubmission ? "POST" : "GET",
    origin: "http://127.0.0.1:8080",
    target: isSubmission ? "/v2/e/run" : `/v2/e/status/${id}`,
    headers: { authorization: "key-0123456789abcdef", "content-type": "application/json" },
    body: { text: isSubmission ? '{"input":{}}' : "", kind: "whole" },
    arrivedMs,
    answer: {
      status: 200,
      headers: { "content-type": "application/json" },
      body: { text, kind: "whole" },
      beganMs: arrivedMs + 3,
      endedMs: arrivedMs + 4,
    },
  })}\n`;
}

function harEntryOf(number: number): string {
  const id = `job-${Math.floor(number / 10)}`;
  const isSubmission = number % 10 === 0;
  const status = isSubmission ? "IN_QUEUE" : "IN_PROGRESS";
  const json = { mimeType: "application/json" };
  return JSON.stringify({
    startedDateTime: new Date(1_800_000_000_000 + number * 10).toISOString(),
    time: 4,
    request: {
      method: isSubmission ? "POST" : "GET",
      url: `http://127.0.0.1:8080${isSubmission ? "/v2/e/run" : `/v2/e/status/${id}`}`,
      httpVersion: "HTTP/1.1",
      headers: [{ name: "authorization", value: "key-0123456789abcdef" }],
      queryString: [],
      cookies: [],
      ...(isSubmission && { postData: { ...json, text: '{"input":{}}' } }),
    },
    response: {
      status: 200,
      statusText: "OK",
      headers: [{ name: "content-type", value: json.mimeType }],
      content: {
        ...json,
        text: JSON.stringify({ id, status, delayTime: 1, executionTime: 1 }),
      },
    },
    timings: { send: 0, wait: 3, receive: 1 },
  });
}
