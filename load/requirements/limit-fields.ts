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

/** What one header field of the answers says of the limit, beside what was measured. */
export interface LimitField {
  readonly name: string;
  readonly text: string;
  readonly isWrong: boolean;
}

/**
 * Compares what header fields of the answers say of the limit with what was measured. The specification
 * names no such field, so a wrong one is a warning and fails nothing.
 */
export function limitFields(seen: Seen): readonly LimitField[] {
  return [...retryAfterOf(seen), ...policiesOf(seen)];
}

/** Names the first Retry-After that the trace shows to be wrong, or says that all held; empty without any. */
function retryAfterOf({ trace }: Seen): readonly LimitField[] {
  const promises = trace.exchanges.flatMap((exchange, at) => {
    const said = exchange.answer?.headers["retry-after"];
    if (said === undefined || !isRefused(exchange)) return [];
    return [{ at, said, waitMs: waitOf(said, exchange.answer?.headers["date"]) }];
  });
  const wrong = promises.map((promise) => wrongOf(promise, trace.requests));
  const first = wrong.find((one) => one !== undefined);
  if (promises.length === 0) return [];
  const text = first ?? `held, ${promises.length} times`;
  return [{ name: "Retry-After", text, isWrong: first !== undefined }];
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
  if (isEpoch(said)) {
    return `"${said}" is a moment since the epoch; a number of seconds to wait is due`;
  }
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

/** Whether a number is a moment of this century, in seconds or milliseconds since the epoch, and no time to wait. */
function isEpoch(said: string): boolean {
  return Number(said) >= 946_684_800;
}

/** Every form of an HTTP date starts with a weekday; `Date.parse` alone would also accept "-1". */
const startsLikeADate = /^(?:mon|tue|wed|thu|fri|sat|sun)/i;

/** Seconds or an HTTP date (RFC 9110), in milliseconds from the answer on. */
function waitOf(said: string, date: string | undefined): number | undefined {
  if (/^\d{1,15}$/.test(said.trim())) return Number(said) * 1_000;
  const untilMs = startsLikeADate.test(said) ? Date.parse(said) : NaN;
  const fromMs = Date.parse(date ?? "");
  if (Number.isNaN(untilMs)) return undefined;
  return Math.max(0, untilMs - (Number.isNaN(fromMs) ? Date.now() : fromMs));
}

const limitNames = ["x-ratelimit-limit", "ratelimit-limit", "ratelimit-policy"] as const;
const restNames = ["x-ratelimit-remaining", "ratelimit-remaining", "ratelimit"] as const;

function policiesOf({ trace, identification }: Seen): readonly LimitField[] {
  const { limit } = identification.best;
  const first = trace.exchanges.find(isAccepted);
  const headers = first?.answer?.headers ?? {};
  const limits = limitNames.flatMap((name) => {
    const said = headers[name];
    if (said === undefined || !Number.isFinite(limit)) return [];
    const quota = Number(/(?:\bq=|^\s*)(\d+)/.exec(said)?.[1]);
    const isRight = quota === limit;
    const text = isRight ? `"${said}", as measured` : `"${said}", measured ${limit}`;
    return [{ name, text, isWrong: !isRight }];
  });
  const rests = restNames.flatMap((name) => {
    const last = trace.exchanges.find(isRefused)?.answer?.headers[name];
    if (last === undefined) return [];
    const rest = Number(/(?:\br=|^\s*)(\d+)/.exec(last)?.[1]);
    const isRight = rest === 0;
    const text = isRight ? `"${last}" when refused` : `"${last}" when refused, not 0`;
    return [{ name, text, isWrong: !isRight }];
  });
  return [...limits, ...rests];
}
