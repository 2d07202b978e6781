import { startReference } from "queueproof";
import { afterAll, expect, test } from "vitest";

const api = await startReference();
afterAll(() => api.stop());

test("a job completes", async () => {
  const answer = await fetch(`${api.baseUrl}/v2/${api.endpointId}/runsync`, {
    method: "POST",
    headers: { authorization: api.apiKey, "content-type": "application/json" },
    body: JSON.stringify({ input: { op: "echo", value: "hello" } }),
  });
  expect(await answer.json()).toMatchObject({ status: "COMPLETED", output: { value: "hello" } });
});
