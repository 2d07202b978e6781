import { tiers } from "../../openapi/operations.ts";
import type { Fault } from "../../reference/faults.ts";
import { fault } from "./builders/compose.ts";
import { result } from "./builders/member.ts";

/** Bugs in what the allowance of running workers adds to a limit (RATE-12). */
export const allowanceFaults: readonly Fault[] = [
  fault("rate/allowance-is-added", ["RATE-12"], {
    describe: "The allowance of the workers is added to the base.",
    change: () => ({ limits: { effective: (base, workers, each) => base + workers * each } }),
  }),
  fault("rate/allowance-is-ignored", ["RATE-12"], {
    describe: "The limit is the base, however many workers run.",
    change: () => ({ limits: { effective: (base) => base } }),
  }),
  fault("rate/allowance-replaces-the-base", ["RATE-12"], {
    describe: "With an allowance, the limit is the workers' share alone.",
    change: () => ({
      limits: {
        effective: (base, workers, each) => (each === 0 || workers === 0 ? base : workers * each),
      },
    }),
  }),
  fault("rate/allowance-counts-one-worker-less", ["RATE-12"], {
    describe: "One of the running workers brings no allowance.",
    change: () => ({
      limits: { effective: (base, workers, each) => Math.max(base, (workers - 1) * each) },
    }),
  }),
  ...tiers
    .filter(({ operation }) => operation !== "status")
    .map(({ operation, limit }) =>
      fault(`rate/allowance-spares-${operation}`, ["RATE-12"], {
        describe: `The allowance of running workers means nothing for ${operation}.`,
        change: result("limits.limiterOf", (right, scope) =>
          scope.operation === operation
            ? { take: (nowMs, most) => right.take(nowMs, Math.min(most, limit)) }
            : right,
        ),
      }),
    ),
];
