import { expect, test } from "vitest";

import type { OperationName } from "../openapi/operations.ts";
import { withoutHeld } from "./held-runsync.ts";
import { Unsupported } from "./outcome.ts";

const quick = { op: "echo", value: 1 };
const slow = { op: "sleep", ms: 60_000 };

interface Row {
  readonly what: string;
  readonly isKnown?: boolean;
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
    what: "where nothing is held, any runsync",
    isKnown: false,
    isStalled: true,
    input: slow,
    isSent: true,
  },
])(
  "where runsync holds its answers, $what is sent: $isSent",
  async ({
    isKnown = true,
    isStalled = false,
    hasOwnTimeout = false,
    operation = "runsync",
    input = quick,
    isSent,
  }) => {
    const sent: string[] = [];
    const send = withoutHeld(
      async ({ url }) => {
        sent.push(url);
        return { answer: undefined, failure: undefined, sentAtMs: 0, answeredAtMs: 0 };
      },
      { knows: () => isKnown },
      { isStalled },
    );
    const url = "http://a.test/v2/e/runsync?wait=1000";
    const body = JSON.stringify({ input });
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
