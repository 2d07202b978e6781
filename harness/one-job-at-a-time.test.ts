import { describe, expect, test } from "vitest";

import { Answer } from "../client/exchange.ts";
import type { OperationName } from "../openapi/operations.ts";
import { oneJobId } from "./discovery/one-job.ts";
import { oneJobAtATime } from "./send-on-real-clock.ts";
import { Unsupported } from "./outcome.ts";

const refused = new Answer(429, {}, "{}");
const taken = new Answer(200, {}, "{}");

interface Case {
  /** The answers in that order; the last of them from then on. */
  readonly answers: readonly Answer[];
  readonly unfinished?: readonly string[];
  readonly isStalled?: boolean;
  readonly known?: string;
}

/** A sender of one check, and what it sent. */
function senderFor({ answers, unfinished = [], isStalled = false, known = oneJobId }: Case): {
  readonly submit: (operation?: OperationName) => Promise<number | undefined>;
  readonly sent: () => number;
} {
  let sent = 0;
  const send = oneJobAtATime(
    async () => {
      const answer = answers[Math.min(sent, answers.length - 1)];
      sent += 1;
      if (answer === undefined) throw new Error("no answer was given");
      return { answer, failure: undefined, sentAtMs: 0, answeredAtMs: 0 };
    },
    { discovery: { knows: (id) => id === known }, jobs: { quickMs: 0 } },
    { isStalled, unfinished },
  );
  const submit = async (operation: OperationName = "run"): Promise<number | undefined> => {
    const { answer } = await send(
      {
        method: "POST",
        url: `http://a.test/v2/e/${operation}`,
        headers: {},
        body: "{}",
        timeoutMs: 1000,
        signal: undefined,
      },
      { operation, endpointId: "e", jobId: undefined, hasOwnTimeout: false },
    );
    return answer?.status;
  };
  return { submit, sent: () => sent };
}

describe("where a target takes no job while another is unfinished, a submission that is refused", () => {
  test("is sent again until the quick job before it has ended", async () => {
    const { submit, sent } = senderFor({ answers: [refused, refused, taken], unfinished: ["a"] });
    expect(await submit()).toBe(200);
    expect(sent()).toBe(3);
  });

  test("ends its check where the job before it goes on, and the check sends no other", async () => {
    const { submit, sent } = senderFor({ answers: [refused], unfinished: ["a"] });
    await expect(submit()).rejects.toThrow(Unsupported);
    const before = sent();
    await expect(submit("runsync")).rejects.toThrow("beside an unfinished one");
    expect(sent()).toBe(before);
  });

  test("is answered as it is where no job of its check is unfinished", async () => {
    const { submit } = senderFor({ answers: [refused] });
    expect(await submit()).toBe(429);
  });

  test("is not sent at all beside the jobs of a stall", async () => {
    const { submit, sent } = senderFor({ answers: [taken], isStalled: true });
    await expect(submit()).rejects.toThrow(Unsupported);
    expect(sent()).toBe(0);
  });
});

test("any other request, and a submission to any other target, is sent once", async () => {
  const ofAnother = senderFor({ answers: [refused], unfinished: ["a"], known: "nothing" });
  expect(await ofAnother.submit()).toBe(429);
  const health = senderFor({ answers: [refused], unfinished: ["a"] });
  expect(await health.submit("health")).toBe(429);
  expect([ofAnother.sent(), health.sent()]).toEqual([1, 1]);
});
