import { answerOf, runToCompletion, runSync, Inconclusive } from "../../harness/index.ts";
import type { Check, FinishedJob, CheckContext } from "../../harness/index.ts";
import type { Exchange, JobClient } from "../../client/index.ts";

const minuteMs = 60_000;

/** The operations that name a job. */
const ofJob: readonly (readonly [string, (api: JobClient, id: string) => Promise<Exchange>])[] = [
  ["status", async (api, id) => api.status(id)],
  ["stream", async (api, id) => api.stream(id)],
  ["cancel", async (api, id) => api.cancel(id)],
  ["retry", async (api, id) => api.retry(id)],
];

/** Checks of jobs that are not there (STAT-09, STAT-10). */
export const statusUnknownChecks: readonly Check[] = [
  {
    name: "status/unknown-job",
    title: "status, stream, cancel and retry of an unknown job answer 404 or 400",
    covers: ["STAT-09"], // HTTP status of an unknown job id (status, stream, cancel, retry).
    run: async ({ api, expect, random }) => {
      const number = String(random()).slice(2);
      const ids = [
        `unknown-${number}`,
        `00000000-0000-4000-8000-${number.padStart(12, "0").slice(0, 12)}-u1`,
        // Ids longer than a database column usually allows, and beyond ASCII.
        `unknown-${number.padEnd(300, "0")}`,
        `unknown-日本-${number}`,
      ];
      for (const [operation, send] of ofJob) {
        for (const id of ids) expect.reading(readingOf(await send(api, id)), `${operation}/${id}`);
      }
    },
  },
  {
    name: "status/deleted-run-job",
    title: "status of a job of run whose retention is over answers 404 or 400",
    covers: ["STAT-10"], // HTTP status of a deleted job.
    needs: ["quick"],
    run: async (context) => {
      await expectDeleted(context, await runToCompletion(context), 30 * minuteMs);
    },
  },
  {
    name: "status/deleted-runsync-job",
    title: "status of a runsync job whose retention is over answers 404 or 400",
    covers: ["STAT-10"], // HTTP status of a deleted job.
    needs: ["quick"],
    realTimeMs: 5 * minuteMs + 1000,
    run: async (context) => {
      const job = await runSync(context, context.jobs.quick("kept"));
      // 1 minute is stated, and up to 5 elsewhere: both conform.
      await expectDeleted(context, job, 5 * minuteMs);
    },
  },
];

async function expectDeleted(
  { api, time, expect }: CheckContext,
  job: FinishedJob,
  keptMs: number,
): Promise<void> {
  const read = async () => api.status(job.id);
  const { exchange } = await time.after(job.finishedAt, keptMs, read);
  expect.reading(readingOf(exchange), "status");
  expect.reading(readingOf(await api.status(job.id)), "status, read again");
}

function readingOf(exchange: Exchange): string {
  const { status } = answerOf(exchange);
  if (status === 429) throw new Inconclusive(`${exchange.operation} answered 429`);
  return String(status);
}
