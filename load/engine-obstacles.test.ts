import { createSecureServer } from "node:http2";

import { expect, onTestFinished, test } from "vitest";

import { Transport } from "../client/transport.ts";
import { rulesFor } from "../client/request-rules.ts";
import { certificatesFor } from "../traffic/certificates.ts";
import { running } from "../test/running-server.ts";
import { obstacleToEngine } from "./engine-obstacles.ts";
import { runRequirements } from "./requirements/run-requirements.ts";

test("k6 is not run where it would have to reach this machine through a proxy", () => {
  const proxy = { hostname: "proxy.test", port: 3128, url: "http://proxy.test:3128" };
  const requests = { connection: { proxies: { http: proxy, https: proxy } } };
  const here = "http://127.0.0.1:8080";
  const elsewhere = "https://api.test";
  const rulesOf = (baseUrl: string): ReturnType<typeof rulesFor> => rulesFor({ baseUrl, requests });

  expect(obstacleToEngine("k6", rulesOf(here), here)).toMatch(
    /^k6 sends no request to this machine/,
  );
  expect(obstacleToEngine("k6", rulesOf(elsewhere), elsewhere)).toBeUndefined();
  expect(obstacleToEngine("probe", rulesOf(here), here)).toBeUndefined();
  expect(obstacleToEngine("autocannon", rulesOf(here), here)).toBeUndefined();
});

test("engines of HTTP/1.1 are not run, with that reason, where a server speaks HTTP/2 alone", async () => {
  const { ca, server } = await certificatesFor("127.0.0.1");
  const { baseUrl, stop } = await running(
    createSecureServer({ ...server, allowHTTP1: false }, (_request, response) => response.end()),
    "https",
  );
  onTestFinished(stop);
  const rules = rulesFor({ baseUrl, requests: { connection: { ca } } });
  const transport = new Transport(rules);
  const request = { method: "GET", headers: {}, body: undefined, signal: undefined } as const;
  await transport.send({ ...request, url: `${baseUrl}/`, timeoutMs: 10_000 });
  await transport.close();

  const reason = `${baseUrl} speaks only HTTP/2, and probe sends HTTP/1.1`;
  expect(obstacleToEngine("probe", rules, baseUrl)).toBe(reason);
  expect(obstacleToEngine("autocannon", rules, baseUrl)).toMatch(/autocannon sends HTTP\/1\.1$/);
  expect(obstacleToEngine("k6", rules, baseUrl)).toBeUndefined();

  const target = { baseUrl, rules, endpointId: "e", apiKey: "k", capabilities: ["load"] } as const;
  const requirements = new Set(["RATE-02"] as const);
  const run = await runRequirements({ target, requirements, timeBudgetMs: 120_000 });
  expect(run.results).toMatchObject([{ verdict: "not-run", reason }]);
});
