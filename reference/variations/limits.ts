import type { LimitScope } from "../behaviour/limits.ts";
import { FixedAligned, Gcra, SlidingCounter, SlidingLog, TokenBucket } from "../limiters.ts";
import type { Limiter } from "../limiters.ts";
import type { Variation } from "../variation.ts";

const windowMs = 10_000;

interface Kind {
  readonly name: string;
  readonly describe: string;
  readonly reading: string;
  readonly limiterOf: (scope: LimitScope) => Limiter;
}

const kinds: readonly Kind[] = [
  {
    name: "fixed-aligned",
    describe: "Windows begin at multiples of ten seconds, whenever the requests come.",
    reading: "fixed",
    limiterOf: () => new FixedAligned(windowMs),
  },
  {
    name: "sliding-log",
    describe: "Every accepted request counts for ten seconds from its own moment.",
    reading: "sliding log",
    limiterOf: () => new SlidingLog(windowMs),
  },
  {
    name: "sliding-log-of-all-requests",
    describe: "Every request counts for ten seconds from its own moment, refused or not.",
    reading: "sliding log",
    limiterOf: () => new SlidingLog(windowMs, { remembersRefusals: true }),
  },
  {
    name: "sliding-counter",
    describe: "The window before counts in proportion to how much of it is still covered.",
    reading: "sliding counter",
    limiterOf: () => new SlidingCounter(windowMs),
  },
  {
    name: "sliding-counter-of-all-requests",
    describe: "The same, and what is refused counts, too.",
    reading: "sliding counter",
    limiterOf: () => new SlidingCounter(windowMs, { remembersRefusals: true }),
  },
  {
    name: "token-bucket",
    describe: "A bucket of tokens is full at first and fills up evenly.",
    reading: "token bucket",
    limiterOf: () => new TokenBucket(windowMs),
  },
  {
    name: "arrival-times",
    describe: "The time at which the next request is due moves on with each one (GCRA).",
    reading: "token bucket",
    limiterOf: () => new Gcra(windowMs),
  },
];

/** How limits are kept: in which kind of window, at which moment, and how a refusal looks. */
export const limitVariations: readonly Variation[] = [
  ...kinds.map(({ name, describe, reading, limiterOf }): Variation => ({
    name: `limits/${name}`,
    describe,
    shows: { "RATE-14": reading },
    change: () => ({ limits: { limiterOf } }),
  })),
  {
    name: "limits/counted-after-the-body",
    describe: "Limits are looked at once the whole request is there.",
    change: () => ({ limits: { waitForTheBody: true } }),
  },
  {
    name: "limits/counted-before-the-key",
    describe: "Requests without a valid key count as well, and are refused for a limit first.",
    change: () => ({ limits: { comeBeforeTheKey: true } }),
  },
  {
    name: "limits/refusals-for-the-cap-count",
    describe: "A request that is refused for the cap uses up a part of its window.",
    change: () => ({ limits: { countsCapRefusals: true } }),
  },
  {
    name: "limits/retry-after",
    describe: "A 429 says that ten seconds will do.",
    change: () => ({
      transport: {
        headers: (_operation, status) => (status === 429 ? { "retry-after": "10" } : {}),
      },
    }),
  },
  {
    name: "limits/refusals-with-an-id-of-their-own",
    describe: "The body of a 429 has an id that is not that of a job.",
    change: ({ operations }) => ({
      operations: {
        errorBody: (status, title, detail) =>
          status === 429
            ? { id: "req-1", code: "too_many_requests", message: detail }
            : operations.errorBody(status, title, detail),
      },
    }),
  },
  {
    name: "limits/refusals-without-a-body",
    describe: "A 429 has no body.",
    change: ({ operations }) => ({
      operations: {
        errorBody: (status, title, detail) =>
          status === 429 ? undefined : operations.errorBody(status, title, detail),
      },
    }),
  },
];
