import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { Redactor } from "../client/redactor.ts";
import { monotonicNowMs } from "../client/exchange.ts";
import { Discovery } from "./discovery/discovery.ts";
import { JobProgress } from "./job-progress.ts";
import { exchangeOf } from "../test/harness/exchange.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watched(): { readonly discovery: Discovery; readonly progress: JobProgress } {
  const discovery = new Discovery(new Redactor());
  const progress = new JobProgress(discovery);
  const sent = { input: {}, policy: "text" };
  progress.note(exchangeOf({ id: "a", status: "IN_QUEUE" }, { operation: "run", sent }));
  return { discovery, progress };
}

describe("where jobs of the run are awaited in vain", () => {
  test("one wait may be chance, and after two nobody waits any more", () => {
    const { discovery, progress } = watched();
    const sinceMs = monotonicNowMs();
    vi.advanceTimersByTime(5000);
    progress.waitedInVain(sinceMs);
    progress.waitedInVain(sinceMs);
    expect(progress.isStuck).toBe(false);
    progress.waitedInVain(sinceMs + 1);
    expect(progress.isStuck).toBe(true);
    expect(discovery.facts[0]?.text).toContain(
      'the first that stays is of POST run {"input":{},"policy":"text"}',
    );
  });

  test("a job that begins or ends shows that others may", () => {
    const { discovery, progress } = watched();
    const sinceMs = monotonicNowMs();
    vi.advanceTimersByTime(5000);
    progress.waitedInVain(sinceMs);
    progress.note(exchangeOf({ id: "b", status: "COMPLETED" }));
    progress.waitedInVain(sinceMs);
    expect(progress.isStuck).toBe(false);
    expect(discovery.learned).toEqual([]);
  });

  test("a job that waits or was cancelled shows nothing of the workers", () => {
    const { progress } = watched();
    const sinceMs = monotonicNowMs();
    vi.advanceTimersByTime(5000);
    progress.note(exchangeOf({ id: "a", status: "CANCELLED" }));
    progress.note(exchangeOf({ id: "c", status: "IN_QUEUE" }));
    progress.waitedInVain(sinceMs);
    progress.waitedInVain(sinceMs + 1);
    expect(progress.isStuck).toBe(true);
  });
});
