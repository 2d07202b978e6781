import { describe, expect, test } from "vitest";

import { specified } from "../reference/behaviour.ts";
import { realK6 } from "../test/load/senders.ts";
import { changedTarget, runEnginesOn, verdictsOf } from "../test/load/on-virtual-clock.ts";

const { k6, reason } = await realK6();

describe("the engines", () => {
  test.skipIf(k6 === undefined)(
    `let the real k6 find a doubled limit, and only that${reason && ` (${reason})`}`,
    async () => {
      const { requestsPerWindow } = specified.limits;
      const target = await changedTarget({
        limits: {
          requestsPerWindow: (name) => (name === "requests" ? 20 : requestsPerWindow(name)),
        },
      });

      const environment = { ...process.env, K6_PATH: k6?.path };
      const run = await runEnginesOn(target, ["RATE-06", "RATE-08"], environment);

      // On a machine that is too busy k6 decides nothing; it is never wrong.
      const verdicts = verdictsOf(run);
      expect(["fail", "inconclusive"]).toContain(verdicts["load/k6/rate-requests"]);
      expect(["pass", "inconclusive"]).toContain(verdicts["load/k6/rate-purge-queue"]);
      const figures = run.load.find(({ scenario }) => scenario === "load/k6/rate-requests");
      expect(figures?.figures["above sent"]).toBeGreaterThan(0);
    },
  );
});
