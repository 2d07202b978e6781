import { expect, test, vi } from "vitest";

import runpodSdk from "runpod-sdk";

import { startEmulator } from "./emulator.ts";

/** As docs/local-development.md shows it. */
async function connected(workers?: number): Promise<{
  readonly emulator: Awaited<ReturnType<typeof startEmulator>>;
  readonly endpoint: NonNullable<ReturnType<ReturnType<typeof runpodSdk>["endpoint"]>>;
}> {
  const emulator = await startEmulator("built-in");
  const { endpointId, apiKey, controlUrl = "" } = emulator.reference;
  if (workers !== undefined) {
    const body = JSON.stringify({ count: workers });
    await fetch(`${controlUrl}/endpoints/${endpointId}/workers`, { method: "PUT", body });
  }
  const endpoint = runpodSdk(apiKey, { baseUrl: emulator.baseUrl }).endpoint(endpointId);
  if (endpoint === null) throw new Error("no endpoint");
  return { emulator, endpoint };
}

test("run, status and health", async () => {
  const { endpoint } = await connected();
  const { id, status } = await endpoint.run({ input: { op: "echo", value: "hello" } });
  expect(status).toBe("IN_QUEUE");
  expect(await endpoint.status(id)).toMatchObject({
    id,
    status: "COMPLETED",
    output: { value: "hello" },
    completed: true,
    succeeded: true,
  });
  expect(await endpoint.health()).toMatchObject({
    jobs: { completed: 1, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
    workers: { idle: 1, initializing: 0, ready: 1, running: 0, throttled: 0, unhealthy: 0 },
  });
});

test("runSync goes on by status-sync when the wait is over, and is held there", async () => {
  // The client does not pause between polls: if they were not held, there would be hundreds.
  const requests = vi.spyOn(globalThis, "fetch");
  const { endpoint } = await connected();
  const input = { op: "sleep", ms: 2_500, value: 7 };
  expect(await endpoint.runSync({ input }, 1_000)).toMatchObject({ completed: false });
  const whole = await endpoint.runSync({ input }, 2_000);
  expect(whole).toMatchObject({ status: "COMPLETED", output: { value: 7 }, succeeded: true });
  const polls = requests.mock.calls.filter(
    ([url]) => typeof url === "string" && url.includes("/status-sync/"),
  );
  requests.mockRestore();
  expect(polls.length).toBeGreaterThan(0);
  expect(polls.length).toBeLessThan(5);
});

test("a failed job is told as completed without success", async () => {
  const { endpoint } = await connected();
  const failed = await endpoint.runSync({ input: { op: "fail", message: "boom" } }, 60_000);
  expect(failed).toMatchObject({ status: "FAILED", error: "boom", succeeded: false });
});

test("stream yields every chunk and ends", async () => {
  const { endpoint } = await connected();
  const { id } = await endpoint.run({ input: { op: "stream", count: 4, intervalMs: 200 } });
  const chunks: unknown[] = [];
  for await (const chunk of endpoint.stream(id)) chunks.push(chunk);
  expect(chunks).toEqual([0, 1, 2, 3].map((index) => ({ output: { index } })));
});

test("cancel and purgeQueue", async () => {
  const { endpoint } = await connected(0);
  const { id } = await endpoint.run({ input: { op: "echo" } });
  expect(await endpoint.cancel(id)).toMatchObject({ id, status: "CANCELLED" });
  await endpoint.run({ input: { op: "echo" } });
  expect(await endpoint.purgeQueue()).toEqual({ removed: 1, status: "completed" });
});

test("time-outs and errors reach the caller", async () => {
  const { emulator, endpoint } = await connected();
  const { endpointId, controlUrl = "" } = emulator.reference;
  const body = JSON.stringify({ operation: "status", held: true });
  await fetch(`${controlUrl}/endpoints/${endpointId}/hold`, { method: "PUT", body });
  const { id } = await endpoint.run({ input: { op: "echo" } });
  await expect(endpoint.status(id, 300)).rejects.toThrow(/timeout|aborted/i);
  const stranger = runpodSdk("wrong", { baseUrl: emulator.baseUrl }).endpoint(endpointId);
  await expect(stranger?.health()).rejects.toThrow(/401/);
});
