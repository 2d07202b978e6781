import { expect, test } from "vitest";

import { contractSettings } from "./settings/contract.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";
import { startTarget } from "./target.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { stubServer } from "../test/harness/scripted-server.ts";

test("a target that answers in two parts answers", async () => {
  const baseUrl = await stubServer((_request, response) => {
    response.writeHead(404, { "content-length": "4" });
    response.write("no");
    setImmediate(() => response.end("ne"));
  });
  // An unhandled error of the response body would end the process and fail this test.
  const target = await startTarget(waitingFor(baseUrl, "10s"), new AbortController().signal);
  expect(target.baseUrl).toBe(baseUrl);
});

test.each([502, 503, 504])(
  "a target behind a gateway that answers %d is waited for",
  async (status) => {
    const asked: (string | undefined)[] = [];
    const baseUrl = await stubServer(({ url }, response) => {
      asked.push(url);
      response.writeHead(asked.length < 3 ? status : 401).end();
    });
    await startTarget(waitingFor(baseUrl, "10s"), new AbortController().signal);
    expect(asked).toEqual(Array(3).fill("/v2/one/health"));
  },
);

test("a target that stays behind a gateway's 502 is named with it", async () => {
  const baseUrl = await stubServer((_request, response) => response.writeHead(502).end());
  await expect(
    startTarget(waitingFor(baseUrl, "1ms"), new AbortController().signal),
  ).rejects.toThrow(/within 1 ms: it answered 502$/);
});

function waitingFor(baseUrl: string, waitForTarget: string): ContractCommandSettings {
  const flags = { baseUrl, endpoint: "one", apiKey: "key", waitForTarget };
  return contractSettings(flags, undefined, fakeIo());
}
