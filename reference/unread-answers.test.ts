import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";

import { startReference } from "./start-reference.ts";
import { unreadAnswers } from "./unread-answers.ts";

const headers = { authorization: "key-of-the-test", "content-type": "application/json" };

test("large answers wait while much lies unread, others do not, and they come once it is read", async () => {
  const endpoints = [{ id: "e", apiKey: headers.authorization, foreignKey: "other", workers: 1 }];
  const reference = await startReference({ endpoints });
  onTestFinished(() => reference.stop());
  const at = `${reference.baseUrl}/v2/e`;
  const input = { op: "text", bytes: 100_000, chunks: 1, intervalMs: 0 };
  const body = JSON.stringify({ input });
  const submitted = await fetch(`${at}/runsync?wait=60000`, { method: "POST", headers, body });
  const id = /"id":"([^"]+)"/.exec(await submitted.text())?.[1] ?? "";

  const unread = new ServerResponse(new IncomingMessage(new Socket()));
  unreadAnswers.add(unread, { length: 150_000_000 }, undefined);
  let hasCome = false;
  const read = fetch(`${at}/status/${id}`, { headers }).then(async (answer) => {
    hasCome = true;
    return answer.text();
  });
  for (let asked = 0; asked < 10; asked += 1) {
    expect((await fetch(`${at}/health`, { headers })).status).toBe(200);
  }
  expect(hasCome).toBe(false);
  unread.emit("close");
  expect((await read).length).toBeGreaterThan(100_000);
});
