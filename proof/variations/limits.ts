import { instead, replace, result } from "../faults/builders/member.ts";
import {
  FixedAligned,
  Gcra,
  SlidingCounter,
  SlidingLog,
  TokenBucket,
} from "../../reference/limiters.ts";
import { variation, type Variation } from "./variation.ts";

const windowMs = 10_000;

/** How limits are kept: in which kind of window, at which moment, and how a refusal looks. */
export const limitVariations: readonly Variation[] = [
  variation("limits/fixed-aligned", {
    describe: "Windows begin at multiples of ten seconds, whenever the requests come.",
    shows: { "RATE-14": "fixed" },
    change: replace("limits.limiterOf", () => new FixedAligned(windowMs)),
  }),
  variation("limits/sliding-log", {
    describe: "Every accepted request counts for ten seconds from its own moment.",
    shows: { "RATE-14": "sliding log" },
    change: replace("limits.limiterOf", () => new SlidingLog(windowMs)),
  }),
  variation("limits/sliding-log-of-all-requests", {
    describe: "Every request counts for ten seconds from its own moment, refused or not.",
    shows: { "RATE-14": "sliding log" },
    change: replace(
      "limits.limiterOf",
      () => new SlidingLog(windowMs, { remembersRefusals: true }),
    ),
  }),
  variation("limits/sliding-counter", {
    describe: "The window before counts in proportion to how much of it is still covered.",
    shows: { "RATE-14": "sliding counter" },
    change: replace("limits.limiterOf", () => new SlidingCounter(windowMs)),
  }),
  variation("limits/sliding-counter-of-all-requests", {
    describe: "The same, and what is refused counts, too.",
    shows: { "RATE-14": "sliding counter" },
    change: replace(
      "limits.limiterOf",
      () => new SlidingCounter(windowMs, { remembersRefusals: true }),
    ),
  }),
  variation("limits/token-bucket", {
    describe: "A bucket of tokens is full at first and fills up evenly.",
    shows: { "RATE-14": "token bucket" },
    change: replace("limits.limiterOf", () => new TokenBucket(windowMs)),
  }),
  variation("limits/arrival-times", {
    describe: "The time at which the next request is due moves on with each one (GCRA).",
    shows: { "RATE-14": "token bucket" },
    change: replace("limits.limiterOf", () => new Gcra(windowMs)),
  }),
  variation("limits/counted-after-the-body", {
    describe: "Limits are looked at once the whole request is there.",
    change: () => ({ limits: { waitForTheBody: true } }),
  }),
  variation("limits/counted-before-the-key", {
    describe: "Requests without a valid key count as well, and are refused for a limit first.",
    change: () => ({ limits: { comeBeforeTheKey: true } }),
  }),
  variation("limits/refusals-for-the-cap-count", {
    describe: "A request that is refused for the cap uses up a part of its window.",
    change: () => ({ limits: { countsCapRefusals: true } }),
  }),
  variation("limits/retry-after", {
    describe: "A 429 says that ten seconds will do.",
    change: () => ({
      transport: {
        headers: (_operation, status) => (status === 429 ? { "retry-after": "10" } : {}),
      },
    }),
  }),
  variation("limits/refusals-with-an-id-of-their-own", {
    describe: "The body of a 429 has an id that is not that of a job.",
    change: result("operations.errorBody", (body, status, _title, detail) =>
      status === 429 ? { id: "req-1", code: "too_many_requests", message: detail } : body,
    ),
  }),
  variation("limits/refusals-without-a-body", {
    describe: "A 429 has no body.",
    change: instead("operations.errorBody", undefined, (status) => status === 429),
  }),
];
