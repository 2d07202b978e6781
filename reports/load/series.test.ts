import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LoadSamples, LoadSeries } from "../model.ts";
import { aggregateLoad } from "./series.ts";

interface Request {
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly status: number;
  readonly intendedMs?: number;
}

function samplesOf(requests: readonly Request[], rest: Partial<LoadSamples> = {}): LoadSamples {
  return {
    name: "a trace",
    clock: "real",
    sentMs: Float64Array.from(requests, ({ sentMs }) => sentMs),
    answeredMs: Float64Array.from(requests, ({ answeredMs }) => answeredMs),
    status: Uint16Array.from(requests, ({ status }) => status),
    ...rest,
  };
}

function aggregated(samples: LoadSamples): LoadSeries | undefined {
  const [result] = aggregateLoad([
    { scenario: "s", engine: "probe", figures: {}, requirements: [], samples: [samples] },
  ]);
  return result?.series?.[0];
}

const request: fc.Arbitrary<Request> = fc
  .record({
    sentMs: fc.double({ min: -5, max: 400_000, noNaN: true }),
    tookMs: fc.oneof(fc.double({ min: 0, max: 5000, noNaN: true }), fc.constant(Number.NaN)),
    code: fc.constantFrom(200, 204, 429, 400, 500),
  })
  .map(({ sentMs, tookMs, code }) => ({
    sentMs,
    answeredMs: sentMs + tookMs,
    status: Number.isNaN(tookMs) ? 0 : code,
  }));

function sum(counts: readonly number[] = []): number {
  return counts.reduce((total, count) => total + count, 0);
}

describe("aggregateLoad", () => {
  test("counts by 100 ms what was sent, accepted and refused, and what was in flight at most", () => {
    const series = aggregated(
      samplesOf([
        { sentMs: 10, answeredMs: 20, status: 200 },
        { sentMs: 20, answeredMs: 350, status: 200 },
        { sentMs: 30, answeredMs: 40, status: 429 },
        { sentMs: 210, answeredMs: 310, status: 500 },
      ]),
    );

    expect(series).toMatchObject({ requests: 4, fromMs: 0, binMs: 100 });
    expect(series?.bins).toEqual({
      sent: [3, 0, 1, 0],
      accepted: [2, 0, 0, 0],
      refused: [1, 0, 0, 0],
      failed: [0, 0, 1, 0],
      inFlight: [2, 1, 2, 2],
      p50Ms: [10, null, 100, null],
      p99Ms: [330, null, 100, null],
    });
    expect(series?.latency).toMatchObject({ count: 4, p50Ms: 10, p99Ms: 330, maxMs: 330 });
  });

  test("tells how late the generator was", () => {
    const intendedMs = Float64Array.of(0, 100);
    const requests = [
      { sentMs: 1, answeredMs: 2, status: 200 },
      { sentMs: 140, answeredMs: 142, status: 200 },
    ];
    const series = aggregated(samplesOf(requests, { intendedMs }));

    expect(series?.scheduleError).toMatchObject({ count: 2, p50Ms: 1, maxMs: 40 });
    expect(series?.bins.lateMs).toEqual([1, 40]);
  });

  test("keeps an unanswered request in flight, and out of the latencies", () => {
    const series = aggregated(
      samplesOf([
        { sentMs: 0, answeredMs: Number.NaN, status: 0 },
        { sentMs: 250, answeredMs: 260, status: 200 },
      ]),
    );
    expect(series?.bins.inFlight).toEqual([1, 1, 2]);
    expect(series?.latency?.count).toBe(1);
  });

  test("loses no request and agrees with a count one by one, whatever the trace", () => {
    const faithful = fc.property(fc.array(request, { minLength: 1, maxLength: 60 }), (requests) => {
      const series = aggregated(samplesOf(requests));
      const { bins, latency } = series ?? {};
      const ofStatus = (...wanted: readonly number[]): number =>
        requests.filter(({ status }) => wanted.includes(status)).length;
      const answered = requests.length - ofStatus(0);

      expect([bins?.sent, bins?.accepted, bins?.refused].map(sum)).toEqual([
        requests.length,
        ofStatus(200, 204),
        ofStatus(429),
      ]);
      expect([latency?.count ?? 0, sum(latency?.histogram.counts)]).toEqual([answered, answered]);
      const lengths = new Set(Object.values(bins ?? {}).map((list) => list.length));
      expect(lengths.size).toBe(1);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(1200);
      expect(Math.max(...(bins?.inFlight ?? []))).toBe(mostInFlight(requests));
    });
    fc.assert(faithful, { numRuns: 200 });
  });

  test("shares the room of a report among many traces", () => {
    const trace = samplesOf([
      { sentMs: 0, answeredMs: 1, status: 200 },
      { sentMs: 100_000, answeredMs: 100_001, status: 200 },
    ]);
    const [result] = aggregateLoad([
      {
        scenario: "s",
        engine: "probe",
        figures: {},
        requirements: [],
        samples: Array.from({ length: 100 }, () => trace),
      },
    ]);
    expect(result?.series).toHaveLength(100);
    expect(result?.series?.[0]).toMatchObject({ binMs: 1000 });
    expect(result).not.toHaveProperty("samples");
  });

  test("leaves out a trace without a request", () => {
    expect(aggregated(samplesOf([]))).toBeUndefined();
  });
});

/** Applies the definition: counts, at each sending, the requests sent until then and not yet answered. */
function mostInFlight(requests: readonly Request[]): number {
  const at = (ms: number): number =>
    requests.filter(({ sentMs, answeredMs }) => sentMs <= ms && !(answeredMs <= ms)).length;
  return Math.max(0, ...requests.map(({ sentMs }) => at(sentMs)));
}
