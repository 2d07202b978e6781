import { createServer } from "node:http";

import { describe, expect, onTestFinished, test } from "vitest";

import { rulesFor } from "../../client/request-rules.ts";
import type { K6RatePhase, K6RateSettings } from "../../scenarios/k6/settings.ts";
import { k6Script } from "./rate.ts";
import { runK6 } from "./run.ts";
import { countOf } from "./summary.ts";
import { realK6 } from "../../test/load/senders.ts";

const { k6, reason } = await realK6();

describe.skipIf(k6 === undefined)(`the rate script${reason && ` (${reason})`}`, () => {
  test("counts each phase by its answers, as the server did", async () => {
    const server = await limitedServer(30);

    const summary = await summaryOf([
      phaseOf(server.url, { name: "run-below", operation: "run", perWindow: 20 }),
    ]);

    expect(summary("sent", "run-below")).toBe(server.seen.length);
    const accepted = Math.min(30, server.seen.length);
    expect(summary("accepted", "run-below")).toBe(accepted);
    expect(summary("refused", "run-below")).toBe(server.seen.length - accepted);
    expect(summary("other", "run-below")).toBe(0);
    expect(new Set(server.seen)).toEqual(new Set(["POST /v2/e/run key"]));
  });

  test("asks for a job of its own for each request to cancel", async () => {
    const server = await limitedServer(1_000);

    const summary = await summaryOf([
      phaseOf(server.url, { name: "cancel-at", operation: "cancel", perWindow: 10 }),
    ]);

    const cancelled = server.seen.filter((line) => line.includes("/cancel/"));
    expect(summary("sent", "cancel-at")).toBe(cancelled.length);
    expect(new Set(cancelled).size).toBe(cancelled.length);
    expect(server.seen.filter((line) => line.includes("/run"))).toHaveLength(21);
  });
});

async function summaryOf(
  phases: K6RateSettings["phases"],
): Promise<(what: string, phase: string) => number> {
  const { summary, undecided } = await runK6({
    k6: { path: k6?.path ?? "" },
    rules: rulesFor({ baseUrl: phases[0]?.endpoint.url ?? "" }),
    script: k6Script("rate"),
    settings: { phases } satisfies K6RateSettings,
    timeLimitMs: 25_000,
    environment: process.env,
  });
  expect(undecided).toBeUndefined();
  return (what, phase) => countOf(summary ?? new Map(), `requests_${what}{phase:${phase}}`);
}

function phaseOf(
  url: string,
  phase: Pick<K6RatePhase, "name" | "operation" | "perWindow">,
): K6RatePhase {
  return {
    ...phase,
    endpoint: { url: `${url}/v2/e`, authorization: "key" },
    windowMs: 1_000,
    durationMs: 2_000,
    startMs: 0,
    inFlightMax: 20,
    errorMsMax: 1_000,
    sent: { min: 0, max: phase.perWindow * 2 + 1 },
    accepted: { min: 0, max: phase.perWindow * 2 + 1 },
  };
}

/** Accepts so many requests and refuses the rest; an id for each. */
async function limitedServer(
  accepted: number,
): Promise<{ readonly url: string; readonly seen: readonly string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.statusCode = seen.length > accepted ? 429 : 200;
    response.end(JSON.stringify({ id: `job-${seen.length}`, status: "IN_QUEUE" }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, seen };
}
