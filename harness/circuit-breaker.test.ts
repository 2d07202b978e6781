import { describe, expect, test, vi } from "vitest";

import { Answer } from "../client/index.ts";
import type { Exchange, FailureKind, TransportResult } from "../client/index.ts";
import type { OperationName } from "../openapi/index.ts";
import { Patience } from "./circuit-breaker.ts";

const times = { sentAtMs: 0, answeredAtMs: 0 };
const answered: TransportResult = { answer: new Answer(500, {}, ""), failure: undefined, ...times };

function failed(kind: FailureKind): TransportResult {
  return { answer: undefined, failure: { kind, message: `a ${kind}` }, ...times };
}

function patienceWith(result: TransportResult): {
  readonly patience: Patience;
  readonly lost: readonly string[];
  readonly probed: () => number;
} {
  let probes = 0;
  const lost: string[] = [];
  const patience = new Patience(50, async () => {
    probes += 1;
    return Promise.resolve(result);
  });
  patience.onLost((reason) => lost.push(reason));
  return { patience, lost, probed: () => probes };
}

function repeat(count: number, task: () => void): void {
  for (let index = 0; index < count; index += 1) task();
}

function callOf(operation: OperationName, result: TransportResult): Exchange {
  const request = {
    method: "GET",
    url: "http://127.0.0.1/",
    headers: {},
    keyName: undefined,
    body: undefined,
    bodyBytes: 0,
    endpointId: "e",
    jobId: undefined,
  };
  return { operation, request, ...result };
}

describe("patience with a target", () => {
  test("ends after five requests in a row and a last look without an answer", async () => {
    const { patience, lost } = patienceWith(failed("timeout"));
    repeat(5, () => {
      patience.note(failed("timeout"));
    });

    await vi.waitUntil(() => patience.lost !== undefined);
    expect(lost).toEqual([expect.stringMatching(/stopped answering: .*5 requests.*: a timeout$/)]);
    expect(patience.objectionTo("health")).toBe(patience.lost);
    const late: string[] = [];
    patience.onLost((reason) => late.push(reason));
    expect(late).toEqual(lost);
  });

  test("goes on where one of the five was answered", () => {
    const { patience, probed } = patienceWith(failed("timeout"));
    repeat(4, () => {
      patience.note(failed("connection"));
    });
    patience.note(answered);
    repeat(4, () => {
      patience.note(failed("connection"));
    });
    expect(probed()).toBe(0);
  });

  test("goes on where the last look is answered, whatever the answer", async () => {
    const { patience, probed } = patienceWith(answered);
    repeat(5, () => {
      patience.note(failed("timeout"));
    });
    await vi.waitUntil(() => probed() > 0);
    patience.close();
    expect(patience.lost).toBeUndefined();
    expect(patience.objectionTo("run")).toBeUndefined();
  });

  test("does not mind requests that were broken off on our side", () => {
    const { patience, probed } = patienceWith(failed("timeout"));
    repeat(50, () => {
      patience.note(failed("aborted"));
    });
    expect(probed()).toBe(0);
  });

  test("ends for one operation alone that never answers", () => {
    const { patience } = patienceWith(answered);
    repeat(5, () => {
      patience.noteCall(callOf("stream", failed("timeout")));
      patience.noteCall(callOf("run", answered));
    });
    expect(patience.objectionTo("stream")).toMatch(/^stream gave no answer 5 times in a row/);
    expect(patience.objectionTo("run")).toBeUndefined();

    patience.noteCall(callOf("stream", answered));
    expect(patience.objectionTo("stream")).toBeUndefined();
  });
});
