import { describe, expect, test } from "vitest";

import { seededRandom } from "../harness/random.ts";
import { startReference } from "../reference/start-reference.ts";
import {
  causesOf,
  judge,
  judgeControlled,
  judgeFrom,
  told,
} from "../test/strangers/judge-stranger.ts";
import { apiKey, kinds } from "../test/strangers/kinds.ts";
import type { StrangerKind } from "../test/strangers/kinds.ts";
import { holdingRunsync } from "../test/strangers/other-conduct.ts";

/** A conforming server with several departures, or with the control protocol, gives exactly the causes of each. */

/** Three kinds that can be had together, the same ones for a seed. */
function combination(seed: number): readonly StrangerKind[] {
  const random = seededRandom(seed, "strangers");
  const chosen: StrangerKind[] = [];
  while (chosen.length < 3) {
    const kind = kinds[Math.floor(random() * kinds.length)];
    if (kind === undefined || chosen.includes(kind)) continue;
    if (!chosen.some((other) => other.without === kind.what || kind.without === other.what)) {
      chosen.push(kind);
    }
  }
  return kinds.filter((kind) => chosen.includes(kind));
}

describe.concurrent("a server with", () => {
  const combinations = Array.from({ length: 20 }, (_, seed) => combination(seed + 1));
  test.each(
    combinations.map((chosen) => ({ chosen, what: chosen.map(({ what }) => what).join("; ") })),
  )("$what gives those as its causes", async ({ chosen }) => {
    const judged = await judge(chosen);
    expect(judged, told(judged)).toEqual({ learned: causesOf(chosen), beyond: [] });
  });
});

test("a runsync that is held until its job has ended is one cause, and what follows it is not run", async () => {
  const endpointId = "e";
  const workers = { workers: 3 };
  const reference = await startReference({
    endpointId,
    apiKey,
    control: false,
    defaultEndpoint: workers,
  });
  const only = ["SYNC-04", "SYNC-11", "CANC-01", "CANC-04", "PURG-02"];
  const settings = {
    endpointId,
    apiKey,
    capabilities: ["handler"],
    only,
    timeBudgetMs: 15_000,
  } as const;
  const kind = { what: "", departure: () => holdingRunsync, causes: ["runsync-holds"] };
  const judged = await judgeFrom(reference, [kind], settings);
  expect(judged, told(judged)).toEqual({ learned: kind.causes, beyond: [] });
});

// One after the other: on virtual clocks nothing but the processor is waited for.
describe("a server with the control protocol and", () => {
  // A key that everybody has is none of a fresh endpoint; the others wait on a real clock.
  const others = new Set(["no key", "slow cancel", "late ids"]);
  test.each(kinds.filter(({ what }) => !others.has(what)))(
    "$what gives that as its cause",
    async (kind) => {
      const judged = await judgeControlled([kind]);
      expect(judged, told(judged)).toEqual({ learned: causesOf([kind]), beyond: [] });
    },
  );
});
