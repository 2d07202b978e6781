import type { Exchange } from "../../client/exchange.ts";
import { submitJob } from "./fixtures.ts";
import type { EndpointHandle } from "../endpoint/clock-modes.ts";
import { requireYounger } from "../endpoint/time.ts";
import type { EndpointTime } from "../endpoint/time.ts";
import type { Expectations } from "../expect.ts";
import type { Interval } from "../interval.ts";
import { Inconclusive } from "../outcome.ts";
import { admittedAnswerOf, isSuccess } from "../read.ts";
import { isFinal, readRecord, stateOf } from "../record.ts";
import type { CheckContext } from "../check-context.ts";
import type { StartedJob } from "./submit.ts";
import type { SubmittedJob } from "./fixtures.ts";

/** Whether a job neither waits nor is being processed: it has ended, or can no longer be read. */
export function isOver(exchange: Exchange): boolean {
  const read = readRecord(exchange);
  return !read.ok || isFinal(read.body);
}

/** The states of a job that can still be processed, or has been to its end: none that must not be processed shows one. */
export const unfinishedOrCompleted: readonly string[] = ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"];

/** Records a difference where a state is one of those that must not be. */
export function expectNot(
  { expect }: Pick<CheckContext, "expect">,
  state: string,
  forbidden: readonly string[],
  at: string,
): void {
  const expected = `anything but ${forbidden.join(", ")}`;
  expect.that(!forbidden.includes(state), { at, expected, got: state });
}

/**
 * Records a difference unless a job has completed that was to end before a limit of it is over. Where the limit may have
 * been over when it was read, its work may have taken longer than asked for, as on a busy machine.
 * @throws Inconclusive there
 */
export function expectCompleted(
  {
    expect,
    time,
  }: { readonly expect: Pick<Expectations, "equal">; readonly time: Pick<EndpointTime, "now"> },
  state: string,
  {
    since,
    limitMs,
    at,
  }: { readonly since: Interval; readonly limitMs: number; readonly at: string },
): void {
  if (state !== "COMPLETED") requireYounger({ time }, since, limitMs);
  expect.equal(state, "COMPLETED", at);
}

/** Records a difference unless a job is shown as COMPLETED when it is over, within some of the endpoint's time. */
export async function expectCompletion(
  context: EndpointHandle & Pick<CheckContext, "expect">,
  { id }: Pick<SubmittedJob, "id">,
  at: string,
  withinMs = 0,
): Promise<void> {
  context.expect.equal(stateOf(await waitUntilOverWithin(context, id, withinMs)), "COMPLETED", at);
}

/** What status shows of a job that is gone, in the words of the catalogue's readings. */
export function readingOf(exchange: Exchange): string {
  const answer = admittedAnswerOf(exchange);
  return isSuccess(answer) ? `200 with ${stateOf(exchange)}` : String(answer.status);
}

/** Reads the status of a job while `since` is still surely younger than `ageMs`, as late as is safe. */
export async function statusBefore(
  { api, time }: EndpointHandle,
  id: string,
  since: Interval,
  ageMs: number,
): Promise<Exchange> {
  return (await time.before(since, ageMs, async () => api.status(id))).exchange;
}

/** Reads the status of a job once `since` is surely older than `ageMs`, as soon as is safe. */
export async function statusAfter(
  { api, time }: EndpointHandle,
  id: string,
  since: Interval,
  ageMs: number,
): Promise<Exchange> {
  return (await time.after(since, ageMs, async () => api.status(id))).exchange;
}

/** Reads the status of a job once `since` is surely older than `ageMs`; a real target gets some grace to end it. */
export async function waitUntilOverAfter(
  handle: EndpointHandle,
  id: string,
  { since, ageMs }: { readonly since: Interval; readonly ageMs: number },
): Promise<Exchange> {
  const exchange = await statusAfter(handle, id, since, ageMs);
  return isOver(exchange) ? exchange : waitUntilOverWithin(handle, id);
}

/** Waits until a job is over, for at most that much of the endpoint's time. Returns its last status. */
export async function waitUntilOverWithin(
  { api, time }: EndpointHandle,
  id: string,
  withinMs = 0,
): Promise<Exchange> {
  return time.until(async () => api.status(id), isOver, withinMs);
}

/**
 * Reads the status of a job when it has been at work for `ageMs` at most. One of a jobs file may end much sooner, and
 * is read until it is over, for its record may be deleted by then.
 */
export async function waitUntilOverBy(
  handle: EndpointHandle,
  { id, startedAt }: StartedJob,
  ageMs: number,
): Promise<Exchange> {
  const { time, jobs } = handle;
  if (jobs.exact) return statusAfter(handle, id, startedAt, ageMs);
  const stepMs = time.choose({ virtual: ageMs / 60, real: 500 });
  for (let atMs = 0; atMs < ageMs; atMs += stepMs) {
    const exchange = await statusAfter(handle, id, startedAt, atMs);
    if (isOver(exchange)) return exchange;
  }
  return statusAfter(handle, id, startedAt, ageMs);
}

/**
 * Records a difference unless a worker is free: a quick job submitted now completes. On a shared endpoint jobs of
 * others may be in the way, so there a job that does not complete leaves the check inconclusive.
 */
export async function expectFreeWorker(context: CheckContext, at: string): Promise<void> {
  const { api, expect, offers } = context;
  const probe = await submitJob(context, context.jobs.quick("probe"));
  const state = stateOf(await waitUntilOverWithin(context, probe.id));
  if (state !== "COMPLETED" && !offers("endpoints")) {
    await api.cancel(probe.id);
    throw new Inconclusive(`could not find out whether a worker is free: a quick job is ${state}`);
  }
  expect.equal(state, "COMPLETED", at);
}
