import { describe, expect, test } from "vitest";

import { countingRefusals, declared, identified, kinds } from "../../test/load/simulate.ts";

describe("identify", () => {
  test.each(kinds)("never excludes %s, however long a burst takes", (kind) => {
    const stated = { limit: 1_000, windowMs: 10_000 };
    for (const windowMs of kind === countingRefusals ? [10_000] : [9_000, 11_000]) {
      const around = { latencyMs: [0.3, 300], lateMs: 20, atOnce: 64 } as const;
      const { remaining } = identified({ kind, windowMs }, around, stated);
      const truth = remaining.find((one) => one.kind === kind);
      expect(truth?.limits.least).toBeLessThanOrEqual(1_000);
      expect(truth?.limits.most).toBeGreaterThanOrEqual(1_000);
    }
  });

  test.each(kinds)("never excludes %s, whatever latency is drawn", (kind) => {
    for (const seed of [1, 2, 3, 4]) {
      const around = { latencyMs: [0.3, 60], lateMs: 20, atOnce: 10 } as const;
      const { remaining } = identified({ kind }, around, declared, seed);
      const truth = remaining.find((one) => one.kind === kind);
      expect(truth?.limits.least).toBeLessThanOrEqual(100);
      expect(truth?.limits.most).toBeGreaterThanOrEqual(100);
    }
  });

  test.each(kinds.map((kind) => ({ kind, limit: 1_001 })))(
    "tells a limit of $limit from 1000 where answers take time: $kind",
    (truth) => {
      const stated = { limit: 1_000, windowMs: 10_000 };
      const { remaining } = identified(truth, { latencyMs: [0.3, 3], atOnce: 64 }, stated);
      const { kind, limit } = truth;
      expect(remaining).toMatchObject([{ kind, limits: { least: limit, most: limit } }]);
    },
  );
});
