import { afterEach, describe, expect, test } from "vitest";

import { specified } from "../behaviour.ts";
import { inDialect } from "../dialects.ts";
import { startReceiver, startRig, type HttpRig } from "../../test/rig.ts";

const runpod = inDialect("runpod", specified) ?? specified;
let rig: HttpRig;

afterEach(async () => rig.reference.stop());

async function submit(input: unknown, more: object = {}): Promise<string> {
  const { body } = await rig.call("POST", "/run", { input, ...more });
  return String(body["id"]);
}

describe("reads", () => {
  test.each(["GET", "POST"])("status, status-sync and stream take %s", async (method) => {
    rig = await startRig({}, runpod);
    const id = await submit({ op: "echo", value: 1 });
    for (const path of ["status", "status-sync", "stream"]) {
      const { status, body } = await rig.call(method, `/${path}/${id}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ id, status: "COMPLETED" });
    }
  });

  test("status-sync is answered when the job ends, and with its state when the wait is over", async () => {
    rig = await startRig({}, runpod);
    const id = await submit({ op: "sleep", ms: 4_000, value: 7 });
    const first = rig.call("GET", `/status-sync/${id}?wait=1000`);
    await held(id);
    await rig.advance(1_000);
    expect((await first).body).toMatchObject({ id, status: "IN_PROGRESS" });
    const second = rig.call("GET", `/status-sync/${id}?wait=10000`);
    await held(id);
    await rig.advance(3_000);
    expect((await second).body).toMatchObject({ status: "COMPLETED", output: { value: 7 } });
  });

  test("stream waits for the next chunk, and tells the rest with the end", async () => {
    rig = await startRig({}, runpod);
    const id = await submit({ op: "stream", count: 2, intervalMs: 2_000 });
    const first = rig.call("GET", `/stream/${id}?wait=5000`);
    await held(id);
    await rig.advance(2_000);
    expect((await first).body).toEqual({
      id,
      status: "IN_PROGRESS",
      stream: [{ output: { index: 0 } }],
    });
    await rig.advance(2_000);
    expect((await rig.call("GET", `/stream/${id}`)).body).toEqual({
      id,
      status: "COMPLETED",
      stream: [{ output: { index: 1 } }],
    });
    expect((await rig.call("GET", `/stream/${id}?wait=5000`)).body["stream"]).toEqual([]);
  });
});

/** Waits until the server holds a request that was sent before: by then it has answered three later ones. */
async function held(id: string): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await rig.call("GET", `/status/${id}`);
}

describe("records", () => {
  test("a waiting job has only its id and state, one at work its worker and its delay", async () => {
    rig = await startRig({}, runpod);
    const running = await submit({ op: "sleep", ms: 5_000 });
    const waiting = await submit({ op: "echo" });
    expect((await rig.call("GET", `/status/${waiting}`)).body).toEqual({
      id: waiting,
      status: "IN_QUEUE",
    });
    expect((await rig.call("GET", `/status/${running}`)).body).toEqual({
      id: running,
      status: "IN_PROGRESS",
      delayTime: 0,
      workerId: "worker-1",
    });
  });

  test("a job whose workers die is handed out twice and fails with the platform's words", async () => {
    rig = await startRig({}, runpod);
    const id = await submit({ op: "crash" });
    expect((await rig.call("GET", `/status/${id}`)).body).toMatchObject({
      status: "FAILED",
      error: "job timed out after 1 retries",
      retries: 1,
    });
    const health = await rig.call("GET", "/health");
    expect(health.body).toMatchObject({ jobs: { failed: 1, retried: 1 } });
    const workers = { idle: 1, running: 0, initializing: 0, ready: 1, throttled: 0, unhealthy: 0 };
    expect(health.body["workers"]).toEqual(workers);
  });

  test("a webhook brings input and webhook too, and any 2xx acknowledges it", async () => {
    rig = await startRig({}, runpod);
    const receiver = await startReceiver((_attempt, response) => response.writeHead(204).end());
    const input = { op: "echo", value: 1 };
    const id = await submit(input, { webhook: receiver.url });
    await rig.advance(60_000);
    expect(receiver.bodies).toEqual([
      expect.objectContaining({ id, input, webhook: receiver.url, output: { value: 1 } }),
    ]);
    await receiver.stop();
  });
});

test("errors are problems with the status as a number", async () => {
  rig = await startRig({}, runpod);
  const missing = await rig.call("GET", "/status/nope");
  expect(missing.body).toEqual({ status: 404, title: "Not Found", detail: "job not found" });
  const headers = { authorization: "wrong" };
  expect((await rig.call("GET", "/health", undefined, { headers })).body).toEqual({
    status: 401,
    title: "Unauthorized",
    detail: "invalid api key",
  });
});
