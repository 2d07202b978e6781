import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { startReference } from "../start-reference.ts";
import type { Reference } from "../start-reference.ts";
import { waitLimits } from "../../test/wait-limits.ts";
import { callJson, type JsonAnswer } from "../../test/rig.ts";

let reference: Reference;

beforeEach(async () => {
  reference = await startReference({ externalWorkers: { silenceMs: 200 } });
});
afterEach(async () => reference.stop());

function call(method: string, path: string, body?: unknown): Promise<JsonAnswer> {
  const { baseUrl, endpointId, apiKey } = reference;
  const headers = { authorization: apiKey };
  return callJson(method, `${baseUrl}/v2/${endpointId}${path}`, body, { headers });
}

async function submit(): Promise<unknown> {
  return (await call("POST", "/run", { input: { a: 1 } })).body["id"];
}

test("a job goes to the worker that waits, and its result to who asked", async () => {
  const taken = call("GET", "/job-take/w?gpu=x&job_in_progress=0");
  const id = await submit();
  expect((await taken).body).toEqual({ id, input: { a: 1 }, attempt: 1 });
  expect((await call("GET", `/status/${String(id)}`)).body["status"]).toBe("IN_PROGRESS");
  await call("POST", `/job-stream/w/${String(id)}?gpu=x&isStream=false`, { output: [1] });
  await call("POST", `/job-done/stranger/${String(id)}?gpu=x`, { output: "not mine" });
  await call("POST", `/job-done/w/${String(id)}?gpu=x`, { output: { b: 2 } });
  const { body } = await call("GET", `/status/${String(id)}`);
  expect(body).toMatchObject({ status: "COMPLETED", output: { b: 2 } });
});

test("a batch has what waits, at most as much as was asked for", async () => {
  const ids = [await submit(), await submit(), await submit()];
  const { body } = await call("GET", "/job-take-batch/w?gpu=x&batch_size=2");
  expect(body["items"]).toMatchObject(ids.slice(0, 2).map((id) => ({ id })));
});

test("a worker that says nothing has lost its job; the second one too, and the job fails", async () => {
  const id = await submit();
  for (const worker of ["a", "b"]) {
    expect((await call("GET", `/job-take/${worker}?gpu=x`)).body["id"]).toBe(id);
  }
  await vi.waitFor(async () => {
    expect((await call("GET", `/status/${String(id)}`)).body["status"]).toBe("FAILED");
  }, waitLimits);
});

test("a cancelled job is stopped, and what is said of it later is not heard", async () => {
  const id = await submit();
  await call("GET", "/job-take/w?gpu=x");
  const stops = call("GET", "/job-stop/w?gpu=x");
  await call("POST", `/cancel/${String(id)}`);
  expect((await stops).body).toEqual({ jobsToStop: [id] });
  expect((await call("POST", `/job-done/w/${String(id)}?gpu=x`, { output: 1 })).status).toBe(200);
  expect((await call("GET", `/status/${String(id)}`)).body["status"]).toBe("CANCELLED");
});

test("a stop that came between two questions is told with the next one", async () => {
  const id = await submit();
  await call("GET", "/job-take/w?gpu=x");
  await call("POST", `/cancel/${String(id)}`);
  expect((await call("GET", "/job-stop/w?gpu=x")).body).toEqual({ jobsToStop: [id] });
});

test("a job that was lost goes back to its worker once that has stopped it, to another at once", async () => {
  const lost = await submit();
  expect((await call("GET", "/job-take/w?gpu=x")).body["id"]).toBe(lost);
  const stops = call("GET", "/job-stop/w?gpu=x");
  expect((await stops).body).toEqual({ jobsToStop: [lost] });
  await vi.waitFor(async () => {
    expect((await call("GET", `/status/${String(lost)}`)).body["status"]).toBe("IN_QUEUE");
  }, waitLimits);
  const next = await submit();
  expect((await call("GET", "/job-take/w?gpu=x")).body["id"]).toBe(next);
  expect((await call("GET", "/job-take/other?gpu=x")).body["id"]).toBe(lost);
});

test("a worker that has stopped a job may take it again, and only the new work counts", async () => {
  const id = await submit();
  await call("GET", "/job-take/w?gpu=x");
  await call("GET", "/job-stop/w?gpu=x");
  const again = call("GET", "/job-take/w?gpu=x");
  await call("POST", `/job-done/w/${String(id)}?gpu=x`, { output: "of the old work" });
  void call("GET", "/job-stop/w?gpu=x").catch(() => undefined);
  expect((await again).body["id"]).toBe(id);
  await call("POST", `/job-done/w/${String(id)}?gpu=x`, { output: "of the new work" });
  const { body } = await call("GET", `/status/${String(id)}`);
  expect(body).toMatchObject({ status: "COMPLETED", output: "of the new work" });
});

test("a result and a chunk that are too deep are refused", async () => {
  const id = await submit();
  await call("GET", "/job-take/w?gpu=x");
  const deep = `{"output":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
  for (const path of ["job-done", "job-stream"]) {
    expect((await call("POST", `/${path}/w/${String(id)}?gpu=x`, deep)).status).toBe(400);
  }
});

test("a job whose chunks come to more than any output may have fails, and its worker goes on", async () => {
  const id = await submit();
  await call("GET", "/job-take/w?gpu=x");
  const chunk = JSON.stringify({ output: { text: "x".repeat(16_000_000) } });
  for (let count = 0; count < 5; count += 1) {
    expect((await call("POST", `/job-stream/w/${String(id)}?gpu=x`, chunk)).status).toBe(200);
  }
  const { body } = await call("GET", `/status/${String(id)}`);
  expect(body["status"]).toBe("FAILED");
  expect(body["error"]).toMatch(/64 MiB/);
  const next = await submit();
  expect((await call("GET", "/job-take/w?gpu=x")).body["id"]).toBe(next);
});

test("a worker on this machine may have any key; a web page may not, and nobody without one", async () => {
  const { baseUrl, endpointId } = reference;
  const pingWith = async (headers: Record<string, string>): Promise<number> => {
    const at = `${baseUrl}/v2/${endpointId}/ping/w`;
    return (await callJson("GET", at, undefined, { headers })).status;
  };
  expect(await pingWith({ authorization: "a key of the library's own settings" })).toBe(200);
  const page = { authorization: "x", origin: "http://page.example" };
  expect(await pingWith(page)).toBe(401);
  expect(await pingWith({})).toBe(401);
});

test("a result that is no JSON is refused", async () => {
  expect((await call("POST", "/job-done/w/any?gpu=x", "{")).status).toBe(400);
});
