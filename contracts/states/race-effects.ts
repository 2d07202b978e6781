import { Inconclusive } from "../../harness/outcome.ts";
import { answerOf, isSuccess } from "../../harness/read.ts";
import { finalStates, stateOf } from "../../harness/record.ts";
import { runToEnd, startJob } from "../../harness/jobs/submit.ts";
import { submitJob } from "../../harness/jobs/fixtures.ts";
import { retentionMs } from "../../harness/jobs/retention.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { Exchange } from "../../client/exchange.ts";
import { difference, readCounts, type HealthCounts } from "../health/counts.ts";
import { requireCountableCalls, completionsIn } from "../webhook/calls.ts";
import { atOnce } from "./volume.ts";

const needs = ["handler", "workers", "endpoints", "clock", "webhook"] as const;
const workMs = 1000;
const executionTimeout = 5000;
const ttl = 10_000;

/** Which of the two comes first. Where both are sent at once, the target decides. */
const everyOrder = ["the request first", "at once", "the request last"] as const;
type Order = (typeof everyOrder)[number];
const usualOrders: readonly Order[] = ["the request first", "at once"];

/** Two things that happen to one job at the same moment, and how it may end. */
interface Race {
  readonly name: string;
  /** The job, one millisecond before it ends by itself. */
  readonly arrange: (context: CheckContext, webhook: string) => Promise<SubmittedJob>;
  /** Absent: nothing is sent, and only time goes by. */
  readonly operation?: "cancel" | "retry" | "status";
  /** How often it is sent at once; absent: once. */
  readonly times?: number;
  /** The orders to try; absent: the request first, and both at once. */
  readonly orders?: readonly Order[];
  /** What it races with; absent: a millisecond goes by. */
  readonly beside?: (context: CheckContext) => Promise<void>;
  readonly ends: readonly string[];
}

const races: readonly Race[] = [
  {
    name: "cancel against completion",
    arrange: atWork({ workMs, forMs: workMs - 1 }),
    operation: "cancel",
    orders: everyOrder,
    ends: ["COMPLETED", "CANCELLED"],
  },
  {
    name: "cancel against the executionTimeout",
    arrange: atWork({
      workMs: 60_000,
      policy: { executionTimeout },
      forMs: executionTimeout - 1,
    }),
    operation: "cancel",
    ends: ["TIMED_OUT", "CANCELLED"],
  },
  {
    name: "cancel against the ttl at work",
    arrange: atWork({ workMs: 60_000, policy: { ttl }, forMs: ttl - 1 }),
    operation: "cancel",
    ends: ["TIMED_OUT", "FAILED", "CANCELLED", "gone"],
  },
  {
    name: "cancel against the ttl in the queue",
    arrange: async (context, webhook) => {
      await context.workers.set(0);
      const extra = { webhook, policy: { ttl } };
      const job = await submitJob(context, context.jobs.quick("late"), extra);
      await context.time.pass(ttl - 1);
      return job;
    },
    operation: "cancel",
    ends: ["TIMED_OUT", "FAILED", "CANCELLED", "gone"],
  },
  {
    name: "retry against the end of the retention",
    arrange: async (context, webhook) => {
      const input = context.jobs.failingFirst(1, "again");
      const job = await runToEnd(context, input, { extra: { webhook } });
      if (job.record.status !== "FAILED") throw new Inconclusive("the flaky job did not fail");
      await context.time.pass(retentionMs.run - 1);
      return job;
    },
    operation: "retry",
    // Whether the retry is refused for the job's age, and how long the job is kept then, is not stated.
    ends: ["COMPLETED", "FAILED", "gone"],
  },
  {
    name: "a read with a ttl against completion",
    arrange: atWork({ workMs, forMs: workMs - 1 }),
    operation: "status",
    ends: ["COMPLETED"],
  },
  {
    name: "completion against the executionTimeout",
    arrange: atWork({
      workMs: executionTimeout + 1,
      policy: { executionTimeout },
      forMs: executionTimeout - 1,
    }),
    orders: ["at once"],
    ends: ["COMPLETED", "TIMED_OUT"],
  },
  {
    name: "completion against the ttl",
    arrange: atWork({ workMs: ttl + 1, policy: { ttl }, forMs: ttl - 1 }),
    orders: ["at once"],
    ends: ["COMPLETED", "TIMED_OUT", "FAILED", "CANCELLED", "gone"],
  },
  {
    name: "cancel against a worker that takes the job",
    arrange: async (context, webhook) => {
      await context.workers.set(0);
      return submitJob(context, context.jobs.slow(workMs), { webhook });
    },
    operation: "cancel",
    orders: ["at once", "the request last"],
    beside: async ({ workers }) => workers.set(1),
    ends: ["COMPLETED", "CANCELLED"],
  },
  {
    name: "two cancels",
    arrange: atWork({ workMs: 60_000, forMs: 1 }),
    operation: "cancel",
    times: 2,
    orders: ["at once"],
    ends: ["CANCELLED"],
  },
  {
    name: "two retries",
    arrange: async (context, webhook) => {
      const input = context.jobs.failingFirst(1, "again");
      const job = await runToEnd(context, input, { extra: { webhook } });
      await context.workers.set(0);
      return job;
    },
    operation: "retry",
    times: 2,
    orders: ["at once"],
    ends: ["COMPLETED"],
  },
];

interface Work {
  readonly workMs: number;
  readonly policy?: Readonly<Record<string, number>>;
  /** How long it has been at work when the race begins. */
  readonly forMs: number;
}

