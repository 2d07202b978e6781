import { Inconclusive } from "../../harness/outcome.ts";
import type { LoadCheck } from "./check.ts";
import { bestPossibleMs } from "../limiters/best-possible.ts";
import { identifiedOf } from "./identified-early.ts";
import type { LoadFindings } from "./findings.ts";
import { requireAnswers } from "./answers.ts";
import { costOf } from "../sent-load.ts";
import type { LoadCost } from "../sent-load.ts";
import type { Situation } from "./situation.ts";
import { isOffered } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { tierOf, windowMs } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";

/** One of the lowest limits is enough, because the client acts alike at all; without jobs to cancel it is cheapest. */
function lowTierOf(session: Situation): Tier | undefined {
  const operations = ["requests", session.makesEndpoints ? "cancel" : "purge-queue"] as const;
  return operations.map(tierOf).find((tier) => isOffered(session, tier));
}

const times = 3;
const firstDelayMs = 250;
const delayMsMax = 8_000;
/** After this many attempts delays grow longer: a limiter that also counts refusals never admits frequent retries. */
const manyAttempts = 12;
const delayManyAttemptsMs = 64_000;
const retriesEndMs = 30 * windowMs;

interface Waiting {
  readonly dueMs: number;
  readonly attempts: number;
}

/** The next delay of an exponential backoff; up to half of it is jitter, derived from `place`. */
function delayMs(attempts: number, place: number): number {
  const longestMs = attempts > manyAttempts ? delayManyAttemptsMs : delayMsMax;
  const full = Math.min(longestMs, firstDelayMs * 2 ** attempts);
  const jitter = ((place * 7_919) % 1_000) / 1_000;
  return Math.round(full / 2 + (full / 2) * jitter);
}

async function pushThrough(
  session: LoadSession,
  tier: Tier,
  findings: LoadFindings,
): Promise<void> {
  const { operation, limit } = tier;
  const endpoint = await session.endpoint();
  if (operation === "cancel") {
    await endpoint.waitUntilRested("run");
    await endpoint.ensureJobsToCancel(limit * times);
  }
  if (!endpoint.access.isVirtual) await endpoint.waitUntilRested(operation);
  const beganMs = endpoint.nowMs;
  let waiting: Waiting[] = Array.from({ length: limit * times }, () => ({
    dueMs: beganMs,
    attempts: 0,
  }));
  let attempts = 0;
  let doneMs = beganMs;
  while (waiting.length > 0 && endpoint.nowMs - beganMs < retriesEndMs) {
    await endpoint.waitUntil(Math.min(...waiting.map(({ dueMs }) => dueMs)));
    const nowMs = endpoint.nowMs;
    const due = waiting.filter(({ dueMs }) => dueMs <= nowMs);
    waiting = waiting.filter(({ dueMs }) => dueMs > nowMs);
    const sent = await endpoint.send(operation, due.length, 1);
    requireAnswers(sent);
    attempts += due.length;
    if (sent.accepted > 0) doneMs = nowMs;
    // Clients are not told apart: as many as were refused wait longer.
    for (const [place, one] of due.slice(sent.accepted).entries()) {
      const dueMs = nowMs + delayMs(one.attempts, attempts + place);
      waiting.push({ dueMs, attempts: one.attempts + 1 });
    }
  }
  const { figures } = findings;
  figures["attempts"] = attempts;
  figures["took ms"] = Math.round(doneMs - beganMs);
  const all = limit * times;
  if (attempts === all)
    throw new Inconclusive("nothing was refused, so no client had to try again");
  noteBestPossible(session, tier, findings);
  const got = `${all - waiting.length} of ${all}`;
  findings.equal(`${operation}, requests that got through`, `${all} of ${all}`, got);
}

/** Adds how long a client that knows the limiter would need, where this run has identified the limiter. */
function noteBestPossible(session: LoadSession, tier: Tier, { figures }: LoadFindings): void {
  const best = identifiedOf(session, tier);
  if (best === undefined || best.kind === "none") return;
  const bestMs = bestPossibleMs(best, tier.limit * times);
  if (bestMs === undefined) return;
  figures["best possible ms"] = bestMs;
  figures["best possible with"] = best.kind;
}

/** How often each request is sent, roughly. */
const attemptsEach = 4;

function costOfBackoff(on: Situation): LoadCost {
  const { operation, limit } = lowTierOf(on) ?? { operation: "requests", limit: 0 };
  const all = limit * times;
  return costOf(operation, attemptsEach * all, operation === "cancel" ? all : 0);
}

export const backoffCheck: LoadCheck = {
  name: "rate/backoff",
  title: "A client with exponential backoff gets three times the limit through",
  covers: ["RATE-15"],
  needs: ["load"],
  realTimeMs: 60_000,
  sharedMs: () => 26_000,
  cost: costOfBackoff,
  run: async (session, findings) => {
    const tier = lowTierOf(session);
    if (tier === undefined) throw new Inconclusive("there is no operation with a low limit");
    await pushThrough(session, tier, findings);
  },
};
