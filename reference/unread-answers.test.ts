import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";

import { startReference } from "./start-reference.ts";

const key = "key-of-the-test";
const bytes = 60_000_000;

/** A client that asks for a job and reads as much of the answer as `pause` lets it. */
function ask(port: string, id: string): { readonly socket: Socket; readonly read: () => number } {
  const socket = connect(Number(port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => socket.destroy());
  let read = 0;
  socket.on("data", (chunk) => (read += chunk.length));
  socket.write(
    `GET /v2/e/status/${id} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${key}\r\n\r\n`,
  );
  return { socket, read: () => read };
}

test("large answers wait while much lies unread, and come once it is read", async () => {
  const endpoints = [{ id: "e", apiKey: key, foreignKey: "other", workers: 1 }];
  const reference = await startReference({ endpoints });
  onTestFinished(() => reference.stop());
  const headers = { authorization: key, "content-type": "application/json" };
  const input = { op: "text", bytes, chunks: 10, intervalMs: 0 };
  const submitted = await fetch(`${reference.baseUrl}/v2/e/runsync?wait=60000`, {
    method: "POST",
    headers,
    body: JSON.stringify({ input }),
  });
  const id = /"id":"([^"]+)"/.exec(await submitted.text())?.[1] ?? "";
  const { port } = new URL(reference.baseUrl);
  const early = Array.from({ length: 3 }, () => ask(port, id));
  for (const { socket, read } of early) {
    await vi.waitFor(() => expect(read()).toBeGreaterThan(0));
    socket.pause();
  }
  const late = ask(port, id);
  const health = await fetch(`${reference.baseUrl}/v2/e/health`, { headers });
  expect(health.status).toBe(200);
  expect(late.read()).toBe(0);
  for (const { socket } of early) socket.destroy();
  await vi.waitFor(() => expect(late.read()).toBeGreaterThan(bytes), { timeout: 60_000 });
});
