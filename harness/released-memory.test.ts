import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect, test, onTestFinished, vi } from "vitest";

import { startReference } from "../reference/start-reference.ts";
import type { Check } from "./check.ts";
import { runCheck } from "./run-check.ts";
import { Session } from "./session.ts";

setFlagsFromString("--expose-gc");

test("what a check was told is let go of when it has ended, whatever the history keeps of it", async () => {
  const reference = await startReference();
  onTestFinished(async () => reference.stop());
  const { baseUrl, controlUrl = "" } = reference;
  const capabilities = ["clock", "endpoints", "handler", "workers"] as const;
  const session = new Session({ baseUrl, controlUrl, capabilities }, 1);
  onTestFinished(async () => session.close());
  let recorder: WeakRef<object> | undefined;
  const check: Check = {
    name: "kit/a-check",
    title: "a check",
    covers: ["STAT-01"],
    needs: [],
    realTimeMs: 0,
    run: async (context) => {
      recorder = new WeakRef(context.recorder);
      const sizes = [1, 100_000];
      for (const size of sizes) {
        const { id } = context.expect.record(
          await context.api.run({ input: { op: "echo", value: "x".repeat(size) } }),
          "a submission",
        );
        await context.time.advance(1000);
        context.expect.accepted(await context.api.status(id));
      }
    },
  };

  const { results } = await runCheck(check, session, { timeBudgetMs: 1000 });
  expect(results[0]?.verdict).toBe("pass");
  expect(session.history.jobs()).toHaveLength(2);
  // What is still on the stack of this turn is kept by it.
  await vi.waitFor(() => {
    runInNewContext("gc()");
    expect(recorder?.deref()).toBeUndefined();
  });
});
