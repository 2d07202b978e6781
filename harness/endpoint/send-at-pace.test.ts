import { describe, expect, test } from "vitest";

import { Answer, monotonicNowMs } from "../../client/exchange.ts";
import type { SendContext } from "../../client/job-client.ts";
import type { TransportRequest } from "../../client/transport.ts";
import type { TransportResult } from "../../client/exchange.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { SendRequest } from "../new-jobs.ts";
import { Pace, retryAfterMsOf } from "./pace.ts";
import { RequestCounts, sendAtPace } from "./send-at-pace.ts";

const request: TransportRequest = {
  method: "GET",
  url: "http://127.0.0.1:1/v2/e/health",
  headers: {},
  body: undefined,
  timeoutMs: 1000,
  signal: undefined,
};

function about(operation: OperationName): SendContext {
  return { operation, endpointId: "e", jobId: undefined, hasOwnTimeout: false };
}

/** Answers with these one after the other, and with the last of them from then on. */
function answering(...answers: readonly Answer[]): { send: SendRequest; sent: () => number } {
  let sent = 0;
  const send = async (): Promise<TransportResult> => {
    const sentAtMs = monotonicNowMs();
    const answer = answers[Math.min(sent, answers.length - 1)];
    sent += 1;
    if (answer === undefined) throw new Error("no answer was given");
    return { answer, failure: undefined, sentAtMs, answeredAtMs: monotonicNowMs() };
  };
  return { send, sent: () => sent };
}

const soon = { "retry-after": "0" };
const page = new Answer(429, { ...soon, "content-type": "text/html" }, "<html>429</html>");
const object = new Answer(429, soon, "{}");
const taken = new Answer(200, {}, "{}");

describe("a request that is refused for its haste", () => {
  test("is sent again, and a gateway's page slows the whole run down", async () => {
    const pace = new Pace();
    const told: number[] = [];
    pace.onSlowed = (perSecond) => told.push(perSecond);
    const { send } = answering(page, taken);

    const { answer } = await sendAtPace({ pace, send })(request, about("health"));

    expect(answer?.status).toBe(200);
    expect(told).toEqual([pace.perSecond]);
  });

  test("slows nothing down where one operation alone refuses", async () => {
    const pace = new Pace();
    const { send } = answering(object, taken);
    await sendAtPace({ pace, send })(request, about("purge-queue"));
    expect(pace.perSecond).toBeUndefined();
  });

  test("is given back where it is refused however often, and its like are not tried again", async () => {
    const pace = new Pace();
    const { send, sent } = answering(object);
    const sendPaced = sendAtPace({ pace, send });

    const { answer } = await sendPaced(request, about("health"));
    const sentFirst = sent();
    await sendPaced(request, about("health"));

    expect(answer?.status).toBe(429);
    expect(sentFirst).toBeGreaterThan(1);
    expect(sent()).toBe(sentFirst + 1);
    expect(pace.perSecond).toBeUndefined();
  });

  test("is not sent again where the limit of its operation explains the refusal", async () => {
    const counts = new RequestCounts();
    for (let asked = 0; asked < 2000; asked += 1) counts.add(about("status"));
    const { send, sent } = answering(object);
    await sendAtPace({ pace: new Pace(), send, counts })(request, about("status"));
    expect(sent()).toBe(1);
  });
});

/** Asks so often, as a run does, or until the target is known to refuse at random. */
async function askedWith(send: SendRequest, times: number): Promise<Pace> {
  const pace = new Pace();
  const paced = sendAtPace({ pace, send });
  for (let asked = 0; asked < times && !pace.isAtRandom; asked += 1) {
    await pace.turn();
    await paced(request, about("health"));
  }
  return pace;
}

describe("requests that are refused", () => {
  const busy = new Answer(503, { ...soon, "content-type": "text/html" }, "busy");
  const tooFast = new Answer(503, { "content-type": "text/html" }, "too fast");

  test("now and then, however slowly the target is asked, slow the run down no longer", async () => {
    const quick = Array.from({ length: 200 }, () => taken);
    const onceInTen = [busy, ...Array.from({ length: 9 }, () => taken)];
    const often = Array.from({ length: 40 }, () => onceInTen).flat();
    const pace = await askedWith(answering(...quick, ...often).send, 600);
    expect(pace.isAtRandom).toBe(true);
    expect(pace.perSecond).toBeUndefined();
  });

  test("beyond a limit, and never below it, are refused for their haste", async () => {
    const perSecond = 200;
    let [tokens, filledAtMs] = [perSecond / 2, monotonicNowMs()];
    const send: SendRequest = async () => {
      const nowMs = monotonicNowMs();
      tokens = Math.min(perSecond / 2, tokens + ((nowMs - filledAtMs) * perSecond) / 1000);
      filledAtMs = nowMs;
      const answer = tokens >= 1 ? taken : tooFast;
      if (answer === taken) tokens -= 1;
      return { answer, failure: undefined, sentAtMs: nowMs, answeredAtMs: monotonicNowMs() };
    };
    const pace = await askedWith(send, 400);
    expect(pace.isAtRandom).toBe(false);
    expect(pace.perSecond).toBeDefined();
  });
});

test("a rate that was given beforehand is kept from the first request on", async () => {
  const pace = new Pace(50);
  const sinceMs = monotonicNowMs();
  for (let asked = 0; asked < 40; asked += 1) await pace.turn();
  // The turns that a late start makes up for come at once.
  expect(monotonicNowMs() - sinceMs).toBeGreaterThan(400);
});

test.each<[string, number | undefined]>([
  ["3", 3000],
  ["0", 0],
  ["1790000000", undefined],
  ["soon", undefined],
  ["", undefined],
])("Retry-After %j asks for %j ms", (value, ms) => {
  expect(retryAfterMsOf(new Answer(429, { "retry-after": value }, ""))).toBe(ms);
});
