import { describe, expect, test } from "vitest";

import type { OperationName } from "../../openapi/operations.ts";
import { notPassed, resultsOn } from "../../test/load/on-virtual-clock.ts";
import { answered, askedIn } from "../../test/strangers/departures.ts";
import type { Departure } from "../../test/strangers/departures.ts";

/** One of so many requests of an operation is answered so, once the limiter has counted it. */
function breaking(operation: OperationName, every: number, status: number): Departure {
  let asked = 0;
  return async (request, pass) => {
    const answer = await pass(request);
    if (askedIn(request.path).operation !== operation || answer.status !== 200) return answer;
    asked += 1;
    return asked % every === 0 ? answered(status, { error: "internal" }) : answer;
  };
}

describe("runRequirements", () => {
  test("reads jobs whatever characters their ids are of", async () => {
    const found = await resultsOn({ submission: { jobId: (_by, id) => `a/b ${id}?c=%2F#d` } }, [
      "RATE-05",
      "RATE-13",
      "CONC-05",
    ]);
    expect(notPassed(found)).toEqual([]);
  });

  test("tells a 500 in a burst under the requirement of its operation, and judges the limit", async () => {
    const found = await resultsOn({}, ["RATE-02"], [breaking("run", 700, 500)]);
    expect(found).toMatchObject([
      { covers: ["RATE-02"], verdict: "pass" },
      { covers: ["RUNA-01"], verdict: "fail", evidence: [{ response: { status: 500 } }] },
    ]);
  });
});
