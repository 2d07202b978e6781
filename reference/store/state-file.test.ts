import {
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  mkdtempSync,
  writeFileSync,
  statSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

import { startReference } from "../start-reference.ts";
import type { Reference } from "../start-reference.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { callJson, startReceiver, type JsonAnswer } from "../../test/rig.ts";

let directory: string;
let path: string;
const started: Reference[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "queueproof-state-"));
  path = join(directory, "state.db");
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((reference) => reference.stop()));
  rmSync(directory, { recursive: true, force: true });
});

const endpoint = { id: "e", apiKey: "k", foreignKey: "f", clock: "virtual", workers: 1 } as const;

async function start(more = {}): Promise<Reference> {
  const reference = await startReference({
    stateFile: path,
    endpoints: [{ ...endpoint, ...more }],
  });
  started.push(reference);
  return reference;
}

function call(to: Reference, method: string, where: string, body?: unknown): Promise<JsonAnswer> {
  const headers = { authorization: to.apiKey };
  return callJson(method, `${to.baseUrl}/v2/${to.endpointId}${where}`, body, { headers });
}

function control(to: Reference, method: string, where: string, body: unknown): Promise<JsonAnswer> {
  return callJson(method, `${to.controlUrl}/endpoints/${to.endpointId}${where}`, body);
}

async function submit(to: Reference, input: object, more: object = {}): Promise<string> {
  const { body } = await call(to, "POST", "/run", { input, ...more });
  return String(body["id"]);
}

const advance = (to: Reference, ms: number): Promise<JsonAnswer> =>
  control(to, "POST", "/clock/advance", { ms });

const statusOf = async (to: Reference, id: string): Promise<unknown> =>
  (await call(to, "GET", `/status/${id}`)).body["status"];

