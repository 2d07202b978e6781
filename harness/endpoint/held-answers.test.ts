import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { JobClient } from "../../client/job-client.ts";
import { Redactor } from "../../client/redactor.ts";
import { Transport } from "../../client/transport.ts";
import { rulesFor } from "../../client/request-rules.ts";
import type { SendRequest } from "../new-jobs.ts";
import { HeldAnswers } from "./clock-modes.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A client whose answers come once the clock was moved, and how far it was. */
function holding(): {
  readonly client: JobClient;
  readonly moves: number[];
  readonly time: { advance: (ms: number) => Promise<void>; stoodStillMs: () => number };
} {
  const moves: number[] = [];
  const answers: (() => void)[] = [];
  let movedAtMs = -Infinity;
  const send: SendRequest = async () => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return { answer: undefined, failure: undefined, sentAtMs: 0, answeredAtMs: 0 };
  };
  const baseUrl = "http://127.0.0.1:9";
  const transport = new Transport(rulesFor({ baseUrl }), 1);
  const client = new JobClient({
    transport,
    redactor: new Redactor(),
    baseUrl,
    endpointId: "e",
    apiKey: "a-key",
    send,
  });
  const advance = async (ms: number): Promise<void> => {
    moves.push(ms);
    movedAtMs = Date.now();
    for (const each of answers.splice(0)) each();
  };
  const stoodStillMs = (): number => Date.now() - movedAtMs;
  return { client, moves, time: { advance, stoodStillMs } };
}

test("a runsync that is held where time stands still is released, the next one sooner", async () => {
  const held = new HeldAnswers();
  const { client, moves, time } = holding();
  const api = held.released(client, time);
  const first = api.runsync({ input: {} });
  await vi.advanceTimersByTimeAsync(9_999);
  expect(moves).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await first;
  expect(moves).toEqual([300_001]);
  const second = api.runsync({ input: {} });
  await vi.advanceTimersByTimeAsync(2_000);
  await second;
  expect(moves).toHaveLength(2);
});

test("many that are held are released by one move", async () => {
  const { client, moves, time } = holding();
  const api = new HeldAnswers().released(client, time);
  const all = Array.from({ length: 30 }, async () => api.runsync({ input: {} }));
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(all);
  expect(moves).toEqual([300_001]);
});

test("nothing is released while somebody moves the clock, however long the answer is on its way", async () => {
  const { client, moves, time } = holding();
  const api = new HeldAnswers().released(client, { ...time, stoodStillMs: () => 900 });
  void api.runsync({ input: {} });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(moves).toEqual([]);
});

test("one that its check holds itself, a large one and other operations are left alone", async () => {
  const { client, moves, time } = holding();
  const api = new HeldAnswers().released(client, time);
  void api.runsync({ input: {} }, { timeoutMs: 400_000 });
  void api.runsync(Buffer.alloc(70_000, " "));
  void api.run({ input: {} });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(moves).toEqual([]);
});
