import { request as send } from "node:http";

import { expect, onTestFinished, test, vi } from "vitest";

import { callJson } from "../test/rig.ts";
import type { LoggedRequest } from "./request-log.ts";
import { startReference } from "./start-reference.ts";
import type { Reference } from "./start-reference.ts";

async function served(onRequest?: (request: LoggedRequest) => void): Promise<Reference> {
  const reference = await startReference({ console: true, onRequest });
  onTestFinished(() => reference.stop());
  return reference;
}

async function shown(
  { baseUrl }: Reference,
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  return (await callJson("GET", `${baseUrl}/__console${path}`)).body;
}

async function run(to: Reference, body: object, key = to.apiKey): Promise<number> {
  const url = `${to.baseUrl}/v2/${to.endpointId}/run`;
  return (await callJson("POST", url, body, { headers: { authorization: key } })).status;
}

test("requests are told as they are answered, and shown without keys", async () => {
  const seen: string[] = [];
  const reference = await served(({ method, path, status }) => {
    seen.push(`${method} ${path} ${String(status)}`);
  });
  await run(reference, { input: { op: "echo", value: "hello" } });
  await run(reference, { input: {} }, "wrong-key-1");
  const path = `/v2/${reference.endpointId}/run`;
  expect(seen).toEqual([`POST ${path} 200`, `POST ${path} 401`]);
  expect((await shown(reference, "/state"))["requests"]).toMatchObject([
    { number: 2, status: 401 },
    { number: 1, status: 200, isBrokenOff: false },
  ]);
  expect((await shown(reference, "/state?filter=401"))["requests"]).toMatchObject([{ number: 2 }]);
  const first = await shown(reference, "/requests/1");
  expect(first).toMatchObject({ headers: { authorization: "***" } });
  expect(first["body"]).toContain('"hello"');
  expect(first["answer"]).toContain('"IN_QUEUE"');
  expect(JSON.stringify(first)).not.toContain(reference.apiKey);
});

test.each(['"s3Config"', String.raw`"s3\u0043onfig"`])(
  "a body that may hold storage settings is not shown: %s",
  async (name) => {
    const reference = await served();
    const text = `{"input": {}, ${name}: {"accessSecret": "a-secret-of-storage"}}`;
    const url = `${reference.baseUrl}/v2/${reference.endpointId}/run`;
    await fetch(url, {
      method: "POST",
      headers: { authorization: reference.apiKey, "content-type": "application/json" },
      body: text,
    });
    const first = await shown(reference, "/requests/1");
    expect(first["body"]).toBe("(not shown: it may hold s3Config)");
  },
);

test("a submission that its client breaks off is counted, and shown as that", async () => {
  const reference = await served();
  const { baseUrl, endpointId, apiKey } = reference;
  const broken = send(`${baseUrl}/v2/${endpointId}/run`, {
    method: "POST",
    headers: { authorization: apiKey, "content-type": "application/json", "content-length": 100 },
  });
  broken.on("error", () => {});
  broken.write('{"input":');
  await vi.waitFor(async () => {
    expect((await shown(reference, "/state"))["requests"]).toHaveLength(1);
  });
  broken.destroy();
  await vi.waitFor(async () => {
    expect(await shown(reference, "/state")).toMatchObject({
      brokenOff: 1,
      requests: [{ isBrokenOff: true }],
    });
  });
});
