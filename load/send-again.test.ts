import { expect, test } from "vitest";

import { untilAnswered } from "./send-again.ts";

const failed = { failure: "the connection was closed" };

/** Counts what is asked of a target and sent to it. */
function counted({
  isThere,
  signal,
}: {
  readonly isThere: boolean;
  readonly signal?: AbortSignal;
}) {
  const counts = { asked: 0, sent: 0 };
  const meter = {
    isThere: async () => {
      counts.asked += 1;
      return Promise.resolve(isThere);
    },
  };
  const sendAgain = async () => {
    counts.sent += 1;
    return Promise.resolve(failed);
  };
  return { counts, run: async () => untilAnswered(failed, sendAgain, { meter, signal }) };
}

test("a request without an answer is sent again twice while the target is there", async () => {
  const { counts, run } = counted({ isThere: true });
  expect(await run()).toBe(failed);
  expect(counts).toEqual({ asked: 2, sent: 2 });
});

test("nothing is sent to a target that is gone", async () => {
  const { counts, run } = counted({ isThere: false });
  await run();
  expect(counts).toEqual({ asked: 1, sent: 0 });
});

test("nothing is asked and sent for a request that was stopped", async () => {
  const { counts, run } = counted({ isThere: true, signal: AbortSignal.abort() });
  await run();
  expect(counts).toEqual({ asked: 0, sent: 0 });
});
