import { createServer } from "node:http";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { rulesFor } from "../../client/request-rules.ts";
import type { K6RatePhase, K6RateSettings } from "../../scenarios/k6/settings.ts";
import { k6Script } from "../k6/rate.ts";
import { runK6 } from "../k6/run.ts";
import type { K6Ending, K6Run } from "../k6/run.ts";
import { countOf } from "../k6/summary.ts";
import { realK6 } from "../../test/load/senders.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { K6Points } from "../k6/points.ts";
import { summaryOfPoints } from "./summary-of-points.ts";

const { k6, reason } = await realK6();

describe.skipIf(k6 === undefined)(`several of the real k6${reason && ` (${reason})`}`, () => {
  test("send together exactly what one sends, and begin together", async () => {
    const server = await countingServer();
    const phases = [
      phaseOf(server.url, "run-at", 100),
      phaseOf(server.url, "cancel-at", 80),
      phaseOf(server.url, "purge-queue-at", 2),
    ];
    const folder = temporaryDirectory();
    const startAtMs = Date.now() + 2_000;
    const files = [1, 2, 3].map((index) => join(folder, `${index}.json.gz`));

    const endings = await Promise.all(
      files.map((pointsFile, at) =>
        run({ phases }, { pointsFile, startAtMs, segment: { index: at + 1, of: 3 } }),
      ),
    );

    const points = new K6Points();
    for (const file of files) await points.add(file);
    const merged = summaryOfPoints(points.series);
    for (const { name, perWindow } of phases) {
      const part = `{phase:${name}}`;
      const sent = endings.map(({ summary }) =>
        countOf(summary ?? new Map(), `requests_sent${part}`),
      );
      expect(sent.reduce((sum, each) => sum + each, 0)).toBe(2 * perWindow);
      expect(countOf(merged, `requests_sent${part}`)).toBe(2 * perWindow);
      expect(countOf(merged, `requests_accepted${part}`)).toBe(2 * perWindow);
    }
    expect(server.counts.get("POST /v2/e/purge-queue")).toBe(4);
    expect(server.cancelled.size).toBe(160);
    const begun = points.requests.map(({ endedMs, durationMs }) => endedMs - durationMs);
    const ofPhases = points.requests.flatMap(({ tags }, at) =>
      tags["phase"] === undefined ? [] : [begun[at] ?? 0],
    );
    expect(Math.min(...ofPhases)).toBeGreaterThanOrEqual(startAtMs - 1);
  });

  test("leave points from which come the figures that k6 itself gives", async () => {
    const server = await countingServer();
    const pointsFile = join(temporaryDirectory(), "points.json.gz");

    const { summary } = await run({ phases: [phaseOf(server.url, "run-at", 100)] }, { pointsFile });

    const points = new K6Points();
    await points.add(pointsFile);
    const own = summaryOfPoints(points.series);
    for (const metric of ["http_req_duration", "http_req_duration{phase:run-at}", "lateness"]) {
      const { avg = NaN, ...others } = own.get(metric) ?? {};
      const { avg: given = NaN, ...rest } = summary?.get(metric) ?? {};
      expect(others).toMatchObject(
        Object.fromEntries(
          Object.entries(rest).map(([name, value]) => [name, expect.closeTo(value, 9)]),
        ),
      );
      expect(avg).toBeCloseTo(given, 6);
    }
    expect(points.requests).toHaveLength(200);
  });
});

function run(settings: K6RateSettings, options: Partial<K6Run>): Promise<K6Ending> {
  return runK6({
    k6: { path: k6?.path ?? "" },
    rules: rulesFor({ baseUrl: settings.phases[0]?.endpoint.url ?? "" }),
    script: k6Script("rate"),
    settings,
    timeLimitMs: 25_000,
    environment: process.env,
    ...options,
  });
}

/** Two windows of a second. */
function phaseOf(url: string, name: string, perWindow: number): K6RatePhase {
  const operation = (["purge-queue", "cancel", "run"] as const).find((each) =>
    name.startsWith(each),
  );
  const bounds = { min: 0, max: 2 * perWindow };
  return {
    name,
    operation: operation ?? "run",
    perWindow,
    endpoint: { url: `${url}/v2/e`, authorization: "key" },
    windowMs: 1_000,
    durationMs: 2_000,
    startMs: 0,
    inFlightMax: 20,
    errorMsMax: 10_000,
    sent: bounds,
    accepted: bounds,
  };
}

async function countingServer(): Promise<{
  readonly url: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly cancelled: ReadonlySet<string>;
}> {
  const counts = new Map<string, number>();
  const cancelled = new Set<string>();
  let jobs = 0;
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
    if (line.includes("/cancel/")) cancelled.add(line);
    jobs += 1;
    response.end(JSON.stringify({ id: `job-${jobs}`, status: "IN_QUEUE" }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, counts, cancelled };
}
