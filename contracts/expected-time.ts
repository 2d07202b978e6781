import { isLong, realTimeOf } from "../harness/check.ts";
import type { Check } from "../harness/check.ts";
import { shortAtOnce } from "../harness/endpoint/shared-endpoints.ts";
import type { EndpointSharing, OwnWork } from "../harness/endpoint/shared-endpoints.ts";
import { throttledMsOf } from "../harness/endpoint/throttle.ts";
import { checks as allChecks } from "./checks.ts";
import { costs } from "./generated/costs.ts";
import { heldByOwnJobsMs, heldMs, ownWorkMs } from "./generated/held.ts";
import type { OwnHeld } from "./generated/held.ts";

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

/** The time left of a check: how long it shares an endpoint, how long it needs one alone, and how long it waits. */
interface Rest {
  readonly check: Check;
  readonly sharingMs: number;
  readonly aloneMs: number;
  readonly waitMs: number;
}

/** For how long a check holds its endpoint, in milliseconds: together with others, and without them. */
type Held = readonly [sharingMs: number, aloneMs: number];

/** The reference answers within this time, which is a part of what was measured, in milliseconds. */
const usualAnswerMs = 5;

/** How long a check holds its endpoint. */
export function heldBy(check: Check, sharing: EndpointSharing): Held {
  const [sharingMs, aloneMs] = workHeldBy(check, sharing);
  const [requests = 0, jobs = 0] = costs[check.name] ?? [];
  const answeringMs = requests * Math.max(0, (sharing.answerMs ?? 0) - usualAnswerMs);
  const waitingMs = answeringMs + jobs * (sharing.startMs ?? 0);
  return check.exclusive === true || check.stalls === true
    ? [sharingMs, aloneMs + waitingMs]
    : [sharingMs + waitingMs, aloneMs];
}

function workHeldBy(check: Check, { own }: EndpointSharing): Held {
  const held = heldByOwnJobsMs[check.name];
  if (own === undefined || held === undefined) return heldMs[check.name] ?? [0, 0];
  return heldWith(own, check, held);
}

/** The same where it waits for jobs of an owner's, or stalls the workers with them for less than they work. */
function heldWith(
  { slow = ownWorkMs.slow, seen = {} }: OwnWork,
  { exclusive, stalls }: Check,
  [sharingMs, aloneMs, quickJobs, slowJobs]: OwnHeld,
): Held {
  const { quickMs = ownWorkMs.quickMs, slowMs = slow.atLeastMs } = seen;
  const longerMs =
    quickJobs * (quickMs - ownWorkMs.quickMs) + slowJobs * (slowMs - ownWorkMs.slow.atLeastMs);
  if (exclusive !== true && stalls !== true) return [Math.max(0, sharingMs + longerMs), aloneMs];
  const aloneLongerMs = Math.max(0, aloneMs + longerMs);
  const isBound = stalls === true && slowJobs === 0;
  return [sharingMs, isBound ? Math.min(aloneLongerMs, slow.atLeastMs) : aloneLongerMs];
}

/** The checks that share one stall: those with the same bound, and alike in whether they purge. */
function stallOf({ stalls, stallMsMax, purges = 0 }: Check): string | undefined {
  return stalls === true ? `${String(stallMsMax)} ${String(purges > 0)}` : undefined;
}

interface Begun {
  /** How long ago it was given an endpoint; 0 where it was not. */
  readonly begunMs: number;
  /** Whether the stall that it shared is over. */
  readonly hasStalled: boolean;
}

const notBegun: Begun = { begunMs: 0, hasStalled: false };

function restOf(
  check: Check,
  sharing: EndpointSharing,
  { begunMs, hasStalled }: Begun = notBegun,
): Rest {
  const { exclusive = false, stalls = false } = check;
  const [sharingMs, aloneMs] = heldBy(check, sharing);
  const waitMs = exclusive || stalls ? 0 : realTimeOf(check);
  const leftOf = (ms: number): number => Math.max(0, ms - begunMs);
  // A check that needs stalled workers begins long before its turn alone, so none of that turn has passed.
  const aloneLeftMs = exclusive ? leftOf(aloneMs) : aloneMs;
  return {
    check,
    sharingMs: leftOf(sharingMs),
    aloneMs: hasStalled ? 0 : aloneLeftMs,
    waitMs: leftOf(waitMs),
  };
}

