import { cappedTiers } from "../../openapi/operations.ts";
import type { CappedTier } from "../../openapi/operations.ts";
import type { InFlightCount } from "../../reference/behaviour/limits.ts";
import type { Fault } from "../../reference/faults.ts";
import { on } from "./builders/conditions.ts";
import { fault } from "./builders/compose.ts";
import { except, result } from "./builders/member.ts";
import { sharedBy, asOne } from "./builders/scopes.ts";

function capFault({ operation, concurrency, cap }: CappedTier, difference: number): Fault {
  const how = difference > 0 ? "over" : "short";
  return fault(`concurrency/${operation}-one-${how}`, [concurrency], {
    describe: `Up to ${cap + difference} requests of ${operation} may be in flight.`,
    change: result("limits.inFlightMax", (max, each) =>
      each === operation ? max + difference : max,
    ),
  });
}

function newCount(): InFlightCount {
  return { count: 0 };
}

/** A count whose changes take effect 2 ms later, so that other requests still read the old one. */
class LateCount implements InFlightCount {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  set count(value: number) {
    const change = value - this.#count;
    setTimeout(() => (this.#count += change), 2);
  }
}

const everyCap = cappedTiers.map(({ concurrency }) => concurrency);

export const concurrencyFaults: readonly Fault[] = [
  ...cappedTiers.flatMap((row) => [capFault(row, 1), capFault(row, -1)]),
  fault("concurrency/no-caps", everyCap, {
    describe: "Any number of requests may be in flight.",
    change: () => ({ limits: { inFlightMax: () => Number.POSITIVE_INFINITY } }),
  }),
  fault("concurrency/refused-with-503", everyCap, {
    describe: "A request above a cap answers 503.",
    change: () => ({ limits: { refusalStatus: () => 503 } }),
  }),
  fault("concurrency/broken-off-keeps-its-place", ["CONC-08"], {
    describe: "A request whose client broke off stays counted for ever.",
    change: () => ({ limits: { freesPlace: (_operation, how) => how === "answered" } }),
  }),
  fault("concurrency/answered-keeps-its-place", ["CONC-08"], {
    describe: "A request of stream stays counted when it was answered.",
    change: except("limits.freesPlace", on("stream")),
  }),
  fault("concurrency/shared-among-operations", ["CONC-09"], {
    describe: "status, stream and runsync share one cap.",
    change: () => ({
      limits: { inFlightOf: sharedBy(newCount, asOne("status", "stream", "runsync")) },
    }),
  }),
  fault("concurrency/shared-among-endpoints", ["CONC-09"], {
    describe: "All endpoints share one cap for each operation.",
    change: () => ({ limits: { inFlightOf: sharedBy(newCount, ({ operation }) => operation) } }),
  }),
  fault("concurrency/cap-per-process", everyCap, {
    describe: "Two processes share the requests and count each for itself: twice the cap.",
    change: result("limits.inFlightMax", (max) => 2 * max),
  }),
  fault("concurrency/check-then-count", everyCap, {
    describe: "A request takes its place some time after the cap was looked at.",
    change: () => ({ limits: { inFlightOf: () => new LateCount() } }),
  }),
  fault("concurrency/counted-after-the-handler", ["CONC-01"], {
    describe: "A request takes its place once its operation was carried out.",
    change: () => ({ limits: { countsAtOnce: () => false } }),
  }),
  fault("concurrency/broken-off-in-its-body-keeps-its-place", ["CONC-08"], {
    describe: "A request that broke off in the middle of its body stays counted for ever.",
    change: () => ({ limits: { freesPlace: (_operation, how) => how !== "broken-off-in-body" } }),
  }),
  fault("concurrency/cancel-and-requests-share", ["CONC-09"], {
    describe: "cancel and requests share one cap.",
    change: () => ({ limits: { inFlightOf: sharedBy(newCount, asOne("cancel", "requests")) } }),
  }),
];
