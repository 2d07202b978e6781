import { connect } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startReference } from "./start-reference.ts";
import { callJson, startRig, type HttpRig } from "../test/rig.ts";

let rig: HttpRig;

beforeAll(async () => {
  rig = await startRig({ workers: 1 });
});

afterAll(() => rig.reference.stop());

/** What fetch wants to be told where it streams a body. */
const half = { duplex: "half" } as const;

const operations = [
  ["POST", "/run"],
  ["POST", "/runsync"],
  ["GET", "/status/x"],
  ["GET", "/stream/x"],
  ["POST", "/cancel/x"],
  ["POST", "/retry/x"],
  ["POST", "/purge-queue"],
  ["GET", "/health"],
  ["POST", "/openai/v1/chat/completions"],
  ["GET", "/requests"],
] as const;

describe.each(operations)("%s %s", (method, path) => {
  test.each([
    { key: "no key", headers: {} },
    { key: "an empty key", headers: { authorization: "" } },
    { key: "a wrong key", headers: { authorization: "wrong" } },
    { key: "a wrong bearer", headers: { authorization: "Bearer wrong" } },
    { key: "Bearer alone", headers: { authorization: "Bearer " } },
    { key: "a strange content type", headers: { "content-type": ";;;" } },
  ])("answers 401 to $key", async ({ headers }) => {
    const answer = await callJson(method, `${rig.url}${path}`, undefined, { headers });
    expect([answer.status, answer.body["status"]]).toEqual([401, 401]);
    expect(answer.contentType).toMatch(/^application\/json/);
  });

  test("answers 401 to a key without permission and 404 on an unknown endpoint", async () => {
    const headers = { authorization: rig.foreignKey };
    expect((await callJson(method, `${rig.url}${path}`, undefined, { headers })).status).toBe(401);
    const unknown = `${rig.reference.baseUrl}/v2/unknown${path}`;
    expect((await callJson(method, unknown, undefined, { headers })).status).toBe(404);
  });
});

describe("submission over HTTP", () => {
  const input = { op: "echo" };

  test.each([
    { why: "no input", body: {} },
    { why: "input null", body: { input: null } },
    { why: "input an array", body: { input: [] } },
    { why: "input a string", body: { input: "x" } },
    { why: "an array", body: [] },
    { why: "null", body: "null" },
    { why: "no JSON", body: "{input" },
    { why: "nothing", body: "" },
    { why: "a webhook that is no URL", body: { input, webhook: "nowhere" } },
    { why: "a webhook number", body: { input, webhook: 7 } },
    { why: "a policy array", body: { input, policy: [] } },
    { why: "executionTimeout 4999", body: { input, policy: { executionTimeout: 4_999 } } },
    { why: "executionTimeout over", body: { input, policy: { executionTimeout: 604_800_001 } } },
    { why: "executionTimeout 5000.5", body: { input, policy: { executionTimeout: 5_000.5 } } },
    { why: "executionTimeout text", body: { input, policy: { executionTimeout: "6000" } } },
    { why: "ttl 9999", body: { input, policy: { ttl: 9_999 } } },
    { why: "ttl over", body: { input, policy: { ttl: 604_800_001 } } },
    { why: "lowPriority 1", body: { input, policy: { lowPriority: 1 } } },
    { why: "s3Config text", body: { input, s3Config: "x" } },
    { why: "an s3 field number", body: { input, s3Config: { bucketName: 1 } } },
  ])("refuses $why with 400 on run and runsync", async ({ body }) => {
    expect((await rig.call("POST", "/run", body)).status).toBe(400);
    expect((await rig.call("POST", "/runsync", body)).status).toBe(400);
  });

  test.each(["999", "300001", "1000.5", "1e4", "", "+2000", "0x3e8", "abc", "2000&wait=2000"])(
    "refuses wait=%s",
    async (wait) => {
      expect((await rig.call("POST", `/runsync?wait=${wait}`, { input })).status).toBe(400);
    },
  );

  test.each(["1000", "300000"])("accepts wait=%s", async (wait) => {
    const { status, body } = await rig.call("POST", `/runsync?wait=${wait}`, { input });
    expect([status, body["status"]]).toEqual([200, "COMPLETED"]);
  });

  test.each([
    { path: "/run", bytes: 10_485_760, status: 200 },
    { path: "/run", bytes: 10_485_761, status: 400 },
    { path: "/runsync", bytes: 20_971_520, status: 200 },
    { path: "/runsync", bytes: 20_971_521, status: 400 },
  ])("answers $status to $bytes bytes on $path", async ({ path, bytes, status }) => {
    const empty = JSON.stringify({ input: { op: "none", value: "" } });
    const body = JSON.stringify({ input: { op: "none", value: "x".repeat(bytes - empty.length) } });
    expect(body.length).toBe(bytes);
    expect((await rig.call("POST", path, body)).status).toBe(status);
  });

  test.each([{ announced: true }, { announced: false }])(
    "a large body comes whole, its length announced: $announced",
    async ({ announced }) => {
      const value = Array.from({ length: 300_000 }, (_, at) => String(at)).join();
      const body = JSON.stringify({ input: { op: "echo", value } });
      const answer = await fetch(`${rig.url}/runsync`, {
        method: "POST",
        headers: { authorization: rig.apiKey, "content-type": "application/json" },
        body: announced ? body : new Blob([body]).stream(),
        ...half,
      });
      const record: unknown = await answer.json();
      expect(record).toMatchObject({ status: "COMPLETED", output: { value } });
    },
  );

  test("a body too large whose length is not announced is refused", async () => {
    const answer = await fetch(`${rig.url}/run`, {
      method: "POST",
      headers: { authorization: rig.apiKey, "content-type": "application/json" },
      body: new Blob([Buffer.alloc(11_000_000, " ")]).stream(),
      ...half,
    });
    expect(answer.status).toBe(400);
  });

  test("a body that breaks off creates no job", async () => {
    const before = await rig.call("GET", "/health");
    const { hostname, port } = new URL(rig.url);
    const socket = connect(Number(port), hostname).resume();
    socket.write(
      `POST /v2/${rig.endpointId}/run HTTP/1.1\r\nhost: x\r\nauthorization: ${rig.apiKey}\r\n` +
        `content-length: 100\r\n\r\n{"input":{}}`,
    );
    socket.end();
    await once(socket, "close");
    expect((await rig.call("GET", "/health")).body).toEqual(before.body);
  });
});

