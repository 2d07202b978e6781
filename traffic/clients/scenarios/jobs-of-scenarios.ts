import { setTimeout as pause } from "node:timers/promises";
import type { HandlerFunction } from "../../../reference/own-handler.ts";

// What the jobs of scenarios do, and the words that tell of it.

/** What the handler fails with. */
export const cause = "the model ran out of memory at layer 17";

/** Fails at once. */
export const failing = (): HandlerFunction => () => {
  throw new Error(cause);
};

/** Works until it is stopped. */
export const endless =
  (): HandlerFunction =>
  async (_input, { signal }) => {
    await pause(3_600_000, undefined, { signal }).catch(() => undefined);
  };

/** Returns the output after that time. */
export const afterMs =
  (ms: number, output: unknown): (() => HandlerFunction) =>
  () =>
  async (_input, { signal }) => {
    await pause(ms, undefined, { signal });
    return output;
  };

/** What jobs return where nothing else is said. */
export const done = { words: ["three", "short", "words"], tokens: 3 };

/** Words that tell of a trouble, one of which has to be in what a program prints. */
export const words = {
  failed: [/memory at layer 17/],
  timedOut: [/TIMED[_ ]?OUT/i],
  cancelled: [/CANCELL?ED/i],
  tooMany: [/429/, /too many/i, /rate.?limit/i],
  badRequest: [/400/, /bad request/i],
  unauthorized: [/401/, /unauthori[sz]ed/i],
  notFound: [/404/, /not.?found/i],
  serverError: [/500/, /server error/i],
  missing: [/404/, /not.?found/i, /expired/i, /missing/i, /gone/i, /time/i],
} as const;
