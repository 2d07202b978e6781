import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnKeptWorkers } from "./kept-workers.ts";
import { learnRetriedElsewhere } from "./retried-elsewhere.ts";

test.each([
  { operation: "retry", jobId: "a", id: "b", was: "FAILED", isSo: true },
  { operation: "retry", jobId: "a", id: "a", was: "FAILED", isSo: false },
  { operation: "retry", jobId: "a", id: "b", was: "IN_PROGRESS", isSo: false },
  { operation: "retry", jobId: "unknown", id: "b", was: "FAILED", isSo: false },
  { operation: "run", jobId: "a", id: "b", was: "FAILED", isSo: false },
] as const)(
  "$operation of $jobId that answers $id, where a is $was, makes another job: $isSo",
  ({ operation, jobId, id, was, isSo }) => {
    const discovery = new Discovery(new Redactor());
    const run = { operation: "run", sent: { input: {} } } as const;
    learnKeptWorkers(discovery, exchangeOf({ id: "a", status: "IN_QUEUE" }, run));
    learnKeptWorkers(discovery, exchangeOf({ id: "a", status: was }));
    const exchange = exchangeOf({ id, status: "IN_QUEUE" }, { operation, jobId });
    expect(learnRetriedElsewhere(discovery, exchange) !== undefined).toBe(isSo);
    expect(discovery.knows("retry-makes-another-job")).toBe(isSo);
  },
);