describe("the edge", () => {
  test.each([
    ["GET", "/run"],
    ["PUT", "/run"],
    ["GET", "/nothing"],
    ["POST", "/status/x"],
  ])("answers 404 with a JSON body to %s %s", async (method, path) => {
    const { status, body } = await rig.call(method, path);
    expect([status, body["title"]]).toEqual([404, "Not Found"]);
  });

  test.each(["/cancel/x", "/retry/x", "/purge-queue"])(
    "accepts no body and {} on %s",
    async (path) => {
      const answers = [await rig.call("POST", path), await rig.call("POST", path, {})];
      const expected = path === "/purge-queue" ? 200 : 404;
      expect(answers.map(({ status }) => status)).toEqual([expected, expected]);
      await rig.advance(10_000);
    },
  );

  test.each(["0", "-1", "1.5", "abc", ""])("refuses a status ttl of %j", async (ttl) => {
    const run = await rig.call("POST", "/run", { input: { op: "echo" } });
    const path = `/status/${String(run.body["id"])}`;
    expect((await rig.call("GET", `${path}?ttl=${ttl}`)).status).toBe(400);
    expect((await rig.call("GET", `${path}?ttl=6000`)).status).toBe(200);
  });

  test("a status ttl ends an unfinished job that long after the read", async () => {
    const run = await rig.call("POST", "/run", { input: { op: "sleep", ms: 60_000 } });
    const path = `/status/${String(run.body["id"])}`;
    await rig.advance(1_000);
    await rig.call("GET", `${path}?ttl=6000`);
    await rig.advance(5_999);
    expect((await rig.call("GET", path)).body["status"]).toBe("IN_PROGRESS");
    await rig.advance(1);
    expect((await rig.call("GET", path)).status).toBe(404);
  });

  test("reading a stream takes its chunks", async () => {
    const input = { op: "stream", count: 2, intervalMs: 0 };
    const run = await rig.call("POST", "/run", { input });
    const path = `/stream/${String(run.body["id"])}`;
    const items = [0, 1].map((index) => ({ output: { index }, metrics: { stream_index: index } }));
    expect((await rig.call("GET", path)).body).toEqual({ items });
    expect((await rig.call("GET", path)).body).toEqual({ items: [] });
  });
});

describe("starting and stopping", () => {
  test("a port in use rejects with EADDRINUSE", async () => {
    const port = Number(new URL(rig.url).port);
    await expect(startReference({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  test("stops while requests are held and sockets are open", async () => {
    const own = await startRig();
    await own.control("PUT", "/hold", { operation: "health", held: true });
    const held = own.call("GET", "/health").catch(() => "cut off");
    const waiting = own
      .call("POST", "/runsync", { input: { op: "sleep", ms: 5_000 } })
      .catch(() => "cut off");
    await own.advance(0);
    await own.reference.stop();
    await Promise.all([held, waiting]);
    await expect(own.call("GET", "/health")).rejects.toThrow("fetch failed");
  });

  test("without control there is no control", async () => {
    const reference = await startReference({ control: false, endpointId: "mine", apiKey: "key" });
    expect(reference).toMatchObject({ controlUrl: undefined, endpointId: "mine", apiKey: "key" });
    expect((await callJson("GET", `${reference.baseUrl}/__control/`)).status).toBe(404);
    const headers = { authorization: "key" };
    const { body } = await callJson("GET", `${reference.baseUrl}/v2/mine/health`, undefined, {
      headers,
    });
    expect(body["workers"]).toEqual({ idle: 1, running: 0 });
    await reference.stop();
  });
});