describe("the place of a state file", () => {
  test.each([":memory:", "file:state.db?mode=memory", "https://db.test/state"])(
    "is one on this machine: %s is refused",
    async (stateFile) => {
      await expect(startReference({ stateFile })).rejects.toMatchObject({ code: "STATE_FILE" });
    },
  );

  test("is its owner's alone, also where it was others' before", async () => {
    await (await start()).stop();
    started.length = 0;
    chmodSync(path, 0o644);
    await start();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("is watched: what would go to a file that was moved is answered 500, until it is back", async () => {
    const reference = await start();
    renameSync(path, `${path}.moved`);
    expect((await call(reference, "POST", "/run", { input: {} })).status).toBe(500);
    renameSync(`${path}.moved`, path);
    expect((await call(reference, "POST", "/run", { input: {} })).status).toBe(200);
  });
});

describe("after a restart", () => {
  test("what ran runs again, once, in front of what waited; what had ended has its result", async () => {
    const first = await start();
    const ended = await submit(first, { op: "stream", count: 2, intervalMs: 0 });
    const running = await submit(first, { op: "sleep", ms: 60_000, value: "ran" });
    const waiting = await submit(first, { op: "echo", value: "waited" });
    await advance(first, 59_999);
    await first.stop();

    const second = await start();
    expect(await statusOf(second, running)).toBe("IN_PROGRESS");
    expect(await statusOf(second, waiting)).toBe("IN_QUEUE");
    await advance(second, 59_999);
    expect(await statusOf(second, running)).toBe("IN_PROGRESS");
    await advance(second, 1);
    const { body } = await call(second, "GET", `/status/${running}`);
    expect(body).toMatchObject({ status: "COMPLETED", output: { value: "ran" } });
    expect((await call(second, "GET", `/status/${waiting}`)).body["status"]).toBe("COMPLETED");
    const stream = await call(second, "GET", `/stream/${ended}`);
    expect(stream.body["items"]).toMatchObject([
      { output: { index: 0 } },
      { output: { index: 1 } },
    ]);
    const health = await call(second, "GET", "/health");
    expect(health.body["jobs"]).toMatchObject({ completed: 3, inQueue: 0, inProgress: 0 });
  });

  test("the virtual clock goes on where it stood, and ttl and retention with it", async () => {
    const first = await start({ workers: 1 });
    const ended = await submit(first, { op: "echo" });
    await submit(
      first,
      { op: "sleep", ms: 86_000_000 },
      { policy: { executionTimeout: 604_800_000 } },
    );
    const expiring = await submit(first, { op: "echo" }, { policy: { ttl: 20_000 } });
    await advance(first, 15_000);
    await first.stop();

    const second = await start();
    await advance(second, 4_999);
    expect(await statusOf(second, expiring)).toBe("IN_QUEUE");
    await advance(second, 2);
    expect((await call(second, "GET", `/status/${expiring}`)).status).toBe(404);
    await advance(second, 1_800_000 - 20_001 - 1);
    expect(await statusOf(second, ended)).toBe("COMPLETED");
    await advance(second, 2);
    expect((await call(second, "GET", `/status/${ended}`)).status).toBe(404);
  });

  test("a webhook that was due is called when its time comes, and not again after that", async () => {
    let isUp = false;
    const receiver = await startReceiver((_, response) => {
      response.writeHead(isUp ? 200 : 503).end();
    });
    onTestFinished(() => receiver.stop());
    const first = await start();
    await submit(first, { op: "echo", value: "told" }, { webhook: receiver.url });
    await advance(first, 0);
    expect(receiver.bodies).toHaveLength(1);
    await first.stop();

    isUp = true;
    const second = await start();
    await advance(second, 9_999);
    expect(receiver.bodies).toHaveLength(1);
    await advance(second, 1);
    expect(receiver.bodies).toHaveLength(2);
    expect(receiver.bodies[1]).toMatchObject({ status: "COMPLETED", output: { value: "told" } });
    await second.stop();

    const third = await start();
    await advance(third, 60_000);
    expect(receiver.bodies).toHaveLength(2);
  });

  test("purged and cancelled jobs stay so, and a retried one has its attempt", async () => {
    const first = await start({ workers: 0 });
    const purged = await submit(first, { op: "echo" });
    await call(first, "POST", "/purge-queue");
    const cancelled = await submit(first, { op: "echo" });
    await call(first, "POST", `/cancel/${cancelled}`);
    await control(first, "PUT", "/workers", { count: 1 });
    const flaky = await submit(first, { op: "flaky", failures: 1 });
    await call(first, "POST", `/retry/${flaky}`);
    await first.stop();

    const second = await start();
    expect((await call(second, "GET", `/status/${purged}`)).status).toBe(404);
    expect(await statusOf(second, cancelled)).toBe("CANCELLED");
    const { body } = await call(second, "GET", `/status/${flaky}`);
    expect(body).toMatchObject({ status: "COMPLETED", output: { attempt: 2 } });
  });

  test("endpoints made through control are there with their keys, removed ones are not", async () => {
    const first = await startReference({ stateFile: path });
    const made = await callJson("POST", `${first.controlUrl}/endpoints`, { workers: 2 });
    const gone = await callJson("POST", `${first.controlUrl}/endpoints`, {});
    await callJson("DELETE", `${first.controlUrl}/endpoints/${String(gone.body["endpointId"])}`);
    await first.stop();

    const second = await startReference({ stateFile: path });
    started.push(second);
    const health = async (id: unknown, key: unknown): Promise<JsonAnswer> =>
      callJson("GET", `${second.baseUrl}/v2/${String(id)}/health`, undefined, {
        headers: { authorization: String(key) },
      });
    expect(second).toMatchObject({ endpointId: first.endpointId, apiKey: first.apiKey });
    const answer = await health(made.body["endpointId"], made.body["apiKey"]);
    expect(answer.body["workers"]).toEqual({ idle: 2, running: 0 });
    expect((await health(gone.body["endpointId"], gone.body["apiKey"])).status).toBe(401);
  });
});

async function refusal(content: string | Buffer): Promise<unknown> {
  writeFileSync(path, content);
  const error: unknown = await start().catch((reason: unknown) => reason);
  expect(readFileSync(path).equals(Buffer.from(content))).toBe(true);
  return error;
}

/** Makes a state file of several pages, whose server has stopped. */
async function filled(): Promise<void> {
  const first = await start();
  for (let at = 0; at < 20; at += 1) await submit(first, { op: "echo", value: "x".repeat(2_000) });
  await first.stop();
}

describe("a file that cannot be used is refused and left as it is:", () => {
  test("a text", async () => {
    const error = await refusal("Dear diary, ".repeat(100));
    expect(error).toMatchObject({ code: "STATE_FILE" });
    expect(String(error)).toMatch(/is not a state file of queueproof; it was left as it is/);
  });

  test("the database of another program", async () => {
    const { default: Database } = await import("libsql");
    const other = join(directory, "other.db");
    new Database(other).exec("CREATE TABLE recipes (name TEXT)");
    expect(String(await refusal(readFileSync(other)))).toMatch(/is not a state file/);
  });

  test("one of a later format", async () => {
    await (await start()).stop();
    const later = readFileSync(path);
    later.writeUInt32BE(99, 60);
    expect(String(await refusal(later))).toMatch(/is a state file of format 99/);
  });

  test("one that was cut off", async () => {
    await filled();
    truncateSync(path, statSync(path).size - 8_192);
    expect(String(await refusal(readFileSync(path)))).toMatch(/is damaged/);
  });

  test("one with a page that is overwritten", async () => {
    await filled();
    const damaged = readFileSync(path).fill(0x41, 8_192, 16_384);
    expect(String(await refusal(damaged))).toMatch(/is damaged/);
  });

  test("one with a row that nobody can read", async () => {
    await filled();
    const { default: Database } = await import("libsql");
    const database = new Database(path);
    database.exec("UPDATE jobs SET facts = '{}'");
    database.close();
    expect(String(await refusal(readFileSync(path)))).toMatch(/is damaged/);
  });

  test("one that another server uses", async () => {
    await start();
    const error: unknown = await start().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "STATE_FILE" });
    expect(String(error)).toMatch(/is in use by another process/);
  });

  test("one in a directory that is not there", async () => {
    path = join(directory, "missing", "state.db");
    await expect(start()).rejects.toThrow(/cannot be opened: ENOENT/);
  });
});

