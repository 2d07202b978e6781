import { afterEach, expect, test } from "vitest";
import { Redactor } from "../../client/redactor.ts";
import { evidenceOfRecorded } from "./evidence-of-recorded.ts";
import { LivePage } from "./live-page.ts";
import type { LiveFinding } from "./live-page.ts";
import type { RecordedExchange } from "./recorded-exchange.ts";

const key = "a-key-of-a-client-1234";
const finding: LiveFinding = {
  requirement: "STRM-01",
  text: "stream answers with a JSON array.",
  at: "GET /v2/e/stream/j",
  expected: "an array",
  got: "<script>alert(1)</script>",
};

let stop: () => Promise<void> = async () => undefined;

afterEach(async () => stop());

async function pageOf(
  exchanges: readonly RecordedExchange[],
  findings: readonly LiveFinding[] = [],
) {
  const redactor = new Redactor();
  redactor.add("apiKey", key);
  const page = new LivePage({
    title: "Between clients and a server.",
    findings: () => findings,
    evidenceOf: (each) => evidenceOfRecorded(each, redactor, 0),
  });
  for (const each of exchanges) page.add(each);
  const listening = await page.listen();
  stop = listening.stop;
  return async (path = "", headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${listening.url}${path}`, { headers });
    return { status: answer.status, text: await answer.text() };
  };
}

function exchange(target: string, status: number, body = "{}"): RecordedExchange {
  return {
    number: 1,
    connection: 1,
    method: "GET",
    origin: "http://127.0.0.1:1",
    target,
    headers: { authorization: key },
    body: { bytes: Buffer.alloc(0), kind: "whole" },
    arrivedMs: 1_800_000_000_000,
    answer: {
      status,
      headers: {},
      body: { bytes: Buffer.from(body), kind: "whole" },
      beganMs: 1,
      endedMs: 2,
    },
  };
}

test("it shows findings and requests, without keys, and nothing that a browser would run", async () => {
  const asked = [exchange("/v2/e/health", 200), exchange(`/v2/e/status/${key}`, 404, "<b>no</b>")];
  const ask = await pageOf(asked, [finding]);
  const { text } = await ask();
  expect(text).toContain("STRM-01");
  expect(text).toContain("GET /v2/e/health 200");
  expect(text).not.toContain(key);
  expect(text).not.toContain("<script>");
  expect(text).not.toContain("<b>no");
  expect(text).toContain("2 exchanges passed.");
});

test("a filter leaves out what does not hold it", async () => {
  const ask = await pageOf([exchange("/v2/e/health", 200), exchange("/v2/e/run", 429)]);
  const { text } = await ask("?filter=429");
  expect(text).toContain("GET /v2/e/run 429");
  expect(text).not.toContain("/v2/e/health");
});

test("pages of others get nothing", async () => {
  const ask = await pageOf([]);
  expect((await ask("", { origin: "http://evil.test" })).status).toBe(403);
  expect((await ask("", { "sec-fetch-site": "cross-site" })).status).toBe(403);
});
