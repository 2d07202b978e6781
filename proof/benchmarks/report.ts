import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { requirementIds } from "../../openapi/requirements.ts";
import { createReport } from "../../reports/create-report.ts";
import { writeReports } from "../../reports/write.ts";
import type { CheckResult, LoadResult, LoadSamples, Report } from "../../reports/model.ts";
import { toolVersion } from "../../openapi/installation.ts";
import { startBrowser } from "../../test/browser.ts";
import { row } from "./row.ts";

const runs = 5;
const checks = 1000;
const failing = 50;
const traces = 20;
const requestsOfTrace = 50_000;
const exchangesOfFailure = 12;

/** Times the HTML report of 1000 checks and a million load samples: made, written, and opened in Chromium. */
export async function reportRows(): Promise<readonly (readonly string[])[]> {
  const directory = await mkdtemp(join(tmpdir(), "queueproof-bench-"));
  const input = { results: results(), load: load() };
  const browser = await startBrowser().catch(() => undefined);
  const written: number[] = [];
  const worked: number[] = [];
  const opened: number[] = [];
  let bytes = 0;
  try {
    for (let run = 0; run < runs; run += 1) {
      const startedMs = performance.now();
      const cpuBefore = process.cpuUsage();
      const [file = ""] = await writeReports(report(input), { directory, formats: ["html"] });
      written.push(performance.now() - startedMs);
      const { user, system } = process.cpuUsage(cpuBefore);
      worked.push((user + system) / 1000);
      bytes = (await stat(file)).size;
      const page = await browser?.newPage();
      if (page === undefined) continue;
      await page.goto(pathToFileURL(file).href);
      await page.waitForSelector("html[data-ready]");
      opened.push(await page.evaluate<number>("performance.now()"));
      await page.close();
    }
  } finally {
    await browser?.close();
    await rm(directory, { recursive: true });
  }
  const of = `HTML report, ${checks} checks, ${traces * requestsOfTrace} load samples`;
  return [
    row(`${of}, made and written`, written.map(Math.round), "ms"),
    row("of that on the processor", worked.map(Math.round), "ms"),
    row("ready to use in Chromium", opened.map(Math.round), "ms"),
    row("size", [Math.round(bytes / 1000)], "kB"),
  ];
}

interface Input {
  readonly results: readonly CheckResult[];
  readonly load: readonly LoadResult[];
}

function report(input: Input): Report {
  return createReport({
    toolVersion: toolVersion(),
    command: "run",
    seed: 1,
    startedAt: new Date(),
    durationMs: 60_000,
    target: { baseUrl: "http://127.0.0.1:8080", endpointId: "e", capabilities: ["handler"] },
    ...input,
  });
}

function results(): readonly CheckResult[] {
  return Array.from({ length: checks }, (_, at) => {
    const id = requirementIds[at % requirementIds.length] ?? "AUTH-01";
    const name = `area/a-check-with-a-usual-name-${at}`;
    const title = "a sentence of a usual length that says what the check is about";
    const common = { name, title, covers: [id], durationMs: 12 };
    if (at >= failing) return { ...common, verdict: "pass", evidence: [] };
    const mismatch = { requirement: id, at: "status", expected: "COMPLETED", got: "FAILED" };
    const evidence = Array.from({ length: exchangesOfFailure }, () => exchange);
    return { ...common, verdict: "fail", mismatches: [mismatch], evidence };
  });
}

const exchange: CheckResult["evidence"][number] = {
  request: {
    method: "GET",
    url: "http://127.0.0.1:8080/v2/e/status/j",
    headers: { authorization: "***", accept: "application/json" },
    body: null,
  },
  response: {
    status: 200,
    headers: { "content-type": "application/json" },
    body: { id: "j", status: "FAILED", delayTime: 12, executionTime: 34 },
  },
  atMs: 100,
  durationMs: 3,
  curl: "curl -sS 'http://127.0.0.1:8080/v2/e/status/j' -H 'authorization: ***'",
};

function load(): readonly LoadResult[] {
  return Array.from({ length: traces }, (_, at) => ({
    scenario: `rate/limit-${at}`,
    engine: "probe",
    figures: { accepted: 2000, requests: requestsOfTrace },
    requirements: ["RATE-01"],
    samples: [trace()],
  }));
}

/** Makes a trace of 66 s at a rate above the limit, as the probe sends it. */
function trace(): LoadSamples {
  const spanMs = 66_000;
  const intendedMs = Float64Array.from(
    { length: requestsOfTrace },
    (_, at) => (at * spanMs) / requestsOfTrace,
  );
  const sentMs = intendedMs.map((ms, at) => ms + (at % 7) / 10);
  return {
    name: "a steady rate above the limit",
    operation: "status",
    clock: "real",
    intendedMs,
    sentMs,
    answeredMs: sentMs.map((ms, at) => ms + 0.5 + (at % 97) / 10),
    status: Uint16Array.from(sentMs, (ms) => (ms % 10_000 < 2500 ? 200 : 429)),
    limit: 2000,
    windowMs: 10_000,
    cap: 400,
  };
}
