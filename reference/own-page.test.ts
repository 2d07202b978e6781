import { request } from "node:http";

import { expect, onTestFinished, test } from "vitest";

import { startReference } from "./start-reference.ts";

/** The status of a health request that names this host. */
async function statusAs(host: string, allowedHosts?: readonly string[]): Promise<number> {
  const reference = await startReference({ allowedHosts });
  onTestFinished(() => reference.stop());
  const { baseUrl, endpointId, apiKey: authorization } = reference;
  return new Promise((resolve, reject) => {
    const asked = request(`${baseUrl}/v2/${endpointId}/health`, {
      headers: { host, authorization },
    });
    asked.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject).end();
  });
}

test.each([
  ["localhost:8080", [], 200],
  ["127.0.0.1:8080", [], 200],
  ["[::1]:8080", [], 200],
  ["evil.test:8080", [], 403],
  ["localhost.evil.test", [], 403],
  ["queue:8080", ["queue"], 200],
  ["evil.test", ["queue"], 403],
  ["evil.test", undefined, 200],
] as const)(
  "from this machine, %s with the names %j is answered %i",
  async (host, names, status) => {
    expect(await statusAs(host, names)).toBe(status);
  },
);
