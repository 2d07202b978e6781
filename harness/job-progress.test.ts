import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { monotonicNowMs } from "../client/exchange.ts";
import { createDeferred } from "./deferred.ts";
import { keptWorkers, learnKeptWorkers } from "./discovery/kept-workers.ts";
import { Discovery } from "./discovery/discovery.ts";
import { JobProgress } from "./job-progress.ts";
import { exchangeOf } from "../test/harness/exchange.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watched(workers = 1): { readonly discovery: Discovery; readonly progress: JobProgress } {
  const discovery = new Discovery();
  const progress = new JobProgress(discovery, workers);
  const sent = { input: {}, policy: "text" };
  progress.note(exchangeOf({ id: "a", status: "IN_QUEUE" }, { operation: "run", sent }));
  return { discovery, progress };
}

/** A wait that ended in vain, while a read showed that a job is unfinished. */
function waitInVain(progress: JobProgress, sinceMs: number): void {
  progress.note(exchangeOf({ id: "waits", status: "IN_QUEUE" }));
  progress.waitedInVain(sinceMs);
}

function waitTwiceInVain(progress: JobProgress, sinceMs: number): void {
  waitInVain(progress, sinceMs);
  waitInVain(progress, sinceMs + 1);
}

/** Lets time pass; returns when it began to. */
function passing(ms: number): number {
  const sinceMs = monotonicNowMs();
  vi.advanceTimersByTime(ms);
  return sinceMs;
}

