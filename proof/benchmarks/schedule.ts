import type { ProbeExchange } from "../../load/probe/connection.ts";
import { generatorError } from "../../load/probe/generator-error.ts";
import type { GeneratorError } from "../../load/probe/generator-error.ts";
import type { Pool } from "../../load/probe/pool.ts";
import { stamped } from "../../load/probe/request.ts";
import type { WireRequest } from "../../load/probe/request.ts";

/** A request and when it is to be sent, in milliseconds after the start of the schedule. */
export interface ScheduledRequest {
  readonly atMs: number;
  readonly request: WireRequest;
}

/** What the log says of one request; times are milliseconds after the start of the schedule. */
export interface LogEntry {
  readonly intendedMs: number;
  readonly sentMs: number;
  readonly firstByteMs: number | undefined;
  readonly answeredMs: number;
  /** Absent where there was no answer: then `failure` says why. */
  readonly status: number | undefined;
  readonly failure: string | undefined;
}

export interface ScheduleLog {
  /** In the order of the intended times. */
  readonly entries: readonly LogEntry[];
  /** How late the generator itself was. */
  readonly error: GeneratorError;
}

/** Timers are late by a millisecond or two, so the last stretch before a moment is spent in setImmediate turns. */
const lastStretchMs = 2;

/**
 * Sends each request once at its intended time, without waiting for answers to those before it.
 * @param intentions in the order of their times.
 */
export async function runSchedule(
  pool: Pool,
  intentions: readonly ScheduledRequest[],
): Promise<ScheduleLog> {
  const startMs = performance.now();
  const pending: Promise<LogEntry>[] = [];
  for (const { atMs, request } of intentions) {
    const ready = stamped(request);
    await until(startMs + atMs);
    pending.push(pool.send(request, ready).then((exchange) => entryOf(exchange, atMs, startMs)));
  }
  const entries = await Promise.all(pending);
  return { entries, error: generatorError(entries) };
}

function entryOf(exchange: ProbeExchange, intendedMs: number, startMs: number): LogEntry {
  const { sentMs, firstByteMs, answeredMs, answer, failure } = exchange;
  return {
    intendedMs,
    sentMs: sentMs - startMs,
    firstByteMs: firstByteMs === undefined ? undefined : firstByteMs - startMs,
    answeredMs: answeredMs - startMs,
    status: answer?.status,
    failure,
  };
}

async function until(momentMs: number): Promise<void> {
  const waitMs = momentMs - performance.now() - lastStretchMs;
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  while (performance.now() < momentMs) await new Promise((resolve) => setImmediate(resolve));
}
