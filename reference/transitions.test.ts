import { describe, expect, test } from "vitest";

import { isFinal, next, transitions } from "./transitions.ts";
import type { TransitionEvent } from "./transitions.ts";
import type { JobStatus } from "../openapi/schemas.ts";

const statuses: readonly JobStatus[] = [
  "IN_QUEUE",
  "IN_PROGRESS",
  "COMPLETED",
  "FAILED",
  "TIMED_OUT",
  "CANCELLED",
];

describe("the state machine", () => {
  test("has one row at most for a state and an event", () => {
    const keys = transitions.flatMap(({ from, on }) => from.map((status) => `${status} ${on}`));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("leaves a final state by retention or a permitted retry alone", () => {
    const ways = transitions
      .filter(({ from }) => from.some((status) => isFinal(status)))
      .map(({ from, on, to }) => `${from.join("|")} ${on} ${to}`);
    expect(ways).toEqual([
      "FAILED|TIMED_OUT retry IN_QUEUE",
      "COMPLETED|FAILED|TIMED_OUT|CANCELLED retention-ended DELETED",
    ]);
  });

  const refused: readonly { readonly event: TransitionEvent; readonly by: readonly JobStatus[] }[] =
    [
      { event: "cancel", by: ["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"] },
      { event: "retry", by: ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "CANCELLED"] },
      { event: "purge", by: ["IN_PROGRESS", "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"] },
      { event: "ttl-ran-out", by: ["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"] },
      { event: "worker-took", by: statuses.filter((status) => status !== "IN_QUEUE") },
      { event: "handler-returned", by: statuses.filter((status) => status !== "IN_PROGRESS") },
      { event: "webhook-given-up", by: statuses },
    ];

  test.each(refused)("refuses $event in $by", ({ event, by }) => {
    expect(statuses.filter((status) => next(status, event) === undefined)).toEqual(by);
  });
});