test("only the owner of the file can read it", async () => {
  await start();
  expect(statSync(path).mode & 0o077).toBe(0);
});

test("a file with text that is not UTF-8 is told to be damaged, and the process goes on", async () => {
  const first = await start();
  await submit(first, { op: "echo", value: "to-be-spoilt" });
  await first.stop();
  const bytes = readFileSync(path);
  bytes[bytes.indexOf("to-be-spoilt")] = 0xff;
  writeFileSync(path, bytes);

  await expect(start()).rejects.toThrow(/is damaged/);
});

test("jobs are read from the file one at a time, so that what can be accepted can be loaded", async () => {
  const first = await start({ workers: 0 });
  const ids = [await submit(first, { n: 1 }), await submit(first, { n: 2 })];
  await first.stop();
  started.length = 0;
  const store = await SqliteStore.open(path);
  try {
    expect(store.all("jobIds", "e")).toEqual(ids.map((id) => ({ id })));
    for (const id of ids) expect(store.all("job", "e", id)).toMatchObject([{ id }]);
  } finally {
    store.close();
  }
  const again = await start({ workers: 0 });
  for (const id of ids) expect(await statusOf(again, id)).toBe("IN_QUEUE");
});

test("large values stay in the file until they are asked for, and are what they were", async () => {
  const large = "x".repeat(200_000);
  const receiver = await startReceiver((_, response) => response.writeHead(503).end());
  onTestFinished(() => receiver.stop());
  const first = await start();
  const ended = await submit(first, { op: "echo", value: large }, { webhook: receiver.url });
  const failed = await submit(first, { op: "fail", message: large });
  const chatty = await submit(first, { op: "text", bytes: 200_000, chunks: 2, intervalMs: 0 });
  await advance(first, 0);
  const waiting = await submit(first, { op: "sleep", ms: 1, value: large });
  await first.stop();

  const second = await start();
  const reads = vi.spyOn(SqliteStore.prototype, "all");
  const { body: told } = await call(second, "GET", `/status/${ended}`);
  expect(told).toMatchObject({ status: "COMPLETED", output: { value: large } });
  expect(reads).toHaveBeenCalledWith("job", "e", ended);
  expect(reads).not.toHaveBeenCalledWith("job", "e", waiting);
  expect((await call(second, "GET", `/status/${failed}`)).body["error"]).toContain(large);
  const { body: streamed } = await call(second, "GET", `/stream/${chatty}`);
  expect(JSON.stringify(streamed).length).toBeGreaterThan(100_000);
  await advance(second, 10_000);
  expect(receiver.bodies.at(-1)).toMatchObject({ output: { value: large } });
  await call(second, "POST", `/retry/${failed}`);
  await advance(second, 1);
  expect((await call(second, "GET", `/status/${waiting}`)).body["output"]).toEqual({
    value: large,
  });
  await second.stop();

  const third = await start();
  const { body: again } = await call(third, "GET", `/status/${failed}`);
  expect(again).toMatchObject({ status: "FAILED" });
  expect(again["error"]).toContain(large);
  expect((await call(third, "GET", `/status/${ended}`)).body).toMatchObject(told);
});
