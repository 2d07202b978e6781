import { connect } from "node:net";

import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { startReference } from "./start-reference.ts";
import { callJson, startRig, type HttpRig } from "../test/rig.ts";

let rig: HttpRig;

beforeEach(async () => {
  rig = await startRig();
});

afterEach(() => rig.reference.stop());

describe("the control protocol", () => {
  test("names itself and its capabilities", async () => {
    const { body } = await callJson("GET", `${rig.reference.controlUrl}/`);
    expect(body["protocol"]).toBe("queueproof-control/1");
    expect(body["capabilities"]).toEqual(expect.arrayContaining(["hold", "clock"]));
  });

  test("leaves out what it is to lack", async () => {
    const lacking = await startReference({ control: { without: ["clock"] } });
    onTestFinished(() => lacking.stop());
    const { body } = await callJson("GET", `${lacking.controlUrl}/`);
    expect(body["capabilities"]).not.toContain("clock");
    expect(body["capabilities"]).toContain("hold");
  });

  test.each([
    { method: "GET", path: "/nope" },
    { method: "POST", path: "" },
    { method: "GET", path: "/endpoints" },
    { method: "PUT", path: "/endpoints/e/clock" },
    { method: "GET", path: "/endpoints/unknown/clock" },
  ])("refuses $method $path in its own words", async ({ method, path }) => {
    const { status, body } = await callJson(method, `${rig.reference.controlUrl}${path}`);
    expect(status).toBe(404);
    expect(Object.keys(body)).toEqual(["error"]);
  });

  test("refuses a default of executionTimeout that no job could keep", async () => {
    const url = `${rig.reference.controlUrl}/endpoints`;
    const { status, body } = await callJson("POST", url, { executionTimeoutMs: 0 });
    expect(status).toBe(400);
    expect(body["error"]).toContain("executionTimeoutMs");
  });

  test("makes endpoints that are strangers to each other and removes them", async () => {
    const made = await callJson("POST", `${rig.reference.controlUrl}/endpoints`);
    expect(made.status).toBe(201);
    const other = `${rig.reference.baseUrl}/v2/${String(made.body["endpointId"])}`;
    const key = String(made.body["apiKey"]);
    const withKey = { headers: { authorization: key } };
    expect((await callJson("GET", `${other}/health`, undefined, withKey)).status).toBe(200);
    expect((await callJson("GET", `${rig.url}/health`, undefined, withKey)).status).toBe(401);

    expect((await rig.control("DELETE", "")).status).toBe(204);
    expect((await callJson("GET", `${rig.url}/health`, undefined, withKey)).status).toBe(404);
    expect((await rig.call("GET", "/health")).status).toBe(401);
    expect((await rig.control("GET", "/clock")).status).toBe(404);
  });

  test("answers an advance when the held runsync answers due have been written", async () => {
    const order: string[] = [];
    const pending = ["1", "2", "3"].map(async (name) => {
      const path = `/runsync?wait=${Number(name) * 1_000}`;
      const { body } = await rig.call("POST", path, { input: { op: "sleep", ms: 2_500 } });
      order.push(`${name} ${String(body["status"])}`);
    });
    await untilInFlight(3);

    await rig.advance(1_000);
    await pending[0];
    expect(order).toEqual(["1 IN_PROGRESS"]);
    await rig.advance(10_000);
    await Promise.all(pending);
    expect(order.slice(1).toSorted()).toEqual(["2 IN_QUEUE", "3 IN_QUEUE"]);
  });

  test("advances in order and only a virtual clock", async () => {
    expect((await rig.advance(5)).body).toEqual({ nowMs: 5 });
    expect((await rig.advance(0)).body).toEqual({ nowMs: 5 });
    expect((await rig.control("GET", "/clock")).body).toEqual({ nowMs: 5, mode: "virtual" });
    const real = `${rig.reference.controlUrl}/endpoints/${rig.reference.endpointId}/clock`;
    expect((await callJson("POST", `${real}/advance`, { ms: 1 })).status).toBe(409);
    expect((await callJson("GET", real)).body["mode"]).toBe("real");
  });

  test("holds an answer and not its effect", async () => {
    await rig.control("PUT", "/hold", { operation: "run", held: true });
    let isAnswered = false;
    const run = rig.call("POST", "/run", { input: { op: "echo" } });
    void run.then(() => (isAnswered = true));
    await until(async () => jobCount((await rig.call("GET", "/health")).body, "completed") === 1);
    expect(isAnswered).toBe(false);

    const released = await rig.control("PUT", "/hold", { operation: "run", held: false });
    expect(released.body).toEqual({ operation: "run", held: false });
    expect((await run).body["status"]).toBe("IN_QUEUE");
  });

  test("an advance does not wait for a client that does not read its answer", async () => {
    const { hostname, port } = new URL(rig.reference.baseUrl);
    const input = { op: "sleep", ms: 500, value: "x".repeat(9_000_000) };
    const body = JSON.stringify({ input });
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(
      `POST /v2/${rig.endpointId}/runsync?wait=300000 HTTP/1.1\r\nhost: ${hostname}\r\n` +
        `authorization: ${rig.apiKey}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    const isAtWork = async (): Promise<boolean> =>
      JSON.stringify((await rig.call("GET", "/health")).body).includes('"inProgress":1');
    await until(isAtWork);
    expect((await rig.advance(1_000)).body).toMatchObject({ nowMs: 1_000 });
    expect((await rig.advance(1_000)).body).toMatchObject({ nowMs: 2_000 });
  });

  test("caps the requests in flight and frees the place of one that breaks off", async () => {
    await rig.control("PUT", "/hold", { operation: "cancel", held: true });
    const stopping = new AbortController();
    const held = Array.from({ length: 21 }, () =>
      rig
        .call("POST", "/cancel/nobody", {}, { signal: stopping.signal })
        .then(({ status }) => status)
        .catch(() => "broken off"),
    );
    expect(await Promise.race(held)).toBe(429);

    stopping.abort();
    const outcomes = await Promise.all(held);
    expect(outcomes.filter((outcome) => outcome === "broken off").length).toBe(20);
    await until(async () => (await cancelAtOnce()) === "held");
    await rig.control("PUT", "/hold", { operation: "cancel", held: false });
    expect((await rig.call("POST", "/cancel/nobody")).status).toBe(404);
  });

  test.each([
    { method: "POST", path: "", body: { workers: -1 } },
    { method: "POST", path: "", body: { workers: 1.5 } },
    { method: "POST", path: "", body: { scaling: { min: 2, max: 1 } } },
    { method: "POST", path: "", body: { clock: "sundial" } },
    { method: "POST", path: "", body: "[]" },
    { method: "POST", path: "", body: "{" },
    { method: "POST", path: "/ID/clock/advance", body: { ms: -1 } },
    { method: "POST", path: "/ID/clock/advance", body: {} },
    { method: "POST", path: "/ID/clock/advance", body: { ms: Number.MAX_SAFE_INTEGER } },
    { method: "PUT", path: "/ID/workers", body: { count: "2" } },
    { method: "PUT", path: "/ID/hold", body: { operation: "sleep", held: true } },
    { method: "PUT", path: "/ID/hold", body: { operation: "run", held: 1 } },
  ])("refuses $method $path with $body", async ({ method, path, body }) => {
    const url = `${rig.reference.controlUrl}/endpoints${path.replace("ID", rig.endpointId)}`;
    const answer = await callJson(method, url, body);
    expect(answer.status).toBe(400);
    expect(typeof answer.body["error"]).toBe("string");
  });
});

/** The status of a cancel, or "held" when it does not come while others are answered. */
async function cancelAtOnce(): Promise<number | "held"> {
  const stopping = new AbortController();
  const answer = rig
    .call("POST", "/cancel/nobody", {}, { signal: stopping.signal })
    .then(({ status }) => status)
    .catch(() => "held" as const);
  const others = rig
    .call("GET", "/health")
    .then(() => rig.call("GET", "/health"))
    .then(() => "held" as const);
  const first = await Promise.race([answer, others]);
  stopping.abort();
  return first;
}

async function untilInFlight(count: number): Promise<void> {
  await until(async () => {
    const { body } = await rig.call("GET", "/health");
    return jobCount(body, "inQueue") + jobCount(body, "inProgress") === count;
  });
}

function jobCount(health: Readonly<Record<string, unknown>>, name: string): number {
  const jobs = new Map(Object.entries(health["jobs"] ?? {}));
  return Number(jobs.get(name));
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) if (await condition()) return;
  throw new Error("the condition did not come true");
}
