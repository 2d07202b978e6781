import { describe, expect, onTestFinished, test } from "vitest";

import { ControlClient, JobClient, Redactor, Transport } from "../../client/index.ts";
import type { OperationName } from "../../openapi/index.ts";
import { tiers } from "../../scenarios/tiers.ts";
import type { EngineFinding } from "../result.ts";
import { changed, specified, startReference } from "../../reference/index.ts";
import type { Behaviour } from "../../reference/index.ts";
import { runAutocannonRate } from "./rate.ts";

// Virtual clocks: time stands still, so that no burst can meet the edge of a window.
describe("a burst of one more than the limit", () => {
  test.each(tiers)("is answered rightly by $operation of the reference", async (tier) => {
    const { check, figures } = await found(tier.operation, specified);

    expect(check).toMatchObject({ verdict: "pass", covers: [tier.requirement] });
    expect(figures.figures).toMatchObject({
      accepted: tier.requestsPerWindow,
      refused: 1,
      unanswered: 0,
      attempts: 1,
    });
  });

  test.each([1, 3])("finds a limit of %d for purge-queue", async (limit) => {
    const { check } = await found("purge-queue", limitedTo("purge-queue", limit));
    expect(check.verdict).toBe("fail");
  });

  test.each([99, 200])("finds a limit of %d for cancel", async (limit) => {
    const { check } = await found("cancel", limitedTo("cancel", limit));
    expect(check.verdict).toBe("fail");
  });

  test("is sent to an endpoint and for jobs whatever characters their ids are of", async () => {
    const behaviour = changed(specified, {
      submission: { jobId: (_by, id) => `a/b ${id}?c=%2F#d` },
      operations: { endpointIdOf: (given) => given.replace(/^an? endpoint\/%/u, "") },
    });
    const { check } = await found("cancel", behaviour, (id) => `an endpoint/%${id}`);
    expect(check).toMatchObject({ verdict: "pass" });
  });

  test("finds a refusal that is no 429", async () => {
    const behaviour = changed(specified, { limits: { refusalStatus: () => 503 } });
    const { check } = await found("requests", behaviour);
    expect(check.reason).toContain("1 with another status");
  });
});

function limitedTo(operation: OperationName, limit: number): Behaviour {
  const { requestsPerWindow } = specified.limits;
  return changed(specified, {
    limits: {
      requestsPerWindow: (name) => (name === operation ? limit : requestsPerWindow(name)),
    },
  });
}

test("decides nothing where there is no job to ask for", async () => {
  const behaviour = changed(specified, { limits: { inFlightMax: () => 0 } });
  const { check } = await found("cancel", behaviour);
  expect(check).toMatchObject({
    verdict: "inconclusive",
    reason: "run gave no job before the burst: 429",
  });
});

async function found(
  operation: string,
  behaviour: Behaviour,
  idOf = (endpointId: string): string => endpointId,
): Promise<EngineFinding> {
  const tier = tiers.find((one) => one.operation === operation);
  if (tier === undefined) throw new Error(`${operation} has no tier`);
  const reference = await startReference({ behaviour });
  const transport = new Transport();
  onTestFinished(async () => {
    await transport.close();
    await reference.stop();
  });
  const control = new ControlClient(transport, reference.controlUrl ?? "");
  return runAutocannonRate(tier, {
    freshClient: async () => {
      const { endpointId: madeId, apiKey } = await control.createEndpoint();
      const { baseUrl } = reference;
      const endpointId = idOf(madeId);
      return new JobClient({ transport, redactor: new Redactor(), baseUrl, endpointId, apiKey });
    },
  });
}
