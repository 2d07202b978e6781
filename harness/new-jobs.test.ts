import { expect, test } from "vitest";

import { Answer, monotonicNowMs } from "../client/exchange.ts";
import type { Exchange, TransportResult } from "../client/exchange.ts";
import type { SendContext } from "../client/job-client.ts";
import type { TransportRequest } from "../client/transport.ts";
import type { OperationName } from "../openapi/operations.ts";
import { NewJobs } from "./new-jobs.ts";
import { exchangeOf } from "../test/harness/exchange.ts";

const sent = { sentAtMs: 0, answeredAtMs: 0, failure: undefined };

function submitted(id: string, agoMs = 0): Exchange {
  const exchange = exchangeOf({ id, status: "IN_QUEUE" }, { operation: "run" });
  return { ...exchange, answeredAtMs: monotonicNowMs() - agoMs };
}

/** Sends a request for a job to a server that gives these answers, the last one again and again. */
async function ask(
  newJobs: NewJobs,
  operation: OperationName,
  statuses: readonly number[],
  query = "",
): Promise<readonly number[]> {
  const seen: number[] = [];
  const send = async (): Promise<TransportResult> => {
    const status = statuses[Math.min(seen.length, statuses.length - 1)] ?? 0;
    seen.push(status);
    return Promise.resolve({ ...sent, answer: new Answer(status, {}, "{}") });
  };
  const url = `http://127.0.0.1/v2/e/${operation}/new${query}`;
  const rest = { headers: {}, body: undefined, timeoutMs: 1000, signal: undefined };
  const request: TransportRequest = { method: "GET", url, ...rest };
  const context: SendContext = { operation, endpointId: "e", jobId: "new", hasOwnTimeout: false };
  await newJobs.sendUntilFound(send, request, context);
  return seen;
}

function knowing(id: string, agoMs?: number): NewJobs {
  const newJobs = new NewJobs(undefined, false);
  newJobs.note(submitted(id, agoMs));
  return newJobs;
}

test.each([
  { operation: "status", statuses: [404, 404, 200] },
  { operation: "status", statuses: [400, 200] },
  { operation: "stream", statuses: [410, 200] },
  { operation: "cancel", statuses: [404, 200] },
] as const)("$operation of a new job is sent again: $statuses", async ({ operation, statuses }) => {
  expect(await ask(knowing("new"), operation, statuses)).toEqual(statuses);
});

test("what is refused for another reason is not sent again", async () => {
  expect(await ask(knowing("new"), "status", [400], "?ttl=0")).toEqual([400]);
  expect(await ask(knowing("new"), "status", [401])).toEqual([401]);
  expect(await ask(knowing("new"), "cancel", [409])).toEqual([409]);
});

test("nor is a request for a job of another submission, or of an old one", async () => {
  expect(await ask(knowing("another"), "status", [404, 200])).toEqual([404]);
  expect(await ask(knowing("new", 2001), "status", [404, 200])).toEqual([404]);
});

test("a job that stays unknown is asked for until it is no longer new", async () => {
  const seen = await ask(knowing("new", 1850), "status", [404]);
  expect(seen.length).toBeGreaterThan(1);
});

test("a job that was read, or may have been purged, is not new", async () => {
  const read = knowing("new");
  read.note(exchangeOf({}, { operation: "status", jobId: "new" }));
  expect(await ask(read, "status", [404])).toEqual([404]);
  const purged = knowing("new");
  purged.note(exchangeOf({}, { operation: "purge-queue" }));
  expect(await ask(purged, "status", [404])).toEqual([404]);
});

test("on a virtual clock a new id is readable at once, unless something else was seen", async () => {
  const asSpecified = new NewJobs(undefined, true);
  const late = new NewJobs(500, true);
  for (const newJobs of [asSpecified, late]) newJobs.note(submitted("new"));
  expect(await ask(asSpecified, "status", [404, 200])).toEqual([404]);
  expect(await ask(late, "status", [404, 200])).toEqual([404, 200]);
});

test("a retry is sent again only where jobs were seen to be unknown at first", async () => {
  const late = new NewJobs(500, false);
  late.note(submitted("new"));
  expect(await ask(late, "retry", [404, 200])).toEqual([404, 200]);
  expect(await ask(knowing("new"), "retry", [404, 200])).toEqual([404]);
});

test("a purge of one endpoint leaves the new jobs of the others", async () => {
  const newJobs = knowing("new");
  const purged = exchangeOf({ removed: 1, status: "completed" }, { operation: "purge-queue" });
  newJobs.note({ ...purged, request: { ...purged.request, endpointId: "another" } });
  expect(await ask(newJobs, "status", [404, 200])).toEqual([404, 200]);
});
