import { describe, expect, onTestFinished, test, vi } from "vitest";

import { startReference } from "../../reference/start-reference.ts";
import { tiers } from "../../openapi/operations.ts";
import type { OperationName, Tier } from "../../openapi/operations.ts";
import { LoadSession } from "./load-session.ts";
import { recordSideBySide } from "./side-by-side.ts";
import type { Tally } from "./tally.ts";

const nothing: Tally = {
  accepted: 0,
  refused: 0,
  words: "",
  samples: [],
  exchanges: [],
};

async function sessionOfOne(): Promise<LoadSession> {
  const reference = await startReference({ control: false });
  const { baseUrl, endpointId, apiKey } = reference;
  const session = new LoadSession({ baseUrl, endpointId, apiKey, capabilities: ["load"] });
  onTestFinished(async () => {
    await session.close();
    await reference.stop();
  });
  return session;
}

function some(...operations: readonly OperationName[]): readonly Tier[] {
  return tiers.filter(({ operation }) => operations.includes(operation));
}

/** Records nothing but the order, at once; while an operation of `shared` is exhausted, another one is refused. */
function recording(shared: readonly OperationName[] = []): {
  readonly order: string[];
  readonly record: (
    session: LoadSession,
    tier: Tier,
  ) => Promise<{ others: Map<OperationName, Tally> }>;
} {
  const order: string[] = [];
  return {
    order,
    record: async (_session, { operation }) => {
      order.push(operation);
      const refused = shared.includes(operation) ? 1 : 0;
      return Promise.resolve({ others: new Map([["health", { ...nothing, refused }]]) });
    },
  };
}

describe("on one endpoint", () => {
  test("operations without jobs are recorded first, the largest limit first, and cancel is left out", async () => {
    const { order, record } = recording();
    const asked = some("run", "runsync", "status", "purge-queue", "cancel");
    const recorded = await recordSideBySide(await sessionOfOne(), asked, record);
    expect(order).toEqual(["status", "purge-queue", "runsync", "run"]);
    expect([...recorded.keys()]).toEqual(order);
  });

  test("nothing of it counts where one operation uses up the limit of another", async () => {
    const { order, record } = recording(["status"]);
    const asked = some("run", "runsync", "status", "stream");
    expect(await recordSideBySide(await sessionOfOne(), asked, record)).toEqual(new Map());
    expect(order).not.toContain("run");
  });

  test("what goes wrong with one is told to who asks for it", async () => {
    const record = vi.fn(async (_session: LoadSession, { operation }: Tier) => {
      if (operation === "status") throw new Error("lost");
      return Promise.resolve({ others: new Map<OperationName, Tally>() });
    });
    const recorded = await recordSideBySide(await sessionOfOne(), some("status", "stream"), record);
    await expect(recorded.get("status")).rejects.toThrow("lost");
    await expect(recorded.get("stream")).resolves.toBeDefined();
  });

  test("a single one has nothing to share", async () => {
    const { order, record } = recording();
    expect((await recordSideBySide(await sessionOfOne(), some("run"), record)).size).toBe(0);
    expect(order).toEqual([]);
  });
});
