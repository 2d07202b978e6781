import { describe, expect, test } from "vitest";

import { capabilities } from "../../openapi/index.ts";
import { specified, startReference } from "../../reference/index.ts";
import { FixedFromFirst } from "../../reference/limiters.ts";
import { exhausted } from "./exhaustion.ts";
import type { Exhaustion } from "./exhaustion.ts";
import { Stand } from "./stand.ts";
import { allTiers } from "./table.ts";
import { changeOf, onRealClock } from "./testing/on-real-clock.ts";

const { withControl } = onRealClock();
const [, run] = allTiers;

function refusedOf({ others }: Exhaustion): readonly string[] {
  return [...others].filter(([, one]) => one.refused > 0).map(([operation]) => operation);
}

async function onVirtualClock(behaviour = specified): Promise<Exhaustion> {
  const reference = await startReference({ behaviour });
  const { baseUrl, controlUrl = "" } = reference;
  const stand = new Stand({ baseUrl, controlUrl, capabilities });
  try {
    if (run === undefined) throw new Error("there is no tier of run");
    return await exhausted(stand, run);
  } finally {
    await stand.close();
    await reference.stop();
  }
}

const othersOfRun = allTiers.map(({ operation }) => operation).filter((each) => each !== "run");

describe("while run is exhausted", { timeout: 120_000 }, () => {
  test("every other operation is tried and accepted", async () => {
    const exhaustion = await onVirtualClock();
    expect(exhaustion.burst[0]?.accepted).toBe(1_000);
    expect([...exhaustion.others.keys()]).toEqual(othersOfRun);
    expect([...exhaustion.others.values()].map(({ accepted }) => accepted)).toEqual(
      othersOfRun.map(() => 1),
    );
  });

  test.each(["status", "stream", "cancel"])("one limit for it and %s is seen", async (other) => {
    const shared = new FixedFromFirst(10_000);
    const exhaustion = await onVirtualClock({
      ...specified,
      limits: {
        ...specified.limits,
        requestsPerWindow: (operation) =>
          operation === other ? 1_000 : specified.limits.requestsPerWindow(operation),
        limiterOf: ({ operation }) =>
          operation === "run" || operation === other ? shared : new FixedFromFirst(10_000),
      },
    });
    expect(refusedOf(exhaustion)).toEqual([other]);
  });
});

describe("a low limit on a real clock", { timeout: 120_000 }, () => {
  test.concurrent.each([
    ["rate/requests-one-over", "fail"],
    ["rate/requests-one-short", "fail"],
    ["rate/requests-not-limited", "fail"],
    ["rate/refused-with-503", "fail"],
  ] as const)("%s: %s", async (fault, verdict) => {
    const { results } = await withControl(changeOf(fault), "RATE-08");
    expect(results).toMatchObject([{ verdict, covers: ["RATE-08"] }]);
  });

  test.concurrent("is decided on a target that keeps it", async () => {
    const { results } = await withControl({}, "RATE-08");
    expect(results).toMatchObject([{ verdict: "pass" }]);
  });
});

test("jobs to cancel are made anew once a purge has taken them away", async () => {
  const reference = await startReference();
  const { baseUrl, controlUrl = "" } = reference;
  const stand = new Stand({ baseUrl, controlUrl, capabilities });
  const endpoint = await stand.endpoint({ workers: 0 });
  await endpoint.stock(3);
  await endpoint.send("purge-queue", 1);
  expect((await endpoint.send("cancel", 2)).words).toBe("2 × 200");
  await stand.close();
  await reference.stop();
});
