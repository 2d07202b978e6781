import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Inconclusive } from "../outcome.ts";
import { waitForEnd } from "./fixtures.ts";

const at = { earliestMs: 0, latestMs: 0 };
const ended = exchangeOf({
  id: "j",
  status: "COMPLETED",
  output: {},
  delayTime: 0,
  executionTime: 0,
});
const failing = exchangeOf({ error: "internal" }, { status: 500 });

/** Waits for a job whose status answers so, one after the other, and tells how often it was read. */
async function waitFor(answers: readonly Exchange[]): Promise<{ reads: number; error: unknown }> {
  let reads = 0;
  const read = async (): Promise<Exchange> => answers[(reads += 1) - 1] ?? failing;
  const error: unknown = await waitForEnd(
    {
      api: { status: read },
      time: {
        now: () => at,
        observe: async (request) => ({ exchange: await request(), at }),
        until: async (look, accept) => {
          for (;;) {
            const seen = await look();
            if (accept(seen) || reads > 100) return seen;
          }
        },
      },
    },
    { id: "j", submittedAt: at },
  ).catch((thrown: unknown) => thrown);
  return { reads, error };
}

test("a job is read until it has ended, whatever single failures come between", async () => {
  const { reads, error } = await waitFor([failing, failing, ended]);
  expect(reads).toBe(3);
  expect(error).toMatchObject({ id: "j", record: { status: "COMPLETED" } });
});

test("a status that fails ten times in a row is not waited for any longer", async () => {
  const { reads, error } = await waitFor([]);
  expect(reads).toBe(10);
  expect(error).toBeInstanceOf(Inconclusive);
});
