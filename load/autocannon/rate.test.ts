import { describe, expect, test } from "vitest";

import type { OperationName } from "../../openapi/operations.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import type { Behaviour } from "../../reference/behaviour.ts";
import { burstOnReference } from "../../test/load/on-virtual-clock.ts";

// Virtual clocks: time stands still, so that no burst can meet the edge of a window.
describe("a burst of one more than the limit", () => {
  test.each([1, 3])("finds a limit of %d for purge-queue", async (limit) => {
    const { check } = await burstOnReference("purge-queue", limitedTo("purge-queue", limit));
    expect(check.verdict).toBe("fail");
  });

  test.each([99, 200])("finds a limit of %d for cancel", async (limit) => {
    const { check } = await burstOnReference("cancel", limitedTo("cancel", limit));
    expect(check.verdict).toBe("fail");
  });

  test("is sent to an endpoint and for jobs whatever characters their ids are of", async () => {
    const behaviour = changed(specified, {
      submission: { jobId: (_by, id) => `a/b ${id}?c=%2F#d` },
      operations: { endpointIdOf: (given) => given.replace(/^an? endpoint\/%/u, "") },
    });
    const { check } = await burstOnReference("cancel", behaviour, {
      idOf: (id) => `an endpoint/%${id}`,
    });
    expect(check).toMatchObject({ verdict: "pass" });
  });

  test("finds a refusal that is no 429", async () => {
    const behaviour = changed(specified, { limits: { refusalStatus: () => 503 } });
    const { check } = await burstOnReference("requests", behaviour);
    expect(check.reason).toContain("1 with 503");
  });
});

function limitedTo(operation: OperationName, limit: number): Behaviour {
  const { requestsPerWindow } = specified.limits;
  return changed(specified, {
    limits: {
      requestsPerWindow: (name) => (name === operation ? limit : requestsPerWindow(name)),
    },
  });
}

test("decides nothing where there is no job to ask for", async () => {
  const behaviour = changed(specified, { limits: { inFlightMax: () => 0 } });
  const { check } = await burstOnReference("cancel", behaviour);
  expect(check).toMatchObject({
    verdict: "inconclusive",
    reason: "run gave no job before the burst: 429",
  });
});
