import { describe, expect, test } from "vitest";

import { verdictsOf } from "../../test/traffic/judged-recording.ts";
import type { WrittenExchange } from "../../test/traffic/judged-recording.ts";

const ended = { status: "COMPLETED", output: { a: 1 }, delayTime: 1, executionTime: 2 };

function submitted(id: string): WrittenExchange {
  const sent = { input: {}, webhook: "http://receiver.example/hook?of=us" };
  return {
    atMs: 0,
    method: "POST",
    target: "/v2/e/run",
    sent,
    got: { id, status: "IN_QUEUE" },
  };
}

function read(atMs: number, status: object = ended): WrittenExchange {
  return { atMs, target: "/v2/e/status/j", got: { id: "j", ...status } };
}

interface Called extends Partial<WrittenExchange> {
  readonly id?: string;
  readonly record?: object;
}

function called(atMs: number, { id = "j", record = ended, ...more }: Called = {}): WrittenExchange {
  const sent = { id, ...record };
  return { atMs, method: "POST", target: "/hook?of=us", sent, ...more };
}

/** Calls of other jobs long before and after, so that what did not come would have been recorded. */
const around = [called(1, { id: "k" }), called(120_000, { id: "l" })];

function verdictOf(
  id: "HOOK-01" | "HOOK-02" | "HOOK-03" | "HOOK-04" | "HOOK-05" | "HOOK-06" | "HOOK-07" | "HOOK-08",
  exchanges: readonly WrittenExchange[],
  isSoleClient = true,
): string {
  const [before, after] = around;
  const all = [submitted("j"), submitted("k"), submitted("l"), before, ...exchanges, after];
  const inOrder = all
    .filter((each) => each !== undefined)
    .toSorted((one, other) => one.atMs - other.atMs);
  return verdictsOf(inOrder, { isSoleClient })[id] ?? "unseen";
}

const failing = [10_000, 20_000, 30_000].map((atMs) => called(atMs, { status: 500 }));
const [first = called(0), second = called(0)] = failing;

describe("webhooks, judged by traffic", () => {
  test("a call is a POST with what status shows", () => {
    expect(verdictOf("HOOK-02", [read(9000), called(10_000)])).toBe("pass");
    expect(verdictOf("HOOK-02", [called(10_000), read(11_000)])).toBe("pass");
    const other = { ...ended, output: { a: 2 } };
    expect(verdictOf("HOOK-02", [read(9000), called(10_000, { record: other })])).toBe("fail");
    expect(verdictOf("HOOK-02", [called(10_000, { record: other }), read(11_000)])).toBe("fail");
    expect(verdictOf("HOOK-01", [called(10_000, { method: "PUT" })])).toBe("fail");
  });

  test("a call of another path, or for an unknown job, is none", () => {
    const elsewhere = called(10_000, { method: "PUT", target: "/other" });
    expect(verdictOf("HOOK-01", [elsewhere, called(10_000, { id: "x", method: "PUT" })])).toBe(
      "pass",
    );
  });

  test("a job that completes and calls nobody fails, where a call would have been recorded", () => {
    expect(verdictOf("HOOK-01", [read(9000)])).toBe("fail");
    expect(verdictOf("HOOK-01", [read(119_000)])).toBe("pass");
    expect(verdictOf("HOOK-01", [read(9000)], false)).toBe("pass");
  });

  test("a call that tells of an unfinished job fails", () => {
    const working = { status: "IN_PROGRESS" };
    expect(verdictOf("HOOK-08", [called(10_000, { record: working })])).toBe("fail");
    expect(verdictOf("HOOK-08", [called(10_000), read(25_000, working)])).toBe("fail");
    expect(verdictOf("HOOK-08", [called(10_000), read(25_000)])).toBe("unseen");
  });

  test("after an answer of 200 nothing may come", () => {
    expect(verdictOf("HOOK-03", [called(10_000)])).toBe("pass");
    expect(verdictOf("HOOK-03", [called(10_000), called(20_000)])).toBe("fail");
    expect(verdictOf("HOOK-06", [first, called(20_000)])).toBe("pass");
    expect(verdictOf("HOOK-06", [first, called(20_000), called(30_000)])).toBe("fail");
  });

  test("what fails comes three times, 10 s apart", () => {
    expect(verdictOf("HOOK-04", failing)).toBe("pass");
    expect(verdictOf("HOOK-04", [...failing, called(40_000)])).toBe("fail");
    expect(verdictOf("HOOK-04", [first, second])).toBe("fail");
    expect(verdictOf("HOOK-05", failing)).toBe("pass");
    expect(verdictOf("HOOK-05", [first, called(15_000)])).toBe("fail");
    expect(verdictOf("HOOK-05", [first, called(35_000)])).toBe("fail");
  });

  test("only 200 acknowledges", () => {
    const accepted = called(10_000, { status: 204 });
    expect(verdictOf("HOOK-07", [accepted, called(20_000)])).toBe("pass");
    expect(verdictOf("HOOK-07", [accepted])).toBe("fail");
    expect(verdictOf("HOOK-04", [called(10_000, { isBrokenOff: true })])).toBe("fail");
  });

  test("another end after a retry is judged by itself, and shows nothing", () => {
    const retried: WrittenExchange = {
      atMs: 15_000,
      method: "POST",
      target: "/v2/e/retry/j",
      got: { id: "j", status: "IN_QUEUE" },
    };
    const failed = { status: "FAILED" };
    expect(
      verdictOf("HOOK-03", [called(10_000, { record: failed }), retried, called(20_000)]),
    ).toBe("pass");
    // Somebody else may have retried it, unseen.
    const calls = [called(10_000, { record: failed }), called(20_000)];
    expect(verdictOf("HOOK-03", calls, false)).toBe("unseen");
    expect(verdictOf("HOOK-03", calls)).toBe("fail");
  });
});
