import { isSubmission } from "../../openapi/operations.ts";
import { setTimeout as pause } from "node:timers/promises";

import type { OperationName, Tier } from "../../openapi/operations.ts";
import { manyWorkers } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import type { Tally } from "./tally.ts";

/** Operations on a real clock begin so far apart that their bursts are 0.4 s from each other or more. */
export const staggerMs = 1_500;

/** What an exhausted operation showed of others. */
interface Shown {
  readonly others: ReadonlyMap<OperationName, Tally>;
}

/**
 * Records the traces of several operations side by side on the one endpoint that all checks share. This relies on
 * independent limits (RATE-10): where the traces show otherwise, all are dropped, and each operation has to be
 * recorded by itself. Operations without jobs come first, because what they show saves requests of the others. cancel
 * is left out, because its jobs keep the workers busy.
 */
export async function recordSideBySide<Seen extends Shown>(
  session: LoadSession,
  wanted: readonly Tier[],
  record: (session: LoadSession, tier: Tier) => Promise<Seen>,
): Promise<ReadonlyMap<OperationName, Promise<Seen>>> {
  const together = wanted.filter(({ operation }) => operation !== "cancel");
  if (together.length < 2) return new Map();
  // The job that cancel is tried on, and that status and stream read, has to be there before run is exhausted.
  await (await session.endpoint(manyWorkers)).ensureEndedJob();
  const free = together.filter(({ operation }) => !isSubmission(operation));
  const dear = together.filter(({ operation }) => isSubmission(operation));
  const recorded = new Map<OperationName, Promise<Seen>>();
  for (const group of [free, dear]) {
    // The larger limit first: of two operations that share a count, the smaller is used up with it.
    const sorted = group.toSorted((one, other) => other.limit - one.limit);
    const begun = sorted.map((tier, at) => {
      const one = pause(at * staggerMs).then(() => record(session, tier));
      recorded.set(tier.operation, one);
      return one;
    });
    // Whoever asks for a failed one later gets its error.
    const seen = await Promise.allSettled(begun);
    const areApart = seen.every((one) => one.status === "rejected" || isApart(one.value));
    if (!areApart) return new Map();
  }
  return recorded;
}

function isApart({ others }: Shown): boolean {
  return [...others.values()].every(({ refused }) => refused === 0);
}
