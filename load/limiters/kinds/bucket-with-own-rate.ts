import { isNear } from "../distance.ts";
import type { LimiterKind } from "../kind.ts";
import { startTokenBucket, tokenBucket } from "./token-bucket.ts";

/** A bucket whose capacity is not the declared limit and that does not fill up in the declared window. */
export const bucketWithOwnRate: LimiterKind = {
  name: "bucket with its own rate",
  reading: "token bucket",
  start: ({ limit, windowMs }) => startTokenBucket(limit, windowMs),
  recognise: (found, { limit, windowMs }) => {
    const isDeclared =
      Math.abs(found.limit - limit) <= 1 ||
      isNear(found.limit, limit) ||
      isNear(found.windowMs, windowMs);
    return found.kind === tokenBucket.name && !isDeclared ? found : undefined;
  },
};
