import { describe, expect, onTestFinished, test } from "vitest";

import { tierOf, windowMs } from "../../openapi/operations.ts";
import { identify } from "../limiters/identify.ts";
import type { Identification } from "../limiters/identify.ts";
import { rules } from "../../test/load/rules.ts";
import { randomOf, simulate } from "../../test/load/simulate.ts";
import type { TracedRequest } from "../limiters/trace.ts";
import { identifiedEarly, identifiedOf, noteIdentified } from "./identified-early.ts";
import { LoadSession } from "./load-session.ts";
import { OperationUsage } from "./operation-usage.ts";

const run = tierOf("run");
const status = tierOf("status");
const clockGrainMs = 1;
/** When the first and the second step of many requests come, in windows. */
const looks = [1.22, 1.56] as const;

function traceOf(
  kind: string,
  limit: number,
  ofMs = windowMs,
  declared = run.limit,
): readonly TracedRequest[] {
  const decide = rules[kind]?.({ limit, windowMs: ofMs, phaseMs: 3_210 });
  if (decide === undefined) throw new Error(`there is no rule ${kind}`);
  const surroundings = { latencyMs: [0.3, 5], atOnce: 64, random: randomOf(7) } as const;
  return simulate(decide, { limit: declared, windowMs }, surroundings);
}

interface Seen {
  readonly session: LoadSession;
  readonly usage: OperationUsage;
}

/** A session that has seen status, limited in this way. */
function sessionThatKnows(kind: string): Seen {
  const target = { baseUrl: "http://127.0.0.1:9", endpointId: "e", apiKey: "k" };
  const session = new LoadSession({ ...target, capabilities: ["load"] });
  onTestFinished(() => session.close());
  const usage = new OperationUsage(false, () => 0);
  const requests = traceOf(kind, status.limit, windowMs, status.limit);
  const identification = identify(requests, { limit: status.limit, windowMs }, clockGrainMs);
  noteIdentified(session, { usage }, { tier: status, identification });
  return { session, usage };
}

function earlyOf(
  session: LoadSession,
  requests: readonly TracedRequest[],
  look: number,
  count = 190,
): Identification | undefined {
  const soFar = requests.filter(({ sentMs }) => sentMs < look * windowMs);
  return identifiedEarly(
    session,
    { tier: run, requests: soFar, clockGrainMs },
    { count, atMs: look * windowMs },
  );
}

const kinds = [
  "fixed from first request",
  "fixed aligned",
  "sliding log",
  "sliding log counting refusals",
  "sliding counter",
  "token bucket",
] as const;

describe.each(kinds)("where status has a %s", (kind) => {
  test("the limit that one burst of run shows is the true one, or none", () => {
    const { session } = sessionThatKnows(kind);
    for (const limit of [run.limit - 1, run.limit, run.limit + 1]) {
      for (const look of looks) {
        const early = earlyOf(session, traceOf(kind, limit), look);
        for (const { limits } of early?.remaining ?? []) {
          expect(limits).toEqual({ least: limit, most: limit });
        }
      }
    }
  });

  test.each([9_000, 11_000, 20_000])(
    "a window of %i ms is not taken for the stated one",
    (ofMs) => {
      const { session } = sessionThatKnows(kind);
      for (const look of looks) {
        expect(earlyOf(session, traceOf(kind, run.limit, ofMs), look)).toBeUndefined();
      }
    },
  );
});

test("one burst is enough where windows open with the first request, and says so at once", () => {
  const { session } = sessionThatKnows("fixed from first request");
  const early = earlyOf(session, traceOf("fixed from first request", run.limit), looks[0]);
  expect(early?.best).toMatchObject({ kind: "fixed from first request", limit: run.limit });
});

test("nothing is known before an operation without jobs was looked at, nor asked before a dear step", () => {
  const { session } = sessionThatKnows("fixed from first request");
  const requests = traceOf("fixed from first request", run.limit);
  expect(earlyOf(session, requests, looks[0], 1)).toBeUndefined();
  const target = { baseUrl: "http://127.0.0.1:9", endpointId: "e", apiKey: "k" };
  const other = new LoadSession({ ...target, capabilities: ["load"] });
  expect(earlyOf(other, requests, looks[0])).toBeUndefined();
});

test.each([
  ["fixed from first request", 10_000],
  ["sliding counter", 20_000],
])("an operation with a %s rests for %i ms once that is known", (kind, restMs) => {
  const { session, usage } = sessionThatKnows(kind);
  expect(identifiedOf(session, status)?.kind).toBe(kind);
  expect(usage.restedAtMs("status")).toBe(restMs);
});
