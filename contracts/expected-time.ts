import { isLong, realTimeOf } from "../harness/check.ts";
import type { Check } from "../harness/check.ts";
import type { Sharing } from "../harness/endpoint/shared-endpoints.ts";
import { throttledMsOf } from "../harness/endpoint/throttle.ts";
import { checks as allChecks } from "./checks.ts";
import { heldMs } from "./generated/held.ts";

/** A part of a run on a real clock, and how long it takes. */
export interface ScheduleStep {
  readonly what: "shared" | "stalled" | "alone" | "wait";
  readonly ms: number;
}

/** How long a run takes on endpoints that its checks share, and the steps of that time. */
export interface ExpectedTime {
  readonly ms: number;
  /** The steps that make up the time, in order. */
  readonly critical: readonly ScheduleStep[];
}

/** How many short checks share an endpoint at once. */
const shortAtOnce = 2;

/** The time left of a check: how long it shares an endpoint, how long it needs one alone, and how long it waits. */
interface Rest {
  readonly check: Check;
  readonly sharingMs: number;
  readonly aloneMs: number;
  readonly waitMs: number;
}

/** @param begunMs how long ago it was given an endpoint; absent: it was not */
function restOf(check: Check, begunMs = 0): Rest {
  const { exclusive = false, stalls = false } = check;
  const [sharingMs = 0, aloneMs = 0] = heldMs[check.name] ?? [];
  const waitMs = exclusive || stalls ? 0 : realTimeOf(check);
  const leftOf = (ms: number): number => Math.max(0, ms - begunMs);
  // A check that needs stalled workers begins long before its turn alone, so none of that turn has passed.
  const aloneLeftMs = exclusive ? leftOf(aloneMs) : aloneMs;
  return { check, sharingMs: leftOf(sharingMs), aloneMs: aloneLeftMs, waitMs: leftOf(waitMs) };
}

/** The schedule of some checks that have not begun. */
export function scheduleOf(checks: readonly Check[], sharing: Sharing): ExpectedTime {
  return scheduleOfRest(
    checks.map((check) => restOf(check)),
    sharing,
  );
}

/**
 * The schedule of what is left of a run.
 * @param begunMs how long ago each check that has not ended began, by its name; undefined: it has not begun
 */
export function scheduleOfUnended(
  begunMs: ReadonlyMap<string, number | undefined>,
  sharing: Sharing,
): ExpectedTime {
  const unended = allChecks.filter(({ name }) => begunMs.has(name));
  return scheduleOfRest(
    unended.map((check) => restOf(check, begunMs.get(check.name))),
    sharing,
  );
}

/**
 * Adds up how long each check held its endpoint on the reference: first the checks that share it, then those that need
 * stalled workers, group by group, then those that need it alone. The time is divided among the endpoints.
 */
function scheduleOfRest(rest: readonly Rest[], sharing: Sharing): ExpectedTime {
  const waitMs = Math.max(0, ...rest.map((each) => each.waitMs));
  const { workers } = sharing;
  const shared = { what: "shared", ms: sharedMsOf(rest, sharing) } as const;
  const stalled = { what: "stalled", ms: stalledMsOf(rest) } as const;
  const alone = { what: "alone", ms: aloneMsOf(rest, workers.length) } as const;
  // No endpoint is idle: checks that do not share use the further ones first, and checks that share use all later.
  const parts = [shared, stalled, alone].map(({ what, ms }) => ({ what, ms: ms / workers.length }));
  // The longest check begins first, so the endpoints end apart by a part of the next longest.
  const [, nextLongestMs = 0] = rest.map((each) => each.sharingMs).toSorted((a, b) => b - a);
  const unevenMs = (1 - 1 / workers.length) * nextLongestMs;
  const sumMs = parts.reduce((sum, { ms }) => sum + ms, unevenMs);
  if (waitMs > sumMs) return { ms: waitMs, critical: [{ what: "wait", ms: waitMs }] };
  const [first = shared, ...later] = parts;
  const critical = [{ ...first, ms: first.ms + unevenMs }, ...later];
  return { ms: sumMs, critical: critical.filter(({ ms }) => ms > 0) };
}

/** Short checks run beside long ones, which leave them a worker; once no short ones are left, long ones use all. */
function sharedMsOf(rest: readonly Rest[], { workers: [workers = 1], slow }: Sharing): number {
  const sumOf = (long: boolean): number =>
    rest
      .filter(({ check }) => isLong(check, slow) === long)
      .reduce((sumMs, { sharingMs }) => sumMs + sharingMs, 0);
  const shortMs = sumOf(false) / shortAtOnce;
  const besideMs = shortMs * Math.max(1, workers - 1);
  const longest = Math.max(0, ...rest.map(({ sharingMs }) => sharingMs));
  return Math.max(longest, shortMs + Math.max(0, sumOf(true) - besideMs) / workers);
}

/** Checks with the same bound, and alike in whether they purge, share one stall. It lasts as long as the slowest. */
function stalledMsOf(rest: readonly Rest[]): number {
  const groups = new Map<string, number>();
  for (const { check, aloneMs } of rest) {
    const { stalls, stallMsMax, purges = 0 } = check;
    if (stalls !== true) continue;
    const group = `${String(stallMsMax)} ${String(purges > 0)}`;
    groups.set(group, Math.max(groups.get(group) ?? 0, aloneMs));
  }
  return [...groups.values()].reduce((sumMs, ms) => sumMs + ms, 0);
}

/** Exclusive checks run one after another. They can go no faster than the limit of purge-queue on each endpoint. */
function aloneMsOf(rest: readonly Rest[], endpoints: number): number {
  const exclusive = rest.filter(({ check }) => check.exclusive === true);
  const sumMs = exclusive.reduce((sum, { aloneMs }) => sum + aloneMs, 0);
  const purges = exclusive.reduce((sum, { check }) => sum + (check.purges ?? 0), 0);
  return Math.max(sumMs, endpoints * throttledMsOf("purge-queue", Math.ceil(purges / endpoints)));
}
