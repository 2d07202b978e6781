import { cappedTiers } from "../../openapi/index.ts";
import type { CappedTier } from "../../openapi/index.ts";
import type { InFlight, LimitScope } from "../behaviour/limits.ts";
import type { Fault } from "../fault.ts";

function capFault({ operation, concurrency, cap }: CappedTier, difference: number): Fault {
  const how = difference > 0 ? "over" : "short";
  return {
    name: `concurrency/${operation}-one-${how}`,
    breaks: [concurrency],
    describe: `Up to ${String(cap + difference)} requests of ${operation} may be in flight.`,
    change: ({ limits }) => ({
      limits: {
        inFlightMax: (each) => limits.inFlightMax(each) + (each === operation ? difference : 0),
      },
    }),
  };
}

/** Makes one count for each key and shares it among the scopes of that key. */
function sharedBy(keyOf: (scope: LimitScope) => string): (scope: LimitScope) => InFlight {
  const made = new Map<string, InFlight>();
  return (scope) => {
    const key = keyOf(scope);
    const inFlight = made.get(key) ?? { count: 0 };
    made.set(key, inFlight);
    return inFlight;
  };
}

/** Looks at the count and adds to it a little later. */
class LateCount implements InFlight {
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
  {
    name: "concurrency/no-caps",
    breaks: everyCap,
    describe: "Any number of requests may be in flight.",
    change: () => ({ limits: { inFlightMax: () => Number.POSITIVE_INFINITY } }),
  },
  {
    name: "concurrency/refused-with-503",
    breaks: everyCap,
    describe: "A request above a cap answers 503.",
    change: () => ({ limits: { refusalStatus: () => 503 } }),
  },
  {
    name: "concurrency/broken-off-keeps-its-place",
    breaks: ["CONC-08"],
    describe: "A request whose client broke off stays counted for ever.",
    change: () => ({ limits: { freesPlace: (_operation, how) => how === "answered" } }),
  },
  {
    name: "concurrency/answered-keeps-its-place",
    breaks: ["CONC-08"],
    describe: "A request of stream stays counted when it was answered.",
    change: () => ({ limits: { freesPlace: (operation) => operation !== "stream" } }),
  },
  {
    name: "concurrency/shared-among-operations",
    breaks: ["CONC-09"],
    describe: "status, stream and runsync share one cap.",
    change: () => ({
      limits: {
        inFlightOf: sharedBy(({ endpointId, operation }) =>
          operation === "stream" || operation === "runsync"
            ? `${endpointId} status`
            : `${endpointId} ${operation}`,
        ),
      },
    }),
  },
  {
    name: "concurrency/shared-among-endpoints",
    breaks: ["CONC-09"],
    describe: "All endpoints share one cap for each operation.",
    change: () => ({ limits: { inFlightOf: sharedBy(({ operation }) => operation) } }),
  },
  {
    name: "concurrency/cap-per-process",
    breaks: everyCap,
    describe: "Two processes share the requests and count each for itself: twice the cap.",
    change: ({ limits }) => ({ limits: { inFlightMax: (each) => 2 * limits.inFlightMax(each) } }),
  },
  {
    name: "concurrency/check-then-count",
    breaks: everyCap,
    describe: "A request takes its place some time after the cap was looked at.",
    change: () => ({ limits: { inFlightOf: () => new LateCount() } }),
  },
  {
    name: "concurrency/counted-after-the-handler",
    breaks: ["CONC-01"],
    describe: "A request takes its place once its operation was carried out.",
    change: () => ({ limits: { countsAtOnce: () => false } }),
  },
  {
    name: "concurrency/broken-off-in-its-body-keeps-its-place",
    breaks: ["CONC-08"],
    describe: "A request that broke off in the middle of its body stays counted for ever.",
    change: () => ({ limits: { freesPlace: (_operation, how) => how !== "broken-off-in-body" } }),
  },
  {
    name: "concurrency/cancel-and-requests-share",
    breaks: ["CONC-09"],
    describe: "cancel and requests share one cap.",
    change: () => ({
      limits: {
        inFlightOf: sharedBy(({ endpointId, operation }) =>
          operation === "requests" ? `${endpointId} cancel` : `${endpointId} ${operation}`,
        ),
      },
    }),
  },
];
