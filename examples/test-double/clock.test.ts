import { startReference } from "queueproof";
import { afterAll, expect, test } from "vitest";

const api = await startReference({
  handler: [
    { input: { prompt: "a long story" }, output: { text: "once" }, delayMs: 300_000 },
    { output: { text: "hi" } },
  ],
});
afterAll(() => api.stop());

test("a job of five minutes is done in a moment, and its result is gone half an hour later", async () => {
  const endpoint = await api.endpoint({ clock: "virtual", workers: 1 });
  const headers = { authorization: endpoint.apiKey, "content-type": "application/json" };
  const body = JSON.stringify({ input: { prompt: "a long story" } });
  const submitted = await fetch(`${endpoint.url}/run`, { method: "POST", headers, body });
  const { id } = (await submitted.json()) as { id: string };
  const statusUrl = `${endpoint.url}/status/${id}`;

  await endpoint.advance(300_000);
  const done = await fetch(statusUrl, { headers });
  expect(await done.json()).toMatchObject({ status: "COMPLETED", output: { text: "once" } });

  await endpoint.advance(1_800_001);
  expect((await fetch(statusUrl, { headers })).status).toBe(404);
});

test("a client waits while nobody works, and while its answer is held", async () => {
  const endpoint = await api.endpoint({ clock: "real", workers: 0 });
  const headers = { authorization: endpoint.apiKey, "content-type": "application/json" };
  const body = JSON.stringify({ input: {} });
  const answer = fetch(`${endpoint.url}/runsync`, { method: "POST", headers, body });
  await endpoint.hold("health");
  const health = fetch(`${endpoint.url}/health`, { headers });
  await endpoint.workers(1);
  await endpoint.release("health");
  expect(await (await answer).json()).toMatchObject({ output: { text: "hi" } });
  expect((await health).status).toBe(200);
});
