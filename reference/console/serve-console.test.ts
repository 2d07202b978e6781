import { request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";

import { startReference } from "../start-reference.ts";
import type { Reference } from "../start-reference.ts";

const keys = { apiKey: "key-of-the-test", foreignKey: "other-key-of-the-test" };

async function start(): Promise<Reference> {
  const endpoints = [{ id: "e", ...keys, clock: "virtual", workers: 0 }] as const;
  const reference = await startReference({ console: true, metrics: true, endpoints });
  onTestFinished(() => reference.stop());
  return reference;
}

type Headers = Readonly<Record<string, string>>;

async function ask(
  { baseUrl }: Reference,
  path: string,
  headers: Headers = {},
  method: "GET" | "POST" = "GET",
): Promise<{ readonly status: number; readonly text: string; readonly headers: object }> {
  const answer = await request(`${baseUrl}${path}`, { method, headers });
  return { status: answer.statusCode, text: await answer.body.text(), headers: answer.headers };
}

describe("the page of serve", () => {
  test.each(["/", "/__console/state", "/__console/page.js", "/metrics"])(
    "%s holds no key",
    async (path) => {
      const { status, text } = await ask(await start(), path);
      expect(status).toBe(200);
      expect(text).not.toContain("key-of-the-test");
    },
  );

  const strangers: readonly Headers[] = [
    { origin: "http://evil.example" },
    { origin: "null" },
    { host: "evil.example" },
    { host: "evil.example:80", origin: "http://evil.example:80" },
    { host: "127.0.0.1.evil.example" },
    { "sec-fetch-site": "cross-site" },
  ];
  const places = [
    ["GET", "/"],
    ["GET", "/__console/state"],
    ["POST", "/__console/endpoints/e/purge"],
    ["POST", "/__control/endpoints"],
    ["GET", "/__control/"],
    ["GET", "/metrics"],
  ] as const;
  test.each(
    strangers.flatMap((headers) =>
      places.map(([method, path]) => [headers, method, path] as const),
    ),
  )("a request with %j is refused: %s %s", async (headers, method, path) => {
    const answer = await ask(await start(), path, headers, method);
    expect(answer.status).toBe(403);
    expect(answer.text).not.toMatch(/endpointId|<html|process_/);
  });

  test.each(["localhost", "127.0.0.1", "[::1]", "app.localhost"])(
    "%s is a name of our own",
    async (host) => {
      const { status } = await ask(await start(), "/__console/state", { host: `${host}:80` });
      expect(status).toBe(200);
    },
  );

  test("shows the storage settings of a job nowhere", async () => {
    const reference = await start();
    const { body } = await request(`${reference.baseUrl}/v2/e/run`, {
      method: "POST",
      headers: { authorization: keys.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ input: {}, s3Config: { accessSecret: "secret-of-s3" } }),
    });
    const id = /"id":"([^"]+)"/.exec(await body.text())?.[1];
    for (const path of [
      "/__console/state",
      `/__console/endpoints/e/jobs/${id}`,
      `/v2/e/status/${id}`,
      "/v2/e/requests",
      "/metrics",
    ]) {
      const { status, text } = await ask(reference, path, { authorization: keys.apiKey });
      expect(status).toBe(200);
      expect(text).not.toContain("secret-of-s3");
    }
  });

  test("shows of large jobs as much as its table has room for", async () => {
    const reference = await start();
    const text = "x".repeat(1_000_000);
    const input = { list: Array.from({ length: 10_000 }, () => [text.slice(0, 100)]), text };
    await request(`${reference.baseUrl}/v2/e/run`, {
      method: "POST",
      headers: { authorization: keys.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ input }),
    });
    const { text: state } = await ask(reference, "/__console/state");
    expect(state).toContain('{\\"list\\":[[\\"xxx');
    expect(state.length).toBeLessThan(2000);
  });

  test("allows nothing from elsewhere, and no frame around it", async () => {
    const { headers } = await ask(await start(), "/");
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringMatching(
        /default-src 'none'.*frame-ancestors 'none'/,
      ) as unknown,
      "x-content-type-options": "nosniff",
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });
});

test("the figures for Prometheus count requests, jobs and workers", async () => {
  const reference = await start();
  const authorization = keys.apiKey;
  await ask(reference, "/v2/e/health", { authorization });
  await ask(reference, "/v2/e/status/none", { authorization });
  await ask(reference, "/__console/endpoints/e/run", {}, "POST");
  const { text } = await ask(reference, "/metrics");
  const lines = text.split("\n").filter((line) => line.startsWith("queueproof_"));
  expect(lines).toEqual(
    expect.arrayContaining([
      'queueproof_requests_total{method="GET",route="/v2/:endpointId/health",status="200"} 1',
      'queueproof_requests_total{method="GET",route="/v2/:endpointId/status/:jobId",status="404"} 1',
      'queueproof_request_duration_seconds_count{route="/v2/:endpointId/health"} 1',
      'queueproof_jobs{endpoint="e",status="IN_QUEUE"} 0',
      'queueproof_workers{endpoint="e",state="idle"} 0',
      'queueproof_clock_seconds{endpoint="e"} 0',
    ]),
  );
});
