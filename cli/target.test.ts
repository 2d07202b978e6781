import { expect, test } from "vitest";

import { contractSettings } from "./settings/contract.ts";
import { startTarget } from "./target.ts";
import { fakeIo } from "./testing/fake-io.ts";
import { stubServer } from "./testing/stub-server.ts";

test("a target that answers in two parts answers", async () => {
  const baseUrl = await stubServer((_request, response) => {
    response.writeHead(404, { "content-length": "4" });
    response.write("no");
    setImmediate(() => response.end("ne"));
  });
  const flags = { baseUrl, endpoint: "one", apiKey: "key", waitForTarget: "10s" };
  const settings = contractSettings(flags, undefined, fakeIo());
  // An unhandled error of the response body would end the process and fail this test.
  const target = await startTarget(settings, new AbortController().signal);
  expect(target.baseUrl).toBe(baseUrl);
});
