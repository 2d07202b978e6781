import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";

import type { Report } from "../reports/model.ts";
import { runToReport } from "./contract-run.ts";
import { contractSettings } from "./settings/contract.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

afterEach(() => void vi.useRealTimers());

// 0.0.0.0 leads to this machine but is not a loopback address.
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

  test("when it goes for good, with the request after which it went", async () => {
    const server = await stub((request, count) => {
      if (count > 60) server.stop();
      return isSubmission(request) ? 200 : 404;
    });
    const report = await loadOn(server.elsewhere, ["RATE-05", "CONC-09"]);

    expect(report.targetGone?.request).toMatch(/^(POST|GET) \/v2\/e\//);
    expect(report.targetGone?.reason).toContain("the target stopped answering after");
    expect(reasonOf(report, "CONC-09")).toContain("the target stopped answering after");
    expect(report.interrupted).toBeUndefined();
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

interface Stub {
  readonly elsewhere: string;
  readonly requests: readonly string[];
  readonly stop: () => void;
}

async function stub(statusOf: (request: IncomingMessage, count: number) => number): Promise<Stub> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.statusCode = statusOf(request, requests.length);
    response.end(JSON.stringify({ id: `job-${requests.length}`, status: "IN_QUEUE" }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { elsewhere: `http://0.0.0.0:${port}`, requests, stop };
}
