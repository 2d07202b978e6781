import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";

import type { Report } from "../reports/index.ts";
import { runToReport } from "./contract-run.ts";
import { watchLoad } from "./load-watch.ts";
import type { LoadWatch } from "./load-watch.ts";
import { contractSettings } from "./settings/contract.ts";
import { fakeIo } from "./testing/fake-io.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

const stopped = "the load was stopped: 51 of the last 100 answers of the target were 5xx";

afterEach(() => void vi.useRealTimers());

function watched(isSpared: boolean, interruption = new AbortController().signal): LoadWatch {
  const watch = watchLoad({ interruption, timeLimitMs: 5_000, isSpared });
  onTestFinished(() => watch.stop());
  return watch;
}

describe("a load that is watched", () => {
  test("counts what is sent and what came of it", () => {
    const { meter, counts } = watched(true);
    for (const status of [200, 429, 503, 404, 0]) {
      meter.sent();
      meter.answered(status);
    }
    expect(counts).toEqual({ sent: 5, over: 5, accepted: 1, refused: 1 });
  });

  test.each([
    { isSpared: true, good: 50, broken: 50, why: undefined },
    { isSpared: true, good: 49, broken: 51, why: stopped },
    { isSpared: true, good: 0, broken: 99, why: undefined },
    { isSpared: false, good: 0, broken: 500, why: undefined },
  ])(
    "another machine ($isSpared), $good good and $broken broken answers",
    ({ isSpared, good, broken, why }) => {
      const { meter, signal } = watched(isSpared);
      for (let at = 0; at < good; at += 1) meter.answered(200);
      for (let at = 0; at < broken; at += 1) meter.answered(500 + (at % 5));
      expect(signal.reason).toBe(why);
    },
  );

  test("is stopped soon by a target that breaks after a long time", () => {
    const { meter, signal } = watched(true);
    for (let at = 0; at < 50_000; at += 1) meter.answered(200);
    for (let at = 0; at < 500; at += 1) meter.answered(503);
    expect(signal.aborted).toBe(false);
    meter.answered(503);
    expect(signal.reason).toBe(
      "the load was stopped: 501 of the last 1000 answers of the target were 5xx",
    );
  });

  test("is stopped at its time limit", () => {
    vi.useFakeTimers();
    const { signal } = watched(false);
    vi.advanceTimersByTime(4_999);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.reason).toBe("the load was stopped at its time limit of 5 s");
  });

  test("is stopped by an interruption, also one that came before", () => {
    const controller = new AbortController();
    const { signal } = watched(false, controller.signal);
    expect(signal.aborted).toBe(false);
    controller.abort();
    expect(signal.aborted).toBe(true);
    expect(watched(false, controller.signal).signal.aborted).toBe(true);
  });
});

// 0.0.0.0 leads to this machine, and is no address of loopback.
describe("load on another machine ends in the middle of a check", () => {
  test("when it answers 5xx to most requests", async () => {
    const server = await stub((request) => (isSubmission(request) ? 503 : 200));
    const report = await loadOn(server.elsewhere, ["RATE-05"]);

    expect(reasonOf(report, "RATE-05")).toMatch(/answers of the target were 5xx/);
    expect(server.requests.length).toBeLessThan(400);
    expect(report.interrupted).toBe(true);
  });

  test("when it is interrupted, and leaves the jobs it made cancelled", async () => {
    const controller = new AbortController();
    const server = await stub((request, count) => {
      if (isSubmission(request) && count > 60) controller.abort();
      return 200;
    });
    const report = await loadOn(server.elsewhere, ["RATE-05"], controller.signal);

    expect(reasonOf(report, "RATE-05")).toMatch(/stopped/);
    const [first] = server.requests.flatMap((line, at) =>
      line.includes("/purge-queue") ? at : [],
    );
    expect(first).toBeGreaterThan(60);
    expect(server.requests.slice(first).every((line) => !line.includes("/run"))).toBe(true);
  });

  test("when its time is up", async () => {
    const server = await stub(() => 200);
    const report = await loadOn(server.elsewhere, ["RATE-02"], undefined, ["--time-limit", "1s"]);

    expect(reasonOf(report, "RATE-02")).toContain("time limit of 1 s");
  });
});

function isSubmission({ url = "" }: IncomingMessage): boolean {
  return url.endsWith("/run");
}

function reasonOf({ requirements }: Report, id: string): string {
  const found = requirements.find((each) => each.id === id);
  expect(found?.verdict).toBe("inconclusive");
  return found?.reason ?? "";
}

async function loadOn(
  baseUrl: string,
  only: readonly string[],
  signal = new AbortController().signal,
  more: readonly string[] = [],
): Promise<Report> {
  const workingDirectory = temporaryDirectory();
  const io = fakeIo({ workingDirectory, environment: { PATH: "" } });
  const flags = {
    baseUrl,
    endpoint: "e",
    apiKey: "k",
    only,
    capability: ["load", "handler"],
    timeBudget: "full",
    ...(more[1] === undefined ? {} : { timeLimit: more[1] }),
  };
  const settings = contractSettings(flags, undefined, io);
  const { report } = await runToReport(settings, { command: "load", io, signal });
  return report;
}

async function stub(
  statusOf: (request: IncomingMessage, count: number) => number,
): Promise<{ readonly elsewhere: string; readonly requests: readonly string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.statusCode = statusOf(request, requests.length);
    response.end(JSON.stringify({ id: `job-${requests.length}`, status: "IN_QUEUE" }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { elsewhere: `http://0.0.0.0:${port}`, requests };
}
