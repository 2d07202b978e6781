import { expect, test } from "vitest";

import type { OperationName } from "../openapi/operations.ts";
import { ttlIgnored, timeoutsIgnored } from "./discovery/ignored-limits.ts";
import { runsyncHolds } from "./discovery/waits.ts";
import { withoutVainWaits } from "./send-on-real-clock.ts";
import { Unsupported } from "./outcome.ts";

const quick = { op: "echo", value: 1 };
const slow = { op: "sleep", ms: 60_000 };

interface Row {
  readonly what: string;
  /** What was learned; absent: that runsync holds its answers. */
  readonly known?: string;
  readonly policy?: object;
  readonly isStalled?: boolean;
  readonly hasOwnTimeout?: boolean;
  readonly operation?: OperationName;
  readonly input?: object;
  readonly isSent: boolean;
}

test.each<Row>([
  { what: "a runsync whose job would wait", isStalled: true, isSent: false },
  { what: "a runsync whose job would work for long", input: slow, isSent: false },
  { what: "a runsync whose job ends at once", isSent: true },
  { what: "a run", operation: "run", isStalled: true, isSent: true },
  {
    what: "a runsync that a check waits for itself",
    isStalled: true,
    hasOwnTimeout: true,
    isSent: true,
  },
  {
    what: "where nothing is known, any runsync",
    known: "nothing",
    isStalled: true,
    input: slow,
    isSent: true,
  },
  {
    what: "a job that no executionTimeout would end",
    known: timeoutsIgnored,
    operation: "run",
    policy: { executionTimeout: 5000 },
    input: slow,
    isSent: false,
  },
  {
    what: "a job that ends before its executionTimeout",
    known: timeoutsIgnored,
    operation: "run",
    policy: { executionTimeout: 90_000 },
    input: slow,
    isSent: true,
  },
  {
    what: "a job whose executionTimeout is to be refused",
    known: timeoutsIgnored,
    operation: "run",
    policy: { executionTimeout: 4999 },
    input: slow,
    isSent: true,
  },
  {
    what: "a job that no ttl would end",
    known: ttlIgnored,
    operation: "run",
    policy: { ttl: 10_000, executionTimeout: 600_000 },
    input: slow,
    isSent: false,
  },
  {
    what: "a job with a ttl that its executionTimeout ends before",
    known: ttlIgnored,
    operation: "run",
    policy: { ttl: 10_000, executionTimeout: 5000 },
    input: slow,
    isSent: true,
  },
  {
    what: "a job that ends before its ttl",
    known: ttlIgnored,
    operation: "run",
    policy: { ttl: 90_000 },
    input: slow,
    isSent: true,
  },
])(
  "where that is in vain, $what is sent: $isSent",
  async ({
    known = runsyncHolds,
    policy = {},
    isStalled = false,
    hasOwnTimeout = false,
    operation = "runsync",
    input = quick,
    isSent,
  }) => {
    const sent: string[] = [];
    const send = withoutVainWaits(
      async ({ url }) => {
        sent.push(url);
        return { answer: undefined, failure: undefined, sentAtMs: 0, answeredAtMs: 0 };
      },
      { discovery: { knows: (id) => id === known } },
      { isStalled },
    );
    const url = "http://a.test/v2/e/runsync?wait=1000";
    const body = JSON.stringify({ input, policy });
    const request = {
      method: "POST" as const,
      url,
      headers: {},
      body,
      timeoutMs: 1,
      signal: undefined,
    };
    const sending = send(request, { operation, endpointId: "e", jobId: undefined, hasOwnTimeout });
    const isUnsupported = await sending.then(
      () => false,
      (error: unknown) => error instanceof Unsupported,
    );
    expect(isUnsupported).toBe(!isSent);
    expect(sent).toEqual(isSent ? [url] : []);
  },
);
