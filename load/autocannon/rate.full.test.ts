import { describe, expect, test } from "vitest";

import { tiers } from "../../openapi/operations.ts";
import { specified } from "../../reference/behaviour.ts";
import { burstOnReference } from "../../test/load/on-virtual-clock.ts";

// Virtual clocks: time stands still, so that no burst can meet the edge of a window.
describe("a burst of one more than the limit", () => {
  test.each(tiers)("is answered rightly by $operation of the reference", async (tier) => {
    const { check, figures } = await burstOnReference(tier.operation, specified);

    expect(check).toMatchObject({ verdict: "pass", covers: [tier.rate] });
    expect(figures.figures).toMatchObject({
      accepted: tier.limit,
      refused: 1,
      unanswered: 0,
      attempts: 1,
    });
  });
});
