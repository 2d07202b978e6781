import type { TracedRequest } from "../limiters/trace.ts";
import type { Fit } from "../limiters/identify.ts";
import type { ProbeExchange } from "../probe/connection.ts";
import { windowMs } from "../../openapi/operations.ts";
import { isAccepted, isRefused } from "./tally.ts";

/** Allows for rounding to whole seconds and for clocks that differ by a little. */
const toleranceMs = 1_100;
const marginMs = 100;

/** The part of an exhaustion that is read; the requests are in the order of the exchanges. */
interface Seen {
  readonly trace: {
    readonly exchanges: readonly ProbeExchange[];
    readonly requests: readonly TracedRequest[];
  };
  readonly identification: { readonly best: Pick<Fit, "limit"> };
}

/**
 * Compares what header fields of the answers say of the limit with what was measured. The specification
 * names no such field, so a wrong one is reported and fails nothing.
 */
export function limitFields(seen: Seen): Readonly<Record<string, string>> {
  const said: Record<string, string> = {};
  const retryAfter = retryAfterOf(seen);
  if (retryAfter !== undefined) said["Retry-After"] = retryAfter;
  for (const [name, what] of policiesOf(seen)) said[name] = what;
  return said;
}

/** Names the first Retry-After that the trace shows to be wrong, or says that all held; undefined without any. */
function retryAfterOf({ trace }: Seen): string | undefined {
  const promises = trace.exchanges.flatMap((exchange, at) => {
    const said = exchange.answer?.headers["retry-after"];
    if (said === undefined || !isRefused(exchange)) return [];
    return [{ at, said, waitMs: waitOf(said, exchange.answer?.headers["date"]) }];
  });
  const wrong = promises.map((promise) => wrongOf(promise, trace.requests));
  const first = wrong.find((one) => one !== undefined);
  if (promises.length === 0) return undefined;
  return first ?? `held, ${promises.length} times`;
}

interface Promised {
  readonly at: number;
  readonly said: string;
  readonly waitMs: number | undefined;
}

/** What is wrong with one promise, as far as the trace shows it. */
function wrongOf(
  { at, said, waitMs }: Promised,
  requests: readonly TracedRequest[],
): string | undefined {
  if (waitMs === undefined) return `"${said}" is neither seconds nor a date`;
  if (waitMs > 2 * windowMs + toleranceMs) {
    return `"${said}" is longer than two windows, after which the whole limit is free`;
  }
  const askedMs = requests[at]?.answeredMs ?? Infinity;
  // The next request that was sent late enough; it tells only if none was admitted in between.
  const next = requests.findIndex(({ sentMs }) => sentMs >= askedMs + waitMs + marginMs);
  const later = requests[next];
  if (later === undefined || later.isAdmitted) return undefined;
  if (requests.slice(at + 1, next).some(({ isAdmitted }) => isAdmitted)) return undefined;
  const tookMs = Math.round(later.sentMs - askedMs);
  return `"${said}", but ${tookMs} ms later a request was still refused`;
}

/** Every form of an HTTP date starts with a weekday; `Date.parse` alone would also accept "-1". */
const startsLikeADate = /^(?:mon|tue|wed|thu|fri|sat|sun)/i;

/** Seconds or an HTTP date (RFC 9110), in milliseconds from the answer on. */
function waitOf(said: string, date: string | undefined): number | undefined {
  if (/^\d{1,9}$/.test(said.trim())) return Number(said) * 1_000;
  const untilMs = startsLikeADate.test(said) ? Date.parse(said) : NaN;
  const fromMs = Date.parse(date ?? "");
  if (Number.isNaN(untilMs)) return undefined;
  return Math.max(0, untilMs - (Number.isNaN(fromMs) ? Date.now() : fromMs));
}

const limitNames = ["x-ratelimit-limit", "ratelimit-limit", "ratelimit-policy"] as const;
const restNames = ["x-ratelimit-remaining", "ratelimit-remaining", "ratelimit"] as const;

function policiesOf({ trace, identification }: Seen): readonly (readonly [string, string])[] {
  const { limit } = identification.best;
  const first = trace.exchanges.find(isAccepted);
  const headers = first?.answer?.headers ?? {};
  const limits = limitNames.flatMap((name) => {
    const said = headers[name];
    if (said === undefined || !Number.isFinite(limit)) return [];
    const quota = Number(/(?:\bq=|^\s*)(\d+)/.exec(said)?.[1]);
    const isRight = quota === limit;
    return [[name, isRight ? `"${said}", as measured` : `"${said}", measured ${limit}`] as const];
  });
  const rests = restNames.flatMap((name) => {
    const last = trace.exchanges.find(isRefused)?.answer?.headers[name];
    if (last === undefined) return [];
    const rest = Number(/(?:\br=|^\s*)(\d+)/.exec(last)?.[1]);
    return [
      [name, rest === 0 ? `"${last}" when refused` : `"${last}" when refused, not 0`] as const,
    ];
  });
  return [...limits, ...rests];
}