describe("where jobs of the run are awaited in vain", () => {
  test("one wait may be chance, and after two nobody waits any more", () => {
    const { discovery, progress } = watched();
    const sinceMs = passing(21_000);
    waitInVain(progress, sinceMs);
    waitInVain(progress, sinceMs);
    expect(progress.isStuck).toBe(false);
    waitInVain(progress, sinceMs + 1);
    expect(progress.isStuck).toBe(true);
    expect(discovery.facts[0]?.text).toContain(
      'the first that stays is of POST run {"input":{},"policy":"text"}',
    );
  });

  test("a job that begins or ends shows that others may", () => {
    const { discovery, progress } = watched();
    const sinceMs = passing(21_000);
    waitInVain(progress, sinceMs);
    progress.note(exchangeOf({ id: "b", status: "COMPLETED" }));
    waitInVain(progress, sinceMs);
    expect(progress.isStuck).toBe(false);
    expect(discovery.learned).toEqual([]);
  });

  test.each([
    { workers: 1, isStuck: false },
    { workers: 2, isStuck: true },
  ])(
    "a long job at work keeps $workers workers busy: nothing moves is $isStuck",
    ({ workers, isStuck }) => {
      const { progress } = watched(workers);
      const sent = { input: { op: "sleep", ms: 94_000 } };
      progress.note(exchangeOf({ id: "long", status: "IN_QUEUE" }, { operation: "run", sent }));
      const sinceMs = passing(30_000);
      waitTwiceInVain(progress, sinceMs);
      expect(progress.isStuck).toBe(isStuck);
      vi.advanceTimersByTime(94_000);
      waitTwiceInVain(progress, sinceMs + 2);
      expect(progress.isStuck).toBe(true);
    },
  );

  test.each([
    { what: "is answered", status: 200, isTold: true },
    { what: "is refused", status: 400, isTold: true },
    { what: "took too long", status: 408, isTold: false },
    { what: "gets no answer", status: undefined, isTold: false },
  ])("a long job that runsync holds keeps a worker busy; it $what", async ({ status, isTold }) => {
    const answer = status === undefined ? undefined : exchangeOf({}, { status }).answer;
    const { progress, discovery } = watched();
    const answered = createDeferred();
    const send = progress.watching(async () => {
      await answered.promise;
      return {
        answer,
        failure: undefined,
        sentAtMs: 0,
        answeredAtMs: 0,
      };
    });
    const body = JSON.stringify({ input: { op: "stream", count: 60, intervalMs: 500 } });
    const request = { method: "POST", url: "http://127.0.0.1:9", headers: {}, body } as const;
    const context = { operation: "runsync", endpointId: "e", hasOwnTimeout: false } as const;
    const sending = send(
      { ...request, timeoutMs: 1000, signal: undefined },
      { ...context, jobId: undefined },
    );
    const sinceMs = passing(21_000);
    waitTwiceInVain(progress, sinceMs);
    expect(progress.isStuck).toBe(false);
    answered.resolve();
    await sending;
    waitTwiceInVain(progress, sinceMs);
    expect(progress.isStuck).toBe(isTold);
    expect(discovery.seenOfJobs.work.held.size).toBe(isTold ? 0 : 1);
  });

  test("a wait during which no job was seen unfinished shows nothing of the workers", () => {
    const { progress } = watched();
    const sinceMs = passing(21_000);
    progress.waitedInVain(sinceMs);
    progress.waitedInVain(sinceMs + 1);
    expect(progress.isStuck).toBe(false);
    waitTwiceInVain(progress, sinceMs);
    expect(progress.isStuck).toBe(true);
  });

  test("a job that was cancelled at work may keep its worker for as long as it would have worked", () => {
    const { discovery, progress } = watched();
    const sent = { input: { op: "sleep", ms: 60_000 } };
    const times = { sentAtMs: monotonicNowMs(), answeredAtMs: monotonicNowMs() };
    for (const seen of [
      exchangeOf({ id: "long", status: "IN_QUEUE" }, { operation: "run", sent }),
      exchangeOf({ id: "long", status: "IN_PROGRESS" }),
      exchangeOf({ id: "long", status: "CANCELLED" }, { operation: "cancel" }),
    ]) {
      const exchange = { ...seen, ...times };
      learnKeptWorkers(discovery, exchange);
      progress.note(exchange);
    }
    const sinceMs = monotonicNowMs() + 1;
    for (const isStuck of [false, true]) {
      vi.advanceTimersByTime(31_000);
      waitTwiceInVain(progress, sinceMs);
      expect(progress.isStuck).toBe(isStuck);
    }
  });

  test("where cancel is known to free no worker, a check waits for one until the work is done", async () => {
    const { discovery, progress } = watched();
    const { jobs } = discovery.seenOfJobs.work;
    const nowMs = monotonicNowMs();
    const submitted = { sentAtMs: nowMs, submittedAtMs: nowMs, queuedAtMs: nowMs, workMs: 5000 };
    const begun = { earliestMs: nowMs, latestMs: nowMs };
    const cancel = exchangeOf({ id: "a", status: "CANCELLED" }, { operation: "cancel" });
    jobs.set("a", { ...submitted, isUsual: true, stoppedMs: 0, begun, cancel });
    await expect(progress.untilWorkersAreLeft(false, undefined)).resolves.toBeUndefined();
    discovery.learn({ id: keptWorkers, topic: "cancel", text: "", adapted: "", seen: [cancel] });
    const waited = progress.untilWorkersAreLeft(false, undefined).then(() => "free");
    expect(await Promise.race([waited, vi.advanceTimersByTimeAsync(4000)])).not.toBe("free");
    await vi.advanceTimersByTimeAsync(1200);
    expect(await waited).toBe("free");
  });

  test("where cancel frees no worker, a wait in vain shows nothing", () => {
    const { discovery, progress } = watched();
    discovery.learn({ id: keptWorkers, topic: "cancel", text: "", adapted: "", seen: [] });
    const sinceMs = passing(60_000);
    waitTwiceInVain(progress, sinceMs);
    expect(progress.isStuck).toBe(false);
  });

  test("a job that waits or was cancelled shows nothing of the workers", () => {
    const { progress } = watched();
    const sinceMs = passing(21_000);
    progress.note(exchangeOf({ id: "a", status: "CANCELLED" }));
    progress.note(exchangeOf({ id: "c", status: "IN_QUEUE" }));
    waitTwiceInVain(progress, sinceMs);
    expect(progress.isStuck).toBe(true);
  });
});
