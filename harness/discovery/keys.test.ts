import { createServer } from "node:http";

import { expect, onTestFinished, test } from "vitest";

import { running } from "../../test/running-server.ts";
import { openTarget } from "../open-target.ts";

const health = {
  jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
  workers: { idle: 1, running: 0 },
};

/** A server that looks at a submission before its key, as frameworks that validate bodies do; all else as told. */
async function validatingServer(looksAtKeys: boolean): Promise<string> {
  const server = createServer((request, response) => {
    const { url = "", headers } = request;
    const isKnown = !looksAtKeys || headers.authorization?.endsWith("key-of-e") === true;
    const statusOf = (): number => {
      if (/\/run(?:sync)?(?:\?|$)/.test(url)) return 422;
      if (url.endsWith("/health")) return 200;
      return isKnown ? 404 : 401;
    };
    request.resume();
    response.writeHead(statusOf(), { "content-type": "application/json" });
    response.end(JSON.stringify(url.endsWith("/health") ? health : { detail: "no" }));
  });
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  return baseUrl;
}

test.each([
  { looksAtKeys: true, learned: false },
  { looksAtKeys: false, learned: true },
])("keys are not asked for: $learned, where they are looked at: $looksAtKeys", async (row) => {
  const { discovery } = await openTarget({
    baseUrl: await validatingServer(row.looksAtKeys),
    endpointId: "e",
    apiKey: "key-of-e",
    capabilities: [],
  });
  const ids = discovery?.learned.map(({ id }) => id) ?? [];
  expect(ids).toContain("refusals-422");
  expect(ids.includes("key-not-asked")).toBe(row.learned);
});
