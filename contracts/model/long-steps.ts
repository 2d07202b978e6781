import * as fc from "fast-check";

import { echo, fail, onJob, setWorkers } from "./steps.ts";
import type { Step, StepPolicy, StepWork } from "./steps.ts";

/*
 * Every moment of a long sequence is a multiple of 10 ms, and the runner does nothing at the moment of an event, so that
 * no step falls on a boundary (docs/specification.md#moments).
 */
const rest = fc.integer({ min: 0, max: 98 }).map((hundredths) => hundredths * 10);

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

function spanMs(unitMs: number, most: number): fc.Arbitrary<number> {
  return fc
    .tuple(fc.integer({ min: 0, max: most }), rest)
    .map(([units, ms]) => units * unitMs + ms);
}

/** Never whole seconds, as limits are. */
const sleep: fc.Arbitrary<StepWork> = fc
  .oneof(
    { weight: 6, arbitrary: spanMs(secondMs, 15) },
    { weight: 2, arbitrary: spanMs(minuteMs, 9) },
  )
  .map((ms) => ({ op: "sleep", ms: ms + 10 }));

/** Mostly a few jobs, at times as many as a page or a batch of a server holds. */
const count = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 6 }) },
  { weight: 3, arbitrary: fc.integer({ min: 10, max: 30 }) },
);

const characters = fc.oneof(
  { weight: 20, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(1000, 70_000) },
);

function submission(work: fc.Arbitrary<StepWork>, policy: fc.Arbitrary<StepPolicy>) {
  return fc.record({ do: fc.constant("submit" as const), work, policy, count, characters });
}

const noPolicy = fc.constant<StepPolicy>({});
const executionTimeout = fc.record({ executionTimeout: fc.constantFrom(5000, 9000, minuteMs) });
/** No sum of whole seconds, so that a job seldom expires at the moment at which another one's time is up. */
const ttl = fc.record({ ttl: fc.constantFrom(10_130, minuteMs + 370, hourMs + 710) });

/** As in short sequences, only work that cannot be retried is given a ttl. */
const submit: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: submission(sleep, noPolicy) },
  { weight: 3, arbitrary: submission(echo, noPolicy) },
  { weight: 2, arbitrary: submission(fail, noPolicy) },
  { weight: 2, arbitrary: submission(sleep, executionTimeout) },
  { weight: 2, arbitrary: submission(echo, ttl) },
  { weight: 1, arbitrary: submission(sleep, ttl) },
);

/** Seconds for what works, minutes and hours for what has ended, and days for what waits. */
const advance: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 12, arbitrary: spanMs(secondMs, 15) },
    { weight: 3, arbitrary: spanMs(minuteMs, 20) },
    { weight: 2, arbitrary: spanMs(hourMs, 30) },
  )
  .map((ms) => ({ do: "advance", ms }));

const job = fc.nat({ max: 10_000 });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: submit },
  { weight: 7, arbitrary: advance },
  { weight: 3, arbitrary: fc.nat({ max: 12 }).map(setWorkers) },
  { weight: 4, arbitrary: job.map(onJob("cancel")) },
  { weight: 8, arbitrary: job.map(onJob("retry")) },
  { weight: 1, arbitrary: job.map(onJob("stream")) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "purge" }) },
);

/** Random sequences of up to hundreds of steps and of jobs. They shrink to a few. */
export const longSequences: fc.Arbitrary<readonly Step[]> = fc.noBias(
  fc.array(anyStep, { minLength: 1, maxLength: 500, size: "max" }),
);
