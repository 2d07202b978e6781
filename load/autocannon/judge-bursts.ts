import { askedUnder } from "../../harness/dialects/record-operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import type { Mismatch } from "../../reports/model.ts";
import { isOwnFault, windowMs } from "../../openapi/operations.ts";
import { engineFinding } from "../result.ts";
import type { EngineFinding, EngineHeader } from "../result.ts";
import type { Burst } from "./burst.ts";

/** Bursts sent one after the other to an operation that was left alone before. */
export type Attempt = readonly [Burst, ...Burst[]];

/** What all the bursts of an attempt came to. */
interface Totals extends Omit<Burst, "startMs" | "endMs" | "latenciesMs" | "otherStatuses"> {
  readonly spanMs: number;
  /** The statuses neither 2xx nor 429 with how often each came, in words. */
  readonly others: string;
  /** How many of those break the operation's own contract, whatever its limit. */
  readonly faulty: number;
}

/**
 * What an attempt shows: `right`; `wrong` whatever the kind of limiter; `odd` where only the edge of a window within
 * the attempt could explain it, which cannot happen each time; `unclear` where it shows nothing.
 */
export type BurstClass = "right" | "wrong" | "odd" | "unclear";

/** How many attempts must be odd before the edge of a window can no longer be the reason. */
export const attemptsMax = 3;

/** Longer bursts could touch more windows than two. */
const spanMsMax = windowMs / 2;

export function classifyBurst(tier: Tier, attempt: Attempt): BurstClass {
  const totals = totalsOf(attempt);
  const { accepted, other, faulty } = totals;
  if (!isFaulty(tier, totals)) return classify(tier, totals);
  // How a limiter counts a request that the server breaks on is not known: it may let that many more through.
  const counted = { ...totals, accepted: accepted + faulty, other: other - faulty };
  return classify(tier, counted) === "right" ? "right" : "unclear";
}

/**
 * Whether the server broke on some of what its limiter let through. Where nothing was accepted, or the limit and nothing
 * refused by 429, the same answers may be refusals.
 */
function isFaulty({ limit }: Tier, { accepted, refused, faulty }: Totals): boolean {
  return faulty > 0 && accepted > 0 && (refused > 0 || accepted < limit);
}

function classify(
  tier: Tier,
  { accepted, refused, other, unanswered, spanMs }: Omit<Totals, "faulty">,
): BurstClass {
  const limit = tier.limit;
  // A target that answers only with other statuses says nothing of its limit.
  if (other > 0) return accepted > 0 ? "wrong" : "unclear";
  if (unanswered > 0 || spanMs >= spanMsMax) return "unclear";
  // A token bucket fills up while the burst goes on.
  const most = acceptedMax(tier, spanMs);
  if (accepted > Math.max(2 * limit, most)) return "wrong";
  if (accepted < limit) return "wrong";
  return accepted > most || refused === 0 ? "odd" : "right";
}

/** Judges a tier by the last attempt; the number of attempts decides about an odd one. */
export function judgeBursts(tier: Tier, attempts: readonly [Attempt, ...Attempt[]]): EngineFinding {
  const last = attempts.at(-1) ?? attempts[0];
  const totals = totalsOf(last);
  const look = classifyBurst(tier, last);
  const isWrong = look === "wrong" || (look === "odd" && attempts.length >= attemptsMax);
  return engineFinding("autocannon", headerOf(tier), {
    durationMs: Math.round(attempts.reduce((sum, one) => sum + totalsOf(one).spanMs, 0)),
    mismatches: [...(isWrong ? [mismatchOf(tier, totals)] : []), ...faultsOf(tier, totals)],
    undecided: isWrong || look === "right" ? [] : [whyUnclear(look, totals)],
    figures: { ...figuresOf(last), attempts: attempts.length },
  });
}

/** The finding where no burst could be sent at all. */
export function noBursts(tier: Tier, reason: string): EngineFinding {
  const nothing = { durationMs: 0, mismatches: [], undecided: [reason], figures: { sent: 0 } };
  return engineFinding("autocannon", headerOf(tier), nothing);
}