/** Arranges a job that has been at work for some time. */
function atWork({ workMs: ms, policy, forMs }: Work): Race["arrange"] {
  return async (context, webhook) => {
    const extra = { webhook, ...(policy !== undefined && { policy }) };
    const job = await startJob(context, context.jobs.slow(ms), { extra });
    await context.time.pass(forMs);
    return job;
  };
}

/** Checks of what races leave behind in counts, webhooks and later reads. */
export const raceEffectChecks: readonly Check[] = [
  {
    name: "states/races-leave-one-end",
    title: "whatever a job's end races with, counts, webhook and status tell of the same one end",
    covers: ["LIFE-07", "HLTH-02", "HLTH-03", "HLTH-04", "HLTH-05", "HOOK-01", "HOOK-08"],
    needs,
    endpoint: { workers: 1 },
    run: async (context) => {
      for (const race of races) {
        for (const order of race.orders ?? usualOrders) await runRace(context, race, order);
      }
    },
  },
];

async function runRace(context: CheckContext, race: Race, order: Order): Promise<void> {
  const { api, time, workers, expect } = context;
  await workers.set(1);
  const hook = (await context.receiver()).hook();
  const first = await readCounts(context);
  const { id } = await race.arrange(context, hook.url);
  const calls = hook.attempts.length;
  const counted = await readCounts(context);
  const exchanges = await raceOnce(context, { race, order, id });
  const at = `${race.name}, ${order}`;
  const soon = stateOrGone(await api.status(id));
  // Long enough for a leftover timer to fire. A job that never completed is kept for a minute at least.
  await time.pass(50_000);
  const waiting = race.ends.includes("COMPLETED") ? undefined : (await readCounts(context)).inQueue;
  if (waiting !== undefined) expect.of("HLTH-02").equal(waiting, 0, `inQueue, ${at}`);
  await workers.set(1);
  await time.pass(workMs + 2);
  const state = stateOrGone(await api.status(id));
  expectEnd(context, { race, at, soon, state });
  const completions = completionsIn({ attempts: hook.attempts.slice(calls) });
  const isCompleted = state === "COMPLETED";
  expect.about(hook);
  if (isCompleted && completions !== 1) await requireCountableCalls(context, hook);
  if (isCompleted) expect.of("HOOK-01").equal(completions, 1, `calls of ${at}`);
  else expect.of("HOOK-08").equal(completions, 0, `calls that tell of a completion, ${at}`);
  const after = await readCounts(context);
  expectGrowth(context, { at, grown: difference(after, counted), isCompleted, exchanges });
  const { inQueue, inProgress, idle, running } = difference(after, first);
  expect.of("HLTH-02").equal({ inQueue, inProgress }, { inQueue: 0, inProgress: 0 }, `after ${at}`);
  expect.of("HLTH-05").equal({ idle, running }, { idle: 0, running: 0 }, `workers more, ${at}`);
}

async function raceOnce(
  context: CheckContext,
  { race, order, id }: { readonly race: Race; readonly order: Order; readonly id: string },
): Promise<readonly Exchange[]> {
  const { api, time } = context;
  const { operation } = race;
  const act = async (): Promise<readonly Exchange[]> => {
    if (operation === undefined) return [];
    const send = async (): Promise<Exchange> =>
      operation === "status" ? api.status(id, { ttl: 6000 }) : api[operation](id);
    return atOnce(race.times ?? 1, send);
  };
  const end = async (): Promise<void> => (race.beside ?? (async () => time.pass(1)))(context);
  if (order === "the request last") await end();
  const [exchanges] = await Promise.all([act(), order === "at once" ? end() : undefined]);
  if (order === "the request first") await end();
  return exchanges;
}

interface End {
  readonly race: Race;
  readonly at: string;
  /** What status showed right after the race. */
  readonly soon: string;
  readonly state: string;
}

function expectEnd({ expect }: CheckContext, { race, at, soon, state }: End): void {
  const expected = race.ends.join(" or ");
  expect.of("LIFE-07").that(race.ends.includes(state), { at, expected, got: state });
  // A job that failed long ago may be at the very end of its retention.
  if (!finalStates.includes(soon) || race.operation === "retry") return;
  expect.of("LIFE-07").equal(state, soon, `a minute later, ${at}`);
}

interface Growth {
  readonly at: string;
  readonly grown: HealthCounts;
  readonly isCompleted: boolean;
  readonly exchanges: readonly Exchange[];
}

function expectGrowth(
  { expect }: CheckContext,
  { at, grown, isCompleted, exchanges }: Growth,
): void {
  expect.of("HLTH-03").equal(grown.completed, isCompleted ? 1 : 0, `growth of completed, ${at}`);
  const accepted = exchanges.filter((exchange) => isSuccess(answerOf(exchange))).length;
  const isRetry = exchanges.some(({ operation }) => operation === "retry");
  expect.of("HLTH-04").equal(grown.retried, isRetry ? accepted : 0, `growth of retried, ${at}`);
  if (!isRetry) return;
  expect
    .of("LIFE-07")
    .that(accepted <= 1, { at, expected: "at most one retry", got: String(accepted) });
  // A retry that was accepted has to have its effect, whatever it raced with.
  expect.of("LIFE-07").equal(isCompleted, accepted === 1, `a retried job completes, ${at}`);
}

/** The state that status shows, or "gone" where status does not know the job. */
export function stateOrGone(exchange: Exchange): string {
  const { status } = answerOf(exchange);
  return status === 404 || status === 400 ? "gone" : stateOf(exchange);
}
