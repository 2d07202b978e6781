import type { OperationName, Tier } from "../../openapi/operations.ts";
import { isSubmission, windowMs } from "../../openapi/operations.ts";
import type { Identification, Remaining } from "../limiters/identify.ts";
import { kindNamed } from "../limiters/kinds.ts";
import type { LimiterModel } from "../limiters/kinds.ts";
import { secondBurst, tellingLimit } from "../limiters/trace.ts";
import type { TraceStep } from "../limiters/trace.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { identifyTrace } from "./identify-trace.ts";
import type { LoadSession } from "./load-session.ts";
import type { LimitTrace } from "./trace.ts";

const identified = new WeakMap<LoadSession, Map<OperationName, Identification>>();

/** The limiter of an operation; undefined where no check of the session has identified it yet. */
export function identifiedOf(session: LoadSession, { operation }: Tier): LimiterModel | undefined {
  return identified.get(session)?.get(operation)?.best;
}

interface Found {
  readonly tier: Tier;
  readonly identification: Identification;
}

/** Keeps the limiter of an operation, and shortens the operation's rests if no possible limiter looks back further. */
export function noteIdentified(
  session: LoadSession,
  endpoint: Pick<LoadEndpoint, "usage">,
  { tier: { operation, limit }, identification }: Found,
): void {
  const known = identified.get(session) ?? new Map<OperationName, Identification>();
  identified.set(session, known.set(operation, identification));
  const { remaining } = identification;
  const looksBackOne = remaining.every(
    ({ kind, windows, limits }) =>
      kindNamed(kind).reading !== undefined &&
      (kindNamed(kind).looksBack ?? 1) === 1 &&
      windows.longestMs <= windowMs &&
      limits.least >= limit,
  );
  if (remaining.length > 0 && looksBackOne) endpoint.usage.forgets(operation);
}

/** Windows that differ by no more than this share cannot be told apart. */
export const windowTolerance = 0.05;

/** Steps of more requests than this are sent only where they are needed. */
const dearRequests = 20;

/**
 * Identifies the limiter of an operation that makes jobs by one burst, if that is enough: if all kinds that explain
 * it, of those that operations without jobs showed on the same endpoint, have the same limit and the stated window.
 * Undefined where more has to be sent.
 */
export function identifiedEarly(
  session: LoadSession,
  trace: Pick<LimitTrace, "requests" | "tier" | "clockGrainMs">,
  next: Pick<TraceStep, "atMs" | "count">,
): Identification | undefined {
  if (session.makesEndpoints || !isSubmission(trace.tier.operation) || next.count <= dearRequests)
    return undefined;
  // Once the second burst was sent, there is nothing left to save.
  if (next.atMs > secondBurst * windowMs) return undefined;
  const kinds = kindsShown(session);
  if (kinds.size === 0) return undefined;
  const found = identifyTrace(trace);
  const remaining = found.remaining.filter(({ kind }) => kinds.has(kind));
  if (remaining.length === 0 || !remaining.every(isTold)) return undefined;
  if (new Set(remaining.map(({ limits }) => limits.least)).size > 1) return undefined;
  const fits = [found.best, ...found.others];
  const best = fits.find(({ kind }) => remaining.some((one) => one.kind === kind)) ?? found.best;
  const others = fits.filter((fit) => fit !== best);
  const { windows } = remaining[0] ?? {};
  return { best, others, remaining, ...(windows === undefined ? {} : { window: windows }) };
}

function kindsShown(session: LoadSession): ReadonlySet<string> {
  const all = [...(identified.get(session) ?? [])];
  const shown = all.filter(
    ([operation, { best }]) => !isSubmission(operation) && best.limit >= tellingLimit,
  );
  return new Set(shown.flatMap(([, { remaining }]) => remaining.map(({ kind }) => kind)));
}

function isTold({ limits, windows: { shortestMs, longestMs } }: Remaining): boolean {
  return limits.least === limits.most && isStatedWindow(shortestMs) && isStatedWindow(longestMs);
}

/** Whether a window is as near to the stated one as anybody can tell; 9 s and 11 s are farther from 10 s. */
export function isStatedWindow(ms: number): boolean {
  return Math.abs(ms / windowMs - 1) <= windowTolerance;
}
