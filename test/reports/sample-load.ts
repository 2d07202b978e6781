import type { LoadResult, LoadSamples } from "../../reports/model.ts";

/** Returns a generator of numbers between 0 and 1, the same in every run (a linear congruential generator). */
export function steadyRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Makes a trace of `count` requests against a fixed window of 10 s that admits `limit` requests. */
export function sampleTrace(
  count: number,
  { limit = 1000, seed = 1, spanMs = 40_000 } = {},
): LoadSamples {
  const random = steadyRandom(seed);
  const windowMs = 10_000;
  const admitted = new Map<number, number>();
  const intendedMs = Float64Array.from({ length: count }, (_, at) => (at * spanMs) / count);
  const sentMs = intendedMs.map((ms) => ms + random() ** 8 * 20);
  const status = Uint16Array.from(sentMs, (ms) => {
    const window = Math.floor(ms / windowMs);
    const before = admitted.get(window) ?? 0;
    admitted.set(window, before + 1);
    return before < limit ? 200 : 429;
  });
  return {
    name: "run: a steady rate above the limit",
    operation: "run",
    clock: "real",
    intendedMs,
    sentMs,
    answeredMs: sentMs.map((ms) =>
      random() < 0.0005 ? Number.NaN : ms + 0.4 + random() ** 6 * 60,
    ),
    status,
    limit,
    windowMs,
    windows: [0, 1, 2, 3].map((at) => ({ fromMs: at * windowMs, toMs: (at + 1) * windowMs })),
    cap: 200,
  };
}

/** The results of the three engines for one limit. */
export function sampleLoad(
  samples: readonly LoadSamples[] = [sampleTrace(8000)],
): readonly LoadResult[] {
  return [
    {
      scenario: "rate/limit-of-run",
      engine: "probe",
      figures: { accepted: 1000, "refused beyond the limit": 3, requests: 1028 },
      requirements: ["RATE-02"],
      samples,
      limiter: {
        operation: "run",
        best: {
          kind: "fixed window from the first request",
          limit: 1000,
          windowMs: 10_000,
          differences: 0,
        },
        others: [
          { kind: "fixed window, aligned", limit: 1000, windowMs: 10_000, differences: 149 },
          { kind: "sliding log", limit: 1000, windowMs: 10_000, differences: 320 },
          { kind: "sliding counter", limit: 1000, windowMs: 10_000, differences: 547 },
          { kind: "token bucket", limit: 1000, windowMs: 10_000, differences: 611 },
        ],
        window: { shortestMs: 9999.2, longestMs: 10_001.4 },
      },
    },
    {
      scenario: "autocannon/rate-of-run",
      engine: "autocannon",
      figures: { accepted: 1000, refused: 3000, "p99 ms": 4.2 },
      requirements: ["RATE-02"],
    },
  ];
}

/** Load results in which every text is hostile. */
export function hostileLoad(text: string): readonly LoadResult[] {
  const trace = { ...sampleTrace(200), name: text, operation: text };
  const fit = { kind: text, limit: 1, windowMs: 1, differences: 1 };
  return [
    {
      scenario: text,
      engine: "probe",
      figures: { [text]: text },
      requirements: ["RATE-02"],
      samples: [trace],
      limiter: { operation: text, best: fit, others: [fit] },
    },
  ];
}
