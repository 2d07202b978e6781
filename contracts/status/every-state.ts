import { lastingFields, isFinal, readRecord } from "../../harness/record.ts";
import {
  everyStateMs,
  everyStateSlowMs,
  withJobsInEveryState,
} from "../../harness/jobs/every-state.ts";
import { requireRead } from "../../harness/jobs/fixtures.ts";
import { requireYounger } from "../../harness/endpoint/time.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { JobInState } from "../../harness/jobs/every-state.ts";
import type { LooseRecord } from "../../harness/record.ts";
import { expectOutputOnceCompleted, expectTimes, timeMembers } from "./record.ts";

/** How often a job is read where reading must change nothing. */
const reads = 12;
/** Long enough for a time in seconds to grow. */
const laterMs = 2000;

/** Checks of what status shows of a job in any state (STAT-02, STAT-03, STAT-08). */
export const statusEveryStateChecks: readonly Check[] = [
  {
    name: "status/records-in-every-state",
    title:
      "status shows an output and times where the state has them, and the same however often it is read",
    covers: ["STAT-02", "STAT-03", "STAT-08"],
    needs: ["quick", "slow"],
    slowMs: everyStateSlowMs,
    realTimeMs: everyStateMs + 15_000,
    stalls: true,
    run: async (context) => {
      const { api, time, expect } = context;
      await withJobsInEveryState(context, async (jobs) => {
        const finished: { readonly job: JobInState; readonly first: LooseRecord }[] = [];
        for (const job of jobs) {
          const first = requireRead(
            readRecord(await api.status(job.id)),
            `${job.at}: status answered`,
          );
          const again = await readAgain(context, job, first);
          expectOutputOnceCompleted({ expect: expect.of("STAT-02") }, first, job);
          expect.of("STAT-08").equal(again.status, job.state, `${job.at}: state`);
          if (!isFinal(first)) continue;
          // A cancelled job was stopped rather than finished: it may have no times, but no wrong ones.
          const mayLack = first.status === "CANCELLED";
          const shown = timeMembers.filter((name) => !mayLack || first[name] !== undefined);
          expectTimes(expect.of("STAT-03"), first, job.at, shown);
          finished.push({ job, first });
        }
        if (finished.length > 0) await time.pass(laterMs);
        for (const { job, first } of finished) {
          const at = `${job.at}, read later`;
          const later = expect.of("STAT-08").record(await api.status(job.id), at);
          expect.of("STAT-08").equal(lastingFields(later), lastingFields(first), at);
        }
      });
    },
  },
];

/** Reads a job many times more, expects the same record each time, and returns the last one. */
async function readAgain(
  context: CheckContext,
  { id, at, lasts }: JobInState,
  first: LooseRecord,
): Promise<LooseRecord> {
  const expect = context.expect.of("STAT-08");
  // The times of an unfinished job may grow while it is read.
  const known = isFinal(first)
    ? lastingFields
    : context.time.choose({ virtual: lastingFields, real: stateOnly });
  let again = first;
  for (let read = 2; read <= reads; read += 1) {
    const exchange = await context.api.status(id);
    if (lasts !== undefined) requireYounger(context, lasts.since, lasts.ageMs);
    again = expect.record(exchange, `${at}, read ${read}`);
    expect.equal(known(again), known(first), `${at}, read ${read}`);
  }
  return again;
}

function stateOnly({ id, status }: LooseRecord): unknown {
  return { id, status };
}
