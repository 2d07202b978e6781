import { describe, expect, test } from "vitest";

import { whyTooMuch } from "./meter.ts";
import { SentLoad, operationIn } from "./sent-load.ts";

test.each([
  ["POST /v2/abc/run", "run"],
  ["POST /prefix/v2/abc/runsync?wait=2000", "runsync"],
  ["GET /v2/abc/status/j-1", "status"],
  ["POST /v2/abc/openai/v1/chat/completions", "openai"],
  ["POST /v2/abc/purge-queue", "purge-queue"],
  ["purge-queue-above, sent by k6", "purge-queue"],
  ["run, sent by k6", "run"],
  ["http://127.0.0.1:1/v2/abc/run, sent by k6", "run"],
  ["a request, sent by k6", undefined],
  ["GET /", undefined],
])("%s is a request of %s", (request, operation) => {
  expect(operationIn(request)).toBe(operation);
});

/** Four requests of run, of which one is refused and one not answered yet, and one of status. */
function sentSome(): SentLoad {
  const load = new SentLoad();
  const run = "POST /v2/abc/run";
  for (const request of [run, run, run, run, "GET /v2/abc/status/1"]) load.sent(request);
  for (const status of [200, 429, 201]) load.answered(run, status);
  load.answered("GET /v2/abc/status/1", 200);
  return load;
}

test("jobs are what was accepted of run and runsync", () => {
  expect(sentSome().cost).toEqual({ requests: { run: 4, status: 1 }, jobs: { run: 2 } });
});

describe("a limit", () => {
  test.each([
    [{ maxJobs: 4 }, { requests: 1, jobs: 1 }, undefined],
    // The one that is not answered yet may be accepted.
    [{ maxJobs: 4 }, { requests: 2, jobs: 2 }, "takes up to 2 jobs; 1 of --max-jobs 4 are left"],
    [{ maxJobs: 1 }, { requests: 9, jobs: 0 }, undefined],
    [
      { maxRequests: 5 },
      { requests: 1, jobs: 0 },
      "takes up to 1 requests; 0 of --max-requests 5 are left",
    ],
    [{ maxRequests: 6, maxJobs: 9 }, { requests: 1, jobs: 1 }, undefined],
    [{}, { requests: 1e9, jobs: 1e9 }, undefined],
  ])("of %o lets %o be sent: %s", (limits, needed, why) => {
    expect(whyTooMuch(needed, sentSome(), limits)).toBe(why);
  });
});
