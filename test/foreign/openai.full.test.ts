import OpenAI, { APIConnectionTimeoutError } from "openai";
import { describe, expect, test } from "vitest";

import { startEmulator, type Emulator } from "./emulator.ts";
import { pythonWithRunpod } from "./python.ts";
import { startWorker } from "./worker.ts";

/** As docs/local-development.md shows it. */
function clientOf({ reference, url }: Emulator, apiKey = reference.apiKey): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${url}/openai/v1`, maxRetries: 0 });
}

const messages = [{ role: "user", content: "one two three" }] as const;
const chat = { model: "queueproof-echo", messages: [...messages] };

async function spoken(client: OpenAI): Promise<readonly string[]> {
  const words: string[] = [];
  for await (const chunk of await client.chat.completions.create({ ...chat, stream: true })) {
    words.push(chunk.choices[0]?.delta.content ?? "");
  }
  return words;
}

describe("the OpenAI client and the built-in model", () => {
  test("models, a completion, and one that is streamed", async () => {
    const client = clientOf(await startEmulator("built-in"));
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["queueproof-echo"]);
    const whole = await client.chat.completions.create(chat);
    expect(whole.choices[0]?.message.content).toBe("one two three");
    expect(whole.usage?.total_tokens).toBe(6);
    expect((await spoken(client)).join("")).toBe("one two three");
    const plain = await client.completions.create({ model: "queueproof-echo", prompt: "a b" });
    expect(plain.choices[0]?.text).toBe("a b");
  });

  test("errors and time-outs are those of the client", async () => {
    const emulator = await startEmulator("built-in");
    await expect(clientOf(emulator, "wrong").models.list()).rejects.toMatchObject({ status: 401 });
    const client = clientOf(emulator);
    await expect(client.embeddings.create({ model: "m", input: "x" })).rejects.toMatchObject({
      status: 400,
    });
    const { endpointId, controlUrl = "" } = emulator.reference;
    const body = JSON.stringify({ operation: "openai", held: true });
    await fetch(`${controlUrl}/endpoints/${endpointId}/hold`, { method: "PUT", body });
    await expect(client.chat.completions.create(chat, { timeout: 300 })).rejects.toBeInstanceOf(
      APIConnectionTimeoutError,
    );
  });
});

const { missing } = pythonWithRunpod();

describe.skipIf(missing !== "")(`the OpenAI client and a real worker ${missing}`, () => {
  test("its output is answered as it is, whole and streamed", async () => {
    const emulator = await startEmulator();
    startWorker(emulator.reference, { words: ["openai"] });
    const client = clientOf(emulator);
    const whole = await client.chat.completions.create(chat);
    expect(whole.choices[0]?.message.content).toBe("three two one");
    expect(await spoken(client)).toEqual(["one", "two", "three"]);
  });
});
