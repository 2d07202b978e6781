import type { Exchange } from "../../client/exchange.ts";
import { answerOf, isSuccess, readBody } from "../../harness/read.ts";
import { holdRunsync } from "../../harness/jobs/held-request.ts";
import type { HeldRequest } from "../../harness/jobs/held-request.ts";
import { stateOf } from "../../harness/record.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { Expectations } from "../../harness/expect.ts";
import type { LooseRecord } from "../../harness/record.ts";

/** Checks of several requests of runsync that wait at the same time (SYNC-04). */
export const runsyncWaitsBesideChecks: readonly Check[] = [
  {
    name: "runsync/each-request-has-its-own-wait",
    title: "of two requests of runsync that wait together each waits for as long as it asked for",
    covers: ["SYNC-04"],
    needs: ["slow"],
    slowMs: 7000,
    insists: true,
    realTimeMs: 6000,
    run: async (context) => {
      const { api, jobs, time } = context;
      const longerMs = jobs.exact ? time.choose({ virtual: 45_000, real: 5000 }) : 5000;
      const input = jobs.slow(2 * longerMs);
      const longer = await holdRunsync(context, input, { wait: longerMs });
      const shorterMs = 2000;
      const shorter = await holdRunsync(context, input, { wait: shorterMs });
      for (const [held, waitMs] of [
        [shorter, shorterMs],
        [longer, longerMs],
      ] as const) {
        const at = `wait=${waitMs} beside another wait`;
        const { id } = await expectUnfinishedAfter(context, held, { waitMs, at });
        await api.cancel(id);
      }
    },
  },
];

/** Records a difference where runsync answers with success and no record of a job. */
export function expectRecordOrRefusal(expect: Expectations, exchange: Exchange): void {
  const at = "the answer of runsync to a job that timed out";
  const read = readBody(exchange, "RunsyncAnswer");
  const holds = read.ok || !isSuccess(answerOf(exchange));
  const got = read.ok ? stateOf(exchange) : read.got;
  expect.that(holds, { at, expected: "a job's record, or no success", got });
}

/** Records a difference unless a runsync is answered when its wait is over, with the record of a job that has not ended. */
export async function expectUnfinishedAfter(
  { expect, time }: CheckContext,
  held: HeldRequest,
  { waitMs, at }: { readonly waitMs: number; readonly at: string },
): Promise<LooseRecord> {
  await held.expectHeld(expect, waitMs, `${at}: answered before the wait is over`);
  const record = expect.record(await held.answer(expect, at, 2 * time.marginMs), at);
  expect.that(record.status === "IN_QUEUE" || record.status === "IN_PROGRESS", {
    at: `${at}: status`,
    expected: "IN_QUEUE or IN_PROGRESS",
    got: record.status,
  });
  return record;
}
