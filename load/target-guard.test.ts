import { createServer } from "node:http";

import { expect, onTestFinished, test } from "vitest";

import { rulesFor } from "../client/request-rules.ts";

import { TargetGuard } from "./target-guard.ts";

interface Target {
  readonly baseUrl: string;
  readonly asked: readonly (string | undefined)[];
  /** Whether it tears every connection down instead of answering. */
  isBroken: boolean;
}

async function startTarget(): Promise<Target> {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url, socket }, response) => {
    asked.push(url);
    if (target.isBroken) socket.destroy();
    else response.end();
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const target = { baseUrl: `http://127.0.0.1:${port}`, asked, isBroken: false };
  return target;
}

function guardOf({ baseUrl }: Target, timeoutMs: number): TargetGuard {
  const guard = new TargetGuard(baseUrl, rulesFor({ baseUrl, timeoutMs }));
  onTestFinished(async () => guard.close());
  return guard;
}

test("a target that answers nothing any more is gone, by the first request since its last answer", async () => {
  const server = await startTarget();
  const guard = guardOf(server, 300);
  guard.sent("GET /v2/e/health");
  guard.answered(200);
  server.isBroken = true;
  guard.sent("POST /v2/e/run");
  guard.sent("GET /v2/e/status/1");
  guard.answered(0);
  await expect.poll(() => guard.gone.aborted).toBe(true);
  expect(guard.targetGone).toMatchObject({ request: "POST /v2/e/run" });
  expect(guard.gone.reason).toContain("the target stopped answering after POST /v2/e/run");
});

test("a target that answers something else is there", async () => {
  const server = await startTarget();
  const guard = guardOf(server, 10_000);
  guard.sent("POST /v2/e/run");
  guard.answered(0);
  await expect.poll(() => server.asked).toContain("/");
  expect(guard.gone.aborted).toBe(false);
  expect(guard.outages).toEqual([]);
});

test("a target that comes back was away, under the check that ran", async () => {
  const server = await startTarget();
  const guard = guardOf(server, 60_000);
  guard.check = "rate/limit-of-run";
  server.isBroken = true;
  guard.sent("POST /v2/e/run");
  guard.answered(0);
  // Three failed probes of two requests each, and the beginning of a fourth.
  await expect.poll(() => server.asked.length).toBeGreaterThan(6);
  server.isBroken = false;
  await expect
    .poll(() => guard.outages)
    .toMatchObject([{ check: "rate/limit-of-run", request: "POST /v2/e/run" }]);
  expect(guard.targetGone).toBeUndefined();
});
