import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";

import { LoadSession } from "./load-session.ts";

test("any number of checks may wait for the signal that stops a session, without a warning", async () => {
  const warnings: string[] = [];
  const keep = ({ message }: Error): void => void warnings.push(message);
  process.on("warning", keep);
  const { signal } = new AbortController();
  const session = new LoadSession({ baseUrl: "http://127.0.0.1:1", capabilities: [] }, signal);
  onTestFinished(async () => {
    process.off("warning", keep);
    await session.close();
  });
  for (let waiting = 0; waiting < 20; waiting += 1) {
    signal.addEventListener("abort", () => undefined);
  }
  await setImmediate();
  expect(warnings).toEqual([]);
});
