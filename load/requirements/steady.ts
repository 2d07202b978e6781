import { findUnjustifiedRefusal } from "../limiters/unjustified-refusal.ts";
import type { UnjustifiedRefusal } from "../limiters/unjustified-refusal.ts";
import { acceptedBeforeRefusal } from "./judge-limit.ts";
import { requireAnswers } from "./answers.ts";
import { prepareEndpoint } from "./exhaustion.ts";
import type { Exhaustion } from "./exhaustion.ts";
import type { LoadFindings } from "./findings.ts";
import { memoizedPerSession } from "./load-session.ts";
import { windowMs } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import { LimitTrace } from "./trace.ts";

/** The share of the limit that is sent in one window: so small that two windows together do not reach it. */
const share = 0.45;
/** How many windows are filled: the limit would be reached if none of them ever ended. */
const windows = 3;

/** Sends requests one by one, so slowly that every kind of limiter accepts them all. */
export const recordSteadyTrace = memoizedPerSession(
  async (session, tier: Tier): Promise<LimitTrace> => {
    const endpoint = await prepareEndpoint(session, tier);
    const trace = new LimitTrace(endpoint, tier);
    const everyMs = Math.ceil(windowMs / (share * tier.limit));
    for (let atMs = 0; atMs < windows * windowMs; atMs += everyMs) {
      const sent = await trace.step({ atMs, count: 1 });
      if (sent.some(({ refused }) => refused > 0)) break;
    }
    return trace;
  },
);

/** How far apart the requests are that follow an exhausted limit, and when the last of them comes. */
const afterwards = { everyMs: 4_000, untilMs: 2.8 * windowMs };

/** Exhausts the limit, and goes on with so few requests that every kind of limiter accepts the last of them. */
export const recordExhaustedTrace = memoizedPerSession(
  async (session, tier: Tier): Promise<LimitTrace> => {
    const endpoint = await prepareEndpoint(session, tier);
    const trace = new LimitTrace(endpoint, tier);
    await trace.step({ atMs: 0, count: tier.limit + 1 });
    const { everyMs, untilMs } = afterwards;
    for (let atMs = everyMs; atMs <= untilMs; atMs += everyMs) await trace.step({ atMs, count: 1 });
    return trace;
  },
);

/** Judges, where no model explains the trace, by what holds for every kind: no refusal below the limit. */
export function judgeUnjustifiedRefusals(
  { operation, limit }: Tier,
  trace: LimitTrace,
  { seen, findings }: { readonly seen: Exhaustion; readonly findings: LoadFindings },
): void {
  requireAnswers(...trace.tallies);
  const least = Math.min(limit, acceptedBeforeRefusal(seen));
  const unjustified = findUnjustifiedRefusal(trace.requests, {
    limit: least,
    windowMs: windowMs + trace.clockGrainMs,
  });
  const at = `${operation}, a request with fewer than ${least} in the 20 s before it`;
  const samples = trace.tallies.find(({ refused }) => refused > 0)?.samples;
  findings.equal(
    at,
    "accepted",
    unjustified === undefined ? "accepted" : wordsOf(unjustified),
    samples,
  );
}

function wordsOf({ refused, before }: UnjustifiedRefusal): string {
  const atS = (refused.sentMs / 1_000).toFixed(1);
  return `429, after ${before} at most, ${atS} s from the start`;
}