/** The name, title and requirement of a tier's check. */
export function headerOf({ rate: requirement, operation, limit }: Tier): EngineHeader {
  return {
    name: `load/autocannon/burst-${operation}`,
    title: `a burst of ${limit + 1} to ${operation}, by autocannon`,
    requirement,
  };
}

function acceptedMax({ limit }: Tier, spanMs: number): number {
  return Math.floor(limit + (limit * spanMs) / windowMs);
}

function mismatchOf(tier: Tier, totals: Totals): Mismatch {
  const { sent, accepted, refused, others, spanMs } = totals;
  const most = acceptedMax(tier, spanMs);
  const at = `${tier.operation}, ${sent} requests in ${Math.round(spanMs)} ms`;
  const bounds = most === tier.limit ? `${most}` : `${tier.limit} to ${most}`;
  return {
    requirement: tier.rate,
    at,
    expected: `${bounds} accepted, the rest 429`,
    got: `${accepted} accepted, ${refused} with 429, ${others}`,
  };
}

/** What of a burst breaks the operation's own contract. */
function faultsOf(tier: Tier, totals: Totals): readonly Mismatch[] {
  if (!isFaulty(tier, totals)) return [];
  const { sent, others } = totals;
  return [
    {
      requirement: askedUnder[tier.operation],
      at: `${tier.operation}, ${sent} requests in bursts`,
      expected: "only 2xx and 429",
      got: others,
    },
  ];
}

function whyUnclear(
  look: BurstClass,
  { sent, accepted, other, others, unanswered, spanMs }: Totals,
): string {
  if (look === "odd")
    return `${accepted} of ${sent} accepted, once: the edge of a window may explain it`;
  if (other > 0 && accepted === 0) return `none of ${sent} was accepted: ${others}`;
  if (other > 0) return `${accepted} of ${sent} were accepted, ${others}`;
  if (unanswered > 0) return `${unanswered} of ${sent} requests had no answer`;
  return `the burst took ${Math.round(spanMs)} ms, more than ${spanMsMax}`;
}

function totalsOf(attempt: Attempt): Totals {
  const sum = (what: Exclude<keyof Totals, "spanMs" | "others" | "faulty">): number =>
    attempt.reduce((total, burst) => total + burst[what], 0);
  return {
    sent: sum("sent"),
    accepted: sum("accepted"),
    refused: sum("refused"),
    other: sum("other"),
    unanswered: sum("unanswered"),
    others: othersOf(attempt),
    faulty: faultyOf(attempt),
    spanMs: Math.max(...attempt.map(({ endMs }) => endMs)) - attempt[0].startMs,
  };
}

function faultyOf(attempt: Attempt): number {
  return attempt
    .flatMap(({ otherStatuses }) => Object.entries(otherStatuses))
    .filter(([status]) => isOwnFault(Number(status)))
    .reduce((sum, [, count]) => sum + count, 0);
}

function othersOf(attempt: Attempt): string {
  const statuses = new Map<string, number>();
  for (const [status, count] of attempt.flatMap((burst) => Object.entries(burst.otherStatuses))) {
    statuses.set(status, (statuses.get(status) ?? 0) + count);
  }
  if (statuses.size === 0) return "0 with another status";
  return [...statuses].map(([status, count]) => `${count} with ${status}`).join(", ");
}

function figuresOf(attempt: Attempt): Readonly<Record<string, number>> {
  const { spanMs, others: _others, faulty: _faulty, ...counts } = totalsOf(attempt);
  const sorted = attempt.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b);
  return {
    ...counts,
    "duration ms": round(spanMs),
    "requests per second": Math.round((counts.sent / spanMs) * 1_000),
    "latency ms p50": round(sorted[Math.floor(sorted.length / 2)] ?? 0),
    "latency ms max": round(sorted.at(-1) ?? 0),
  };
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
