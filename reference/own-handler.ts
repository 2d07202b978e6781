import type { Clock } from "./clock.ts";
import { planWork, raising } from "./handler.ts";
import type { HandlerEnding, Work, WorkContext, WorkPlan, WorkReport } from "./handler.ts";
import type { JsonObject } from "./job.ts";
import type { Timer } from "./timer-queue.ts";

/** A job as a handler gets it. */
export interface HandlerJob extends WorkContext {
  readonly input: JsonObject;
}

/** Begins the work on a job. */
export type JobHandler = (job: HandlerJob, clock: Clock, report: WorkReport) => Work;

/** The conformance handler (docs/test-my-server.md#the-conformance-handler). */
export const conformanceHandler: JobHandler = ({ input, ...context }, clock, report) =>
  beginPlanned(planWork(input, context), clock, report);

/** Work of the built-in handler: a plan, turned into timers. What takes no time has happened when this returns. */
function beginPlanned(plan: WorkPlan, clock: Clock, report: WorkReport): Work {
  const startedAtMs = clock.nowMs();
  let step: Pick<Timer, "cancel"> | undefined;
  const end = (): void => report.ended(plan.ending);

  /** Yields every chunk that is due, then waits for the next one or for the end. */
  const proceed = (firstIndex: number): void => {
    const workedMs = clock.nowMs() - startedAtMs;
    let index = firstIndex;
    while (index < plan.chunkCount && (index + 1) * plan.chunkIntervalMs <= workedMs) {
      report.chunk(plan.chunkAt(index), index === plan.chunkCount - 1);
      index += 1;
    }
    if (index < plan.chunkCount) {
      const atMs = startedAtMs + (index + 1) * plan.chunkIntervalMs;
      step = clock.schedule(atMs, () => proceed(index));
    } else if (plan.endsAfterMs > workedMs) {
      step = clock.schedule(startedAtMs + plan.endsAfterMs, end);
    } else {
      end();
    }
  };
  proceed(0);
  return { stop: () => step?.cancel() };
}

/** What a function that works on a job may know and tell beside the input. */
export interface HandlerCall {
  readonly jobId: string;
  /** From 1; grows with each retry. */
  readonly attempt: number;
  /** Fires when the job was cancelled, ran out of time or was lost: what is returned then means nothing. */
  readonly signal: AbortSignal;
  /** Shows a value as the job's output while it is IN_PROGRESS. */
  readonly progress: (output: unknown) => void;
}

/**
 * A handler as tests of applications write it. What it returns is the output, what it throws fails the job, and the
 * values of an async generator are the chunks of the stream. It takes real time, on a virtual clock too.
 */
export type HandlerFunction = (input: JsonObject, call: HandlerCall) => unknown;

/** Has a function work on jobs. */
export function functionHandler(work: HandlerFunction): JobHandler {
  return ({ input, jobId, attempt }, _clock, report) => {
    const controller = new AbortController();
    const { signal } = controller;
    const call = { jobId, attempt, signal, progress: report.progress.bind(report) };
    void endingOf(async () => work(input, call), signal, report).then(report.ended.bind(report));
    return { stop: () => controller.abort() };
  };
}

async function endingOf(
  start: () => Promise<unknown>,
  signal: AbortSignal,
  report: WorkReport,
): Promise<HandlerEnding> {
  try {
    const result = await start();
    const output = isAsyncIterable(result) ? await yieldAll(result, signal, report) : result;
    return { kind: "returned", output: always(asJson(output)) };
  } catch (error) {
    return { kind: "raised", message: error instanceof Error ? error.message : String(error) };
  }
}

function always(value: unknown): () => unknown {
  return () => value;
}

/** @throws TypeError where JSON cannot say the value, which fails the job */
function asJson(output: unknown): unknown {
  const text: string | undefined = JSON.stringify(output ?? null);
  if (text === undefined) throw new TypeError("the handler's result is nothing that JSON can say");
  return output ?? null;
}

/** Reports each value as a chunk; all of them are the output. */
async function yieldAll(
  values: AsyncIterable<unknown>,
  signal: AbortSignal,
  report: WorkReport,
): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for await (const value of values) {
    if (signal.aborted) break;
    const chunk = asJson(value);
    report.chunk(chunk, false);
    all.push(chunk);
  }
  return all;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** What becomes of inputs that look alike; absent members: at once, with no chunks, and the output null. */
export interface HandlerRow {
  /** Every member of it has to be the same in the input, to any depth; absent: any input. */
  readonly input?: JsonObject;
  readonly output?: unknown;
  /** The message with which the job fails, in place of an output. */
  readonly error?: string;
  /** How long the work takes, in milliseconds of the endpoint's clock. */
  readonly delayMs?: number;
  /** The chunks of the stream, and how long each takes. */
  readonly chunks?: readonly unknown[];
  readonly everyMs?: number;
}

/** Has a table say what becomes of an input: the first row that fits. It keeps to the endpoint's clock. */
export function tableHandler(rows: readonly HandlerRow[]): JobHandler {
  return ({ input }, clock, report) => {
    const row = rows.find((each) => fits(each.input ?? {}, input));
    const plan =
      row === undefined ? raising("no row of the handler's table fits the input") : planOf(row);
    return beginPlanned(plan, clock, report);
  };
}

function planOf({ output, error, delayMs = 0, chunks = [], everyMs = 0 }: HandlerRow): WorkPlan {
  return {
    endsAfterMs: Math.max(delayMs, chunks.length * everyMs),
    ending:
      error === undefined
        ? { kind: "returned", output: () => output ?? (chunks.length > 0 ? chunks : null) }
        : { kind: "raised", message: error },
    chunkCount: chunks.length,
    chunkIntervalMs: everyMs,
    chunkAt: (index) => chunks[index],
  };
}

function fits(pattern: unknown, value: unknown): boolean {
  if (typeof pattern !== "object" || pattern === null) return pattern === value;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(pattern) !== Array.isArray(value)) return false;
  return Object.entries(pattern).every(([name, member]) => fits(member, Reflect.get(value, name)));
}