/** The schedule of some checks that have not begun. */
export function scheduleOf(checks: readonly Check[], sharing: EndpointSharing): ExpectedTime {
  return scheduleOfRest(
    checks.map((check) => restOf(check, sharing)),
    sharing,
  );
}

/** How far a run is. */
export interface RunProgress {
  /** How long ago each check that has not ended began, by its name; undefined: it has not begun. */
  readonly begunMs: ReadonlyMap<string, number | undefined>;
  /** The names of the checks that have ended. */
  readonly ended: ReadonlySet<string>;
}

/** The schedule of what is left of a run. */
export function scheduleOfUnended(
  { begunMs, ended }: RunProgress,
  sharing: EndpointSharing,
): ExpectedTime {
  // Where one that shared a stall has ended, the stall is over for all that had begun.
  const over = new Set(allChecks.filter(({ name }) => ended.has(name)).map(stallOf));
  const rest = allChecks
    .filter(({ name }) => begunMs.has(name))
    .map((check) => {
      const sinceMs = begunMs.get(check.name);
      if (sinceMs === undefined) return restOf(check, sharing);
      const stall = stallOf(check);
      const hasStalled = stall !== undefined && over.has(stall);
      return restOf(check, sharing, { begunMs: sinceMs, hasStalled });
    });
  return scheduleOfRest(rest, sharing);
}

/**
 * Adds up how long each check held its endpoint on the reference: first the checks that share it, then those that need
 * stalled workers, group by group, then those that need it alone. The time is divided among the endpoints.
 */
function scheduleOfRest(rest: readonly Rest[], sharing: EndpointSharing): ExpectedTime {
  const waitMs = Math.max(0, ...rest.map((each) => each.waitMs));
  const { workers } = sharing;
  const shared = { what: "shared", ms: sharedMsOf(rest, sharing) } as const;
  const stalled = { what: "stalled", ms: stalledMsOf(rest) } as const;
  const alone = { what: "alone", ms: aloneMsOf(rest, stalled.ms, workers.length) } as const;
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
function sharedMsOf(
  rest: readonly Rest[],
  { workers: [workers = 1], own, answerMs }: EndpointSharing,
): number {
  const sumOf = (long: boolean): number =>
    rest
      .filter(({ check }) => isLong(check, own?.slow) === long)
      .reduce((sumMs, { sharingMs }) => sumMs + sharingMs, 0);
  const shortMs = sumOf(false) / shortAtOnce(answerMs);
  const besideMs = shortMs * Math.max(1, workers - 1);
  const longest = Math.max(0, ...rest.map(({ sharingMs }) => sharingMs));
  return Math.max(longest, shortMs + Math.max(0, sumOf(true) - besideMs) / workers);
}

/** A stall lasts as long as the slowest of those that share it needs. */
function stalledMsOf(rest: readonly Rest[]): number {
  const stalls = new Map<string, number>();
  for (const { check, aloneMs } of rest) {
    const stall = stallOf(check);
    if (stall !== undefined) stalls.set(stall, Math.max(stalls.get(stall) ?? 0, aloneMs));
  }
  return [...stalls.values()].reduce((sumMs, ms) => sumMs + ms, 0);
}

/**
 * Exclusive checks run one after another, also between stalls. Together with these they can go no faster than the limit
 * of purge-queue on each endpoint.
 */
function aloneMsOf(rest: readonly Rest[], stalledMs: number, endpoints: number): number {
  const exclusive = rest.filter(({ check }) => check.exclusive === true);
  const sumMs = exclusive.reduce((sum, { aloneMs }) => sum + aloneMs, 0);
  const purges = exclusive.reduce((sum, { check }) => sum + (check.purges ?? 0), 0);
  const purgingMs = endpoints * throttledMsOf("purge-queue", Math.ceil(purges / endpoints));
  return Math.max(sumMs, purgingMs - stalledMs);
}
