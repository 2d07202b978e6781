import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";

import { rulesFor } from "../client/request-rules.ts";

import { watchLoad } from "./load-watch.ts";
import type { LoadWatch } from "./load-watch.ts";

const stopped = "the load was stopped: 51 of the last 100 answers of the target were 5xx";

const baseUrl = "http://127.0.0.1:9";

afterEach(() => void vi.useRealTimers());

function watched(
  stopsOnServerErrors: boolean,
  interruption = new AbortController().signal,
): LoadWatch {
  const watch = watchLoad({
    baseUrl,
    rules: rulesFor({ baseUrl }),
    interruption,
    timeLimitMs: 5_000,
    stopsOnServerErrors,
  });
  onTestFinished(() => watch.stop());
  return watch;
}

describe("a load that is watched", () => {
  test("counts what is sent and what came of it", () => {
    const { meter, counts } = watched(true);
    for (const status of [200, 429, 503, 404, 0]) {
      meter.sent("GET /x");
      meter.answered(status, "GET /x");
    }
    expect(counts).toEqual({ sent: 5, over: 5, accepted: 1, refused: 1 });
  });

  test.each([
    { stopsOnServerErrors: true, good: 50, broken: 50, why: undefined },
    { stopsOnServerErrors: true, good: 49, broken: 51, why: stopped },
    { stopsOnServerErrors: true, good: 0, broken: 99, why: undefined },
    { stopsOnServerErrors: false, good: 0, broken: 500, why: undefined },
  ])(
    "another machine ($stopsOnServerErrors), $good good and $broken broken answers",
    ({ stopsOnServerErrors, good, broken, why }) => {
      const { meter, signal } = watched(stopsOnServerErrors);
      for (let at = 0; at < good; at += 1) meter.answered(200, "GET /x");
      for (let at = 0; at < broken; at += 1) meter.answered(500 + (at % 5), "GET /x");
      expect(signal.reason).toBe(why);
    },
  );

  test("is stopped soon by a target that breaks after a long time", () => {
    const { meter, signal } = watched(true);
    for (let at = 0; at < 50_000; at += 1) meter.answered(200, "GET /x");
    for (let at = 0; at < 500; at += 1) meter.answered(503, "GET /x");
    expect(signal.aborted).toBe(false);
    meter.answered(503, "GET /x");
    expect(signal.reason).toBe(
      "the load was stopped: 501 of the last 1000 answers of the target were 5xx",
    );
  });

  test("is stopped at its time limit", () => {
    vi.useFakeTimers();
    const { signal } = watched(false);
    vi.advanceTimersByTime(4_999);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.reason).toBe("the load was stopped at its time limit of 5 s");
  });

  test("is stopped by an interruption, also one that came before", () => {
    const controller = new AbortController();
    const { signal } = watched(false, controller.signal);
    expect(signal.aborted).toBe(false);
    controller.abort();
    expect(signal.aborted).toBe(true);
    expect(watched(false, controller.signal).signal.aborted).toBe(true);
  });
});
