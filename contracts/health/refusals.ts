import { isDeepStrictEqual } from "node:util";

import { runToEnd, sendHeldRunsync, startJob } from "../../harness/jobs/submit.ts";
import { answerOf, isSuccess } from "../../harness/read.ts";
import { runToCompletion, submitJob } from "../../harness/jobs/fixtures.ts";
import { runToFailureIfOffered } from "../../harness/jobs/offered-jobs.ts";
import { stateOf } from "../../harness/record.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { longJobMs } from "../../harness/inputs/jobs.ts";
import { requireYounger } from "../../harness/endpoint/time.ts";
import { runToTimeout } from "../../harness/jobs/endings.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { difference, readCounts, waitForCounts } from "./counts.ts";
import type { HealthCounts } from "./counts.ts";

const unknownId = "queueproof-unknown-job";
const usedByOthers = "the counts change by themselves: others may use the endpoint";

/** Checks that a request that was refused, or broken off by its client, leaves nothing behind in any count. */
export const healthRefusalChecks: readonly Check[] = [
  {
    name: "health/refusals-count-nothing",
    title: "requests that are refused change none of the counts of jobs and workers",
    covers: ["HLTH-02", "HLTH-03", "HLTH-04", "HLTH-05"],
    needs: ["quick", "slow"],
    slowMs: 6000,
    endpoint: { workers: 1 },
    realTimeMs: 4000,
    exclusive: true,
    run: async (context) => {
      const { time, jobs, offers } = context;
      const base = await readCounts(context);
      const arranged = await arrange(context);
      const steady = await steadyCounts(context, base, arranged);
      const isSteady = (counts: HealthCounts): boolean =>
        isDeepStrictEqual({ ...counts, ...steady }, counts);
      let accepted: string | undefined;
      let comparisons = 0;
      for (const { at, send } of refusalsOf(context, arranged)) {
        const look = async (): Promise<Compared> => {
          const before = await readCounts(context);
          if (!isSteady(before)) throw new Inconclusive(usedByOthers);
          const taken = (await send()).find((exchange) => isAccepted(exchange));
          return { before, after: await readCounts(context), accepted: taken?.operation };
        };
        // Another count may follow a job's end a moment later; a refusal that counts does so each time.
        const isDecided = ({ before, after, accepted: taken }: Compared): boolean =>
          taken !== undefined || isDeepStrictEqual(before, after) || !isSteady(after);
        const compared = await time.until(look, isDecided);
        if (compared.accepted !== undefined) {
          // It may have made a job, which other checks judge: once that is over, the next ones can be compared.
          ({ accepted } = compared);
          if (isSteady(await waitForCounts(context, undefined, steady))) continue;
          throw new Inconclusive(`${accepted} accepted what it has to refuse`);
        }
        // Jobs of others change counts for a while, too, where the endpoint was not made for this check.
        const isShared = !isSteady(compared.after) && !offers("endpoints");
        if (isShared && isSteady(await waitForCounts(context, undefined, steady)))
          throw new Inconclusive(usedByOthers);
        // A worker that was lost meanwhile gives its job back.
        if (stateOf(await context.api.status(arranged.working.id)) !== "IN_PROGRESS")
          throw new Inconclusive("the job at work is not IN_PROGRESS any more");
        requireYounger(context, arranged.working.startedAt, jobs.lengthOf(longJobMs).atLeastMs);
        expectSame(context, { ...compared, at });
        comparisons += 1;
      }
      if (comparisons === 0) {
        throw new Inconclusive(`${String(accepted)} accepted what it has to refuse`);
      }
    },
  },
  {
    name: "health/abandoned-runsync-leaves-nothing",
    title:
      "a runsync that its client breaks off, at work or in the queue, keeps no worker and stays in no count",
    covers: ["HLTH-02", "HLTH-05", "LIFE-03"],
    needs: ["handler", "workers", "endpoints"],
    endpoint: { workers: 1 },
    realTimeMs: 5000,
    run: async (context) => {
      const { time, workers, expect } = context;
      const workMs = 500;
      for (const count of [1, 0]) {
        await workers.set(count);
        await abortRunsync(context, workMs);
        await time.pass(time.choose({ virtual: 100, real: 1000 }));
        await workers.set(1);
        // Whether the job still runs is not stated, but by then it has ended in any case.
        await time.pass(2 * workMs);
        const wanted = { inQueue: 0, inProgress: 0, idle: 1, running: 0 };
        const { inQueue, inProgress, idle, running } = await waitForCounts(
          context,
          undefined,
          wanted,
          // A target may take so long to notice that the worker died of another job meanwhile.
          time.choose({ virtual: 0, real: 30_000 }),
        );
        const at = `after a runsync was broken off ${count === 1 ? "at work" : "in the queue"}`;
        expect.of("HLTH-02").equal({ inQueue, inProgress }, { inQueue: 0, inProgress: 0 }, at);
        expect.of("HLTH-05").equal({ idle, running }, { idle: 1, running: 0 }, at);
        const next = await runToEnd(context, context.jobs.quick("next"));
        expect.of("LIFE-03").equal(next.record.status, "COMPLETED", `the next job, ${at}`);
      }
    },
  },
];

/**
 * Brings a job into each state; a fresh endpoint has one worker. With exact jobs an endpoint that others use, too, is
 * spared the wait for a time-out.
 */
