import { afterEach, expect, onTestFinished, test, vi } from "vitest";

import { callJson } from "../test/rig.ts";
import { startReference } from "./start-reference.ts";
import type { Reference, ReferenceOptions } from "./start-reference.ts";

afterEach(() => void vi.restoreAllMocks());

async function served(handler: ReferenceOptions["handler"]): Promise<Reference> {
  const reference = await startReference({ handler });
  onTestFinished(() => reference.stop());
  return reference;
}

async function resultOf(to: Reference, input: object): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: to.apiKey };
  const url = `${to.baseUrl}/v2/${to.endpointId}`;
  return (await callJson("POST", `${url}/runsync?wait=5000`, { input }, { headers })).body;
}

async function streamOf(to: Reference, id: unknown): Promise<unknown> {
  const headers = { authorization: to.apiKey };
  const url = `${to.baseUrl}/v2/${to.endpointId}/stream/${String(id)}`;
  return (await callJson("GET", url, undefined, { headers })).body["items"];
}

test("a function's result is the output, and what it throws fails the job", async () => {
  const reference = await served(async ({ prompt }, { attempt }) => {
    if (prompt === undefined) throw new Error("a prompt is wanted");
    return { text: "about", prompt, attempt };
  });
  expect(await resultOf(reference, { prompt: "snow" })).toMatchObject({
    status: "COMPLETED",
    output: { text: "about", prompt: "snow", attempt: 1 },
  });
  expect(await resultOf(reference, {})).toMatchObject({
    status: "FAILED",
    error: "a prompt is wanted",
  });
});

test("the values of an async generator are the chunks, and all of them the output", async () => {
  const reference = await served(async function* ({ count }) {
    for (let index = 0; index < Number(count); index += 1) yield { index };
  });
  const job = await resultOf(reference, { count: 2 });
  expect(job).toMatchObject({ status: "COMPLETED", output: [{ index: 0 }, { index: 1 }] });
  expect(await streamOf(reference, job["id"])).toMatchObject([
    { output: { index: 0 } },
    { output: { index: 1 } },
  ]);
});

test.each([() => 1n, () => () => 1])(
  "a result that JSON cannot say fails the job",
  async (work) => {
    expect(await resultOf(await served(work), {})).toMatchObject({ status: "FAILED" });
  },
);

test("a cancelled job's function is told so, and what it still returns means nothing", async () => {
  const aborted = vi.fn();
  const reference = await served(
    async (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted();
          resolve("late");
        });
      }),
  );
  const headers = { authorization: reference.apiKey };
  const url = `${reference.baseUrl}/v2/${reference.endpointId}`;
  const { body } = await callJson("POST", `${url}/run`, { input: {} }, { headers });
  await callJson("POST", `${url}/cancel/${String(body["id"])}`, undefined, { headers });
  await vi.waitFor(() => expect(aborted).toHaveBeenCalledTimes(1));
  const read = await callJson("GET", `${url}/status/${String(body["id"])}`, undefined, { headers });
  expect(read.body["status"]).toBe("CANCELLED");
  expect(read.body).not.toHaveProperty("output");
});

test("a table answers by the first row that fits, with chunks, failures and inputs of any depth", async () => {
  const reference = await served([
    { input: { model: { name: "small" } }, output: "from the small one" },
    { input: { prompt: "fail" }, error: "out of memory" },
    { input: { prompt: "count" }, chunks: ["one", "two"] },
    { input: { prompt: "hello" }, output: { text: "hi" }, delayMs: 1 },
  ]);
  const small = await resultOf(reference, { model: { name: "small", size: 7 }, prompt: "fail" });
  expect(small).toMatchObject({ status: "COMPLETED", output: "from the small one" });
  expect(await resultOf(reference, { prompt: "fail" })).toMatchObject({
    status: "FAILED",
    error: "out of memory",
  });
  const counted = await resultOf(reference, { prompt: "count" });
  expect(counted).toMatchObject({ status: "COMPLETED", output: ["one", "two"] });
  expect(await streamOf(reference, counted["id"])).toMatchObject([
    { output: "one" },
    { output: "two" },
  ]);
  expect(await resultOf(reference, { prompt: "hello" })).toMatchObject({ output: { text: "hi" } });
  expect(await resultOf(reference, { other: 1 })).toMatchObject({
    status: "FAILED",
    error: "no row of the handler's table fits the input",
  });
});
