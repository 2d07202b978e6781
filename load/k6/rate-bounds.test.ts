import { array, assert, constantFrom, double, integer, property, record } from "fast-check";
import type { Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";

import { ratePhases } from "../../scenarios/rate.ts";
import type { RatePhase } from "../../scenarios/rate.ts";
import { tiers, windowMs } from "../../openapi/operations.ts";
import { limiterKinds, startLimiter } from "../limiters/kinds.ts";
import type { LimiterModel } from "../limiters/kinds.ts";
import { acceptedBounds } from "./accepted-bounds.ts";

const phases = tiers
  .flatMap(ratePhases)
  .map((phase) => ({ name: `${phase.tier.operation} ${phase.level}`, phase }));

const conforming = limiterKinds.flatMap(({ name, limitsIn }) =>
  limitsIn === undefined ? [] : [name],
);

describe("what a phase may let through", () => {
  test.each(phases)("holds for every conforming limiter: $name", ({ phase }) => {
    assert(
      property(
        constantFrom(...conforming),
        integer({ min: 0, max: windowMs - 1 }),
        schedules(phase),
        (kind, phaseMs, { errorMs, arrivalsMs }) => {
          const limit = phase.tier.limit;
          const accepted = admitted({ kind, limit, windowMs, phaseMs }, arrivalsMs);
          const bounds = acceptedBounds(phase, { sent: arrivalsMs.length, errorMs });
          expect(accepted).toBeGreaterThanOrEqual(bounds.min);
          expect(accepted).toBeLessThanOrEqual(bounds.max);
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });

  // At most nine requests of purge-queue are sent: the probe has to find a limit there that is two too high.
  const large = phases.filter(({ phase }) => phase.tier.limit >= 10);

  test.each(large.filter(({ phase }) => phase.level === "above"))(
    "does not hold for a limit twice as high: $name",
    ({ phase }) => {
      const doubled = 2 * phase.tier.limit;
      expect(isWithin(phase, { kind: "fixed aligned", limit: doubled, windowMs })).toBe(false);
      const counting = "sliding log counting refusals";
      const limit = phase.tier.limit;
      expect(isWithin(phase, { kind: counting, limit, windowMs })).toBe(false);
    },
  );

  test.each(large.filter(({ phase }) => phase.level === "at"))(
    "does not hold for a window of 20 s: $name",
    ({ phase }) => {
      const limit = phase.tier.limit;
      const doubled = { kind: "fixed from first request", limit, windowMs: 2 * windowMs } as const;
      expect(isWithin(phase, doubled)).toBe(false);
    },
  );
});

interface Schedule {
  readonly errorMs: number;
  readonly arrivalsMs: readonly number[];
}

/** Requests at a constant rate, each late by less than the error, a few missing. */
function schedules(phase: RatePhase): Arbitrary<Schedule> {
  const { requestsPerWindow, durationMs, sent, errorMsMax } = phase;
  const spacingMs = windowMs / requestsPerWindow;
  return record({
    share: constantFrom(0, 0.001, 0.01, 0.1, 0.5, 1),
    // Stalls hurt more than noise: all that was due meanwhile comes at once, at their end.
    stalls: array(double({ min: 0, max: durationMs, noNaN: true }), { maxLength: 6 }),
    noise: array(double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 17 }),
    missing: integer({ min: 0, max: (durationMs / windowMs) * requestsPerWindow - sent.min }),
  }).map(({ share, stalls, noise, missing }) => {
    const errorMs = share * errorMsMax;
    const due = Array.from({ length: (durationMs / windowMs) * requestsPerWindow + 1 }, (_, i) => i)
      .filter((i) => i >= missing)
      .map((i) => i * spacingMs);
    const arrivalsMs = due.map((atMs, index) => {
      const stall = stalls.find((fromMs) => atMs >= fromMs && atMs < fromMs + errorMs);
      return stall === undefined
        ? atMs + (noise[index % noise.length] ?? 0) * errorMs
        : stall + errorMs;
    });
    return { errorMs, arrivalsMs: arrivalsMs.toSorted((a, b) => a - b) };
  });
}

function isWithin(phase: RatePhase, model: LimiterModel): boolean {
  const { requestsPerWindow, durationMs } = phase;
  const planned = (durationMs / windowMs) * requestsPerWindow;
  const spacingMs = windowMs / requestsPerWindow;
  const arrivalsMs = Array.from({ length: planned }, (_, i) => i * spacingMs);
  const accepted = admitted(model, arrivalsMs);
  const { min, max } = acceptedBounds(phase, { sent: planned, errorMs: 10 });
  return accepted >= min && accepted <= max;
}

function admitted(model: LimiterModel, arrivalsMs: readonly number[]): number {
  const take = startLimiter(model);
  return arrivalsMs.reduce((sum, atMs) => sum + take(atMs, 1), 0);
}
