import { answerOf } from "../../harness/read.ts";
import { isFinal, readRecord } from "../../harness/record.ts";
import { unfinishedIn } from "../../harness/jobs/counts.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";

/** Far below every stated cap (200 run and 400 runsync at once); fewer where it is not known how short a job is. */
const crowds = { exact: { run: 120, runsync: 30 }, own: { run: 15, runsync: 5 } };
/** How long the work may take in all, beyond the time it needs. */
const drainMs = 50_000;
/** The steps of virtual time while requests wait, in all more than enough for the work. */
const turnMs = 50;
const turnsMax = 300;

/** So many that a queue with a small bound would overflow. */
const waitingAtOnce = 30;

/** Checks that no accepted job is lost (LIFE-08). */
export const lostJobChecks: readonly Check[] = [
  {
    name: "states/no-job-lost",
    title:
      "of many jobs submitted at once, by run and runsync, every accepted one gets to a final state",
    covers: ["LIFE-08"],
    needs: ["quick"],
    exclusive: true,
    endpoint: { workers: 3 },
    realTimeMs: 30_000,
    run: async (context) => {
      const crowd = context.jobs.exact ? crowds.exact : crowds.own;
      const accepted = await advanceUntilAnswered(context, [
        ...Array.from({ length: crowd.run }, async (_, at) => submit(context, "run", at)),
        ...Array.from({ length: crowd.runsync }, async (_, at) => submit(context, "runsync", at)),
      ]);
      if (accepted.length < crowd.run) throw new Inconclusive("too few of the jobs were accepted");
      await expectAllEnd(context, accepted);
    },
  },
  {
    name: "states/no-job-of-a-long-queue-lost",
    title: "of many jobs that wait in the queue at once every one gets to a final state",
    covers: ["LIFE-08"],
    realTimeMs: 10_000,
    stalls: true,
    run: async (context) => {
      const accepted = await context.workers.whileStalled(async () =>
        advanceUntilAnswered(
          context,
          Array.from({ length: waitingAtOnce }, async (_, at) => submit(context, "run", at)),
        ),
      );
      if (accepted.length < waitingAtOnce)
        throw new Inconclusive("too few of the jobs were accepted");
      await expectAllEnd(context, accepted);
    },
  },
  {
    name: "states/no-job-lost-with-interference",
    title: "no job is lost while others are cancelled and retried and workers come and go",
    covers: ["LIFE-08"],
    needs: ["handler", "workers"],
    exclusive: true,
    endpoint: { workers: 4 },
    realTimeMs: 30_000,
    run: async (context) => {
      const { api, time, workers } = context;
      const accepted: string[] = [];
      for (const count of [0, 3, 1, 4]) {
        const batch = await Promise.all([
          workers.set(count).then(() => []),
          ...Array.from({ length: 15 }, async (_, index) => submit(context, "run", index)),
        ]);
        const ids = batch.flat();
        accepted.push(...ids);
        await Promise.all([...ids.slice(0, 3).map(async (id) => api.cancel(id)), time.pass(15)]);
        await Promise.all(ids.slice(3, 12).map(async (id) => api.retry(id)));
      }
      await expectAllEnd(context, accepted);
    },
  },
];

/** Submits a job that ends at once, works a while or, where offered, fails. Returns its id, or [] if refused. */
async function submit(
  { api, jobs, offers, random }: CheckContext,
  by: "run" | "runsync",
  index: number,
): Promise<readonly string[]> {
  const input =
    index % 5 === 4 && offers("failing")
      ? jobs.failing("some do")
      : random() < 0.3 && by === "run"
        ? jobs.short(Math.round(40 * random()), index)
        : jobs.quick(index);
  const exchange = await (by === "run"
    ? api.run({ input })
    : api.runsync({ input }, { wait: 5000 }));
  const { status } = answerOf(exchange);
  if (status === 429) return [];
  const read = readRecord(exchange);
  return read.ok ? [read.body.id] : [];
}

/** Lets virtual time go by until all submissions are answered: a runsync waits for work that takes time. */
async function advanceUntilAnswered(
  { time }: CheckContext,
  submissions: readonly Promise<readonly string[]>[],
): Promise<readonly string[]> {
  let answered = false;
  const isAnswered = (): boolean => answered;
  const ids = Promise.all(submissions).finally(() => {
    answered = true;
  });
  // The promise is awaited below; a rejection before that must not count as unhandled.
  ids.catch(() => undefined);
  for (let turns = 0; time.virtual && !isAnswered() && turns < turnsMax; turns += 1) {
    await time.pass(turnMs);
  }
  return (await ids).flat();
}

interface Sightings {
  readonly unfinished: readonly string[];
  readonly gone: readonly string[];
}

async function expectAllEnd(
  { api, time, jobs, expect }: CheckContext,
  ids: readonly string[],
): Promise<void> {
  expect.equal(new Set(ids).size, ids.length, "ids of accepted jobs, each its own");
  let open = ids;
  const look = async (): Promise<Sightings> => {
    const reads = await Promise.all(open.map(async (id) => readRecord(await api.status(id))));
    const gone = open.filter((_, index) => reads[index]?.ok === false);
    open = open.filter((_, index) => {
      const read = reads[index];
      return read?.ok !== true || !isFinal(read.body);
    });
    return { gone, unfinished: open.filter((id) => !gone.includes(id)) };
  };
  const withinMs = drainMs + ids.length * jobs.quickMs;
  await time.settle();
  const { gone, unfinished } = await time.until(look, () => open.length === 0, withinMs);
  expect.equal(gone, [], "accepted jobs that status does not know");
  const countable = unfinished.length === 0 ? 0 : (unfinishedIn(await api.health()) ?? 0);
  expect.that(unfinished.length <= countable, {
    at: "accepted jobs without a final state",
    expected: `none but the ${countable} that health still counts`,
    got: `${unfinished.length} of ${ids.length}`,
  });
}