async function arrange(context: CheckContext) {
  const { api, jobs, offers } = context;
  const completed = await runToCompletion(context);
  const failed = await runToFailureIfOffered(context);
  const timedOut = offers("endpoints") || !jobs.exact ? [await runToTimeout(context)] : [];
  const cancelled = await startJob(context, jobs.slow(longJobMs));
  await api.cancel(cancelled.id);
  const working = await startJob(context, jobs.slow(longJobMs));
  const waiting = offers("endpoints") ? [await submitJob(context, jobs.quick("waits"))] : [];
  return {
    completed: completed.id,
    failed: failed.map(({ id }) => id),
    timedOut: timedOut.map(({ id }) => id),
    cancelled: cancelled.id,
    working,
    waiting: waiting.map(({ id }) => id),
  };
}

/** Jobs by their state. An endpoint that others use, too, has none that wait. */
type ArrangedJobs = Awaited<ReturnType<typeof arrange>>;

/** The counts that stay as they are while a job works and others wait, as far as health shows them by now. */
async function steadyCounts(
  context: CheckContext,
  base: HealthCounts,
  { waiting }: ArrangedJobs,
): Promise<Partial<HealthCounts>> {
  const wanted = { inQueue: waiting.length, inProgress: 1, running: 1 };
  const now = await waitForCounts(context, base, wanted);
  const seen = difference(now, base);
  const names = ["inQueue", "inProgress", "running"] as const;
  return Object.fromEntries(
    names.filter((name) => seen[name] === wanted[name]).map((name) => [name, now[name]]),
  );
}

interface Refusals {
  readonly at: string;
  readonly send: () => Promise<readonly Exchange[]>;
}

/** Requests that each operation has to refuse, in groups. */
function refusalsOf(
  { api, jobs, offers, isHeldTo }: CheckContext,
  { completed, failed, timedOut, cancelled, working, waiting }: ArrangedJobs,
): readonly Refusals[] {
  const stranger = api.withMadeUpKey("queueproof-wrong-key");
  const input = jobs.quick("refused");
  const unfinished = [working.id, ...waiting];
  const ofStrangers: Refusals = {
    at: "requests with a wrong key",
    send: async () =>
      Promise.all([
        stranger.run({ input }),
        stranger.runsync({ input }),
        ...unfinished.map((id) => stranger.cancel(id)),
        ...failed.map((id) => stranger.retry(id)),
        // Of an endpoint that others use, too, only two purges are allowed in ten seconds.
        ...(offers("endpoints") ? [stranger.purgeQueue()] : []),
      ]),
  };
  return [
    {
      at: "submissions that were refused",
      send: async () =>
        Promise.all([
          ...[{}, { input: 1 }, { input, policy: { ttl: 1 } }, "{"].flatMap((body) => [
            api.run(body),
            api.runsync(body),
          ]),
          api.runsync({ input }, { wait: 0 }),
        ]),
    },
    {
      at: "requests for a job that is not there",
      send: async () =>
        Promise.all([
          api.status(unknownId),
          api.stream(unknownId),
          api.cancel(unknownId),
          api.retry(unknownId),
        ]),
    },
    ...(isHeldTo("AUTH-02") ? [ofStrangers] : []),
    {
      at: "a read with a wrong ttl",
      send: async () => Promise.all(unfinished.map((id) => api.status(id, { ttl: 0 }))),
    },
    {
      at: "retries of what cannot be retried",
      send: async () =>
        Promise.all([completed, cancelled, ...unfinished].map((id) => api.retry(id))),
    },
    {
      at: "cancels of what has ended",
      send: async () =>
        Promise.all([completed, cancelled, ...timedOut, ...failed].map((id) => api.cancel(id))),
    },
  ];
}

/**
 * Whether a request was not refused, as other checks judge, and may have had an effect. A cancel of a job that has ended
 * may be answered with success.
 */
function isAccepted(exchange: Exchange): boolean {
  return exchange.operation !== "cancel" && isSuccess(answerOf(exchange));
}

/** The counts just before and just after some requests. */
interface Compared {
  readonly before: HealthCounts;
  readonly after: HealthCounts;
  /** The operation that accepted one of them. */
  readonly accepted: string | undefined;
}

const countsOf = {
  "HLTH-02": ["inQueue", "inProgress"],
  "HLTH-03": ["completed", "failed"],
  "HLTH-04": ["retried"],
  "HLTH-05": ["idle", "running"],
} as const;

function expectSame(
  { expect }: CheckContext,
  { before, after, at }: Compared & { readonly at: string },
): void {
  for (const id of ["HLTH-02", "HLTH-03", "HLTH-04", "HLTH-05"] as const) {
    for (const name of countsOf[id]) {
      expect.of(id).equal(after[name], before[name], `${name} after ${at}`);
    }
  }
}

/** Sends a runsync, with further members of its body, and breaks it off once the target has it. */
export async function abortRunsync(
  context: CheckContext,
  workMs: number,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const controller = new AbortController();
  const api = context.api.with({ signal: controller.signal });
  const body = { input: context.jobs.slow(workMs), ...extra };
  const held = await sendHeldRunsync({ ...context, api }, body);
  if (held.isAnswered()) throw new Inconclusive("runsync was answered before its job had ended");
  controller.abort();
  await held.answer;
}
