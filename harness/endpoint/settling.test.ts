import { expect, test } from "vitest";

import { isAdvance } from "../../client/control-client.ts";
import type { Check } from "../check.ts";
import { runCheck } from "../run-check.ts";
import { virtualSession } from "../../test/harness/virtual-session.ts";

test("settles its virtual clock after what may have made something due, and then alone", async () => {
  const session = await virtualSession();
  const settling: Check = {
    name: "kit/settles",
    title: "a check",
    covers: ["STAT-01"],
    needs: [],
    realTimeMs: 0,
    run: async ({ api, time, workers, receiver, recorder, expect: demand }) => {
      const movesOf = async (act: () => Promise<unknown>): Promise<number> => {
        const before = recorder.recordedSteps.length;
        await act();
        const steps = recorder.recordedSteps.slice(before);
        return steps.filter((step) => step.kind === "control" && isAdvance(step.call)).length;
      };
      const settle = async (): Promise<void> => time.settle();
      const read = async (): Promise<unknown> =>
        time.until(
          async () => api.health(),
          () => true,
        );
      await settle();
      demand.equal(await movesOf(settle), 0, "after nothing");
      await workers.set(2);
      demand.equal(await movesOf(settle), 1, "after workers were set");
      await api.health();
      demand.equal(await movesOf(settle), 1, "after an answer");
      const underWay = api.health();
      demand.equal(await movesOf(settle), 1, "after a request that was begun");
      await underWay;
      demand.equal(await movesOf(settle), 1, "after it was answered");
      await api.health();
      demand.equal(await movesOf(read), 0, "of a read, without webhooks");
      (await receiver()).hook();
      demand.equal(await movesOf(read), 1, "of a read, with a webhook");
    },
  };

  const { results } = await runCheck(settling, session, { timeBudgetMs: 1000 });
  expect(results).toMatchObject([{ verdict: "pass" }]);
});
