import { describe, expect, test } from "vitest";

import { capabilities } from "../../openapi/capabilities.ts";
import { tiers } from "../../openapi/operations.ts";
import { specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { FixedFromFirst } from "../../reference/limiters.ts";
import { exhaustLimit } from "./exhaustion.ts";
import type { Exhaustion } from "./exhaustion.ts";
import { LoadSession } from "./load-session.ts";

const [, run] = tiers;

function refusedOf({ others }: Exhaustion): readonly string[] {
  return [...others].filter(([, one]) => one.refused > 0).map(([operation]) => operation);
}

async function onVirtualClock(behaviour = specified): Promise<Exhaustion> {
  const reference = await startReference({ behaviour });
  const { baseUrl, controlUrl = "" } = reference;
  const session = new LoadSession({ baseUrl, controlUrl, capabilities });
  try {
    if (run === undefined) throw new Error("there is no tier of run");
    return await exhaustLimit(session, run);
  } finally {
    await session.close();
    await reference.stop();
  }
}

const othersOfRun = tiers.map(({ operation }) => operation).filter((each) => each !== "run");

describe("while run is exhausted", () => {
  test("every other operation is tried and accepted", async () => {
    const exhaustion = await onVirtualClock();
    expect([...exhaustion.others.keys()]).toEqual(othersOfRun);
    expect([...exhaustion.others.values()].map(({ accepted }) => accepted)).toEqual(
      othersOfRun.map(() => 1),
    );
  });

  test("one limit for it and cancel is seen", async () => {
    const other = "cancel";
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
