import { tierOf, tiers, windowMs } from "../../openapi/operations.ts";
import type { OperationName, Tier } from "../../openapi/operations.ts";
import type { RequestForm } from "../../reference/behaviour/limits.ts";
import type { Fault } from "../../reference/faults.ts";
import { FixedFromFirst } from "../../reference/limiters.ts";
import type { Limiter } from "../../reference/limiters.ts";
import { all, fault } from "./builders/compose.ts";
import { on } from "./builders/conditions.ts";
import { instead, result } from "./builders/member.ts";
import { sharedBy, asOne } from "./builders/scopes.ts";

function newWindow(): Limiter {
  return new FixedFromFirst(windowMs);
}

const sharedFaults: readonly Fault[] = [
  fault("rate/status-and-stream-share", ["RATE-10"], {
    describe: "status and stream use up one count.",
    change: () => ({ limits: { limiterOf: sharedBy(newWindow, asOne("status", "stream")) } }),
  }),
  fault("rate/shared-among-endpoints", ["RATE-11"], {
    describe: "All endpoints use up one count for each operation.",
    change: () => ({ limits: { limiterOf: sharedBy(newWindow, ({ operation }) => operation) } }),
  }),
];

/** Requests of one operation that a server counts apart by what no limit depends on. */
function countedApart(
  { operation, rate, concurrency }: Pick<Tier, "operation" | "rate" | "concurrency">,
  by: keyof RequestForm,
  describe: string,
): Fault {
  return fault(
    `rate/${operation}-apart-by-${by}`,
    [rate, ...(concurrency === undefined ? [] : [concurrency])],
    {
      describe,
      change: result("limits.countedAs", (name, each, form) =>
        each === operation ? `${name} ${form[by]}` : name,
      ),
    },
  );
}

const apartFaults: readonly Fault[] = [
  countedApart(tierOf("status"), "below", "Each job has a limit of its own for its status."),
  countedApart(tierOf("stream"), "below", "Each job has a limit of its own for its stream."),
  countedApart(tierOf("openai"), "below", "Each path below openai has a limit of its own."),
  countedApart(tierOf("runsync"), "query", "runsync has a limit for each wait."),
  countedApart(tierOf("status"), "query", "status has another limit when it sets a ttl."),
  ...tiers.map((tier) =>
    countedApart(
      tier,
      "authorization",
      `${tier.operation} has one limit for the bare key and another for the key after Bearer.`,
    ),
  ),
];

/** An operation without a stated limit uses up that of another. */
function countedWith(operation: OperationName, other: Tier): Fault {
  return fault(`rate/${operation}-counts-as-${other.operation}`, ["RATE-10"], {
    describe: `Requests of ${operation} are counted as such of ${other.operation}.`,
    change: all(
      instead("limits.countedAs", other.operation, on(operation)),
      instead("limits.requestsPerWindow", other.limit, on(operation)),
    ),
  });
}

/** Faults of what a limit belongs to: one operation of one endpoint, whatever its requests are like. */
export const scopeFaults: readonly Fault[] = [
  ...sharedFaults,
  ...apartFaults,
  countedWith("retry", tierOf("run")),
  countedWith("retry", tierOf("cancel")),
  countedWith("health", tierOf("status")),
];
