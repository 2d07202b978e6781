import { answerOf, isSuccess, describeAnswer, readBody } from "../../harness/read.ts";
import { readRecord, stateOf } from "../../harness/record.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { requireRead } from "../../harness/jobs/fixtures.ts";
import { inBatches } from "../../harness/jobs/in-batches.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { Schemas } from "../../openapi/schemas.ts";

/** How many cancels are under way at once: below the stated cap of 20. */
const cancelsAtOnce = 15;

/** Calls `make` so many times at once, and returns the results in order. */
export async function atOnce<Made>(
  count: number,
  make: (at: number) => Promise<Made>,
): Promise<readonly Made[]> {
  return Promise.all(Array.from({ length: count }, async (_, at) => make(at)));
}

/** How many jobs to submit, and with what. */
interface Many {
  readonly count: number;
  readonly input: (at: number) => unknown;
  readonly extra?: (at: number) => Readonly<Record<string, unknown>>;
}

/**
 * Submits many jobs by run, and returns them.
 * @throws Inconclusive where one is not accepted
 */
export async function submitMany(
  { api, time }: CheckContext,
  { count, input, extra = () => ({}) }: Many,
): Promise<readonly SubmittedJob[]> {
  return inBatches(Array.from({ length: count }), async (_, at) => {
    const { exchange, at: submittedAt } = await time.observe(async () =>
      api.run({ input: input(at), ...extra(at) }),
    );
    const { id } = requireRead(readRecord(exchange), "could not submit many jobs: run answered");
    return { id, submittedAt };
  });
}

/** Cancels many jobs. @throws Inconclusive where one is refused */
export async function cancelMany(
  { api }: CheckContext,
  jobs: readonly SubmittedJob[],
): Promise<void> {
  const cancel = async ({ id }: SubmittedJob): Promise<void> => {
    const answer = answerOf(await api.cancel(id));
    if (!isSuccess(answer)) throw new Inconclusive(`cancel answered ${describeAnswer(answer)}`);
  };
  await inBatches(jobs, cancel, cancelsAtOnce);
}

/** How many of the jobs are in each state; one that status does not know is gone. */
export async function statesOf(
  { api }: CheckContext,
  jobs: readonly SubmittedJob[],
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const states = await inBatches(jobs, async ({ id }) => stateOf(await api.status(id)));
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** The counts of health. @throws Inconclusive where it does not answer */
export async function healthOf({ api, time }: CheckContext): Promise<Schemas["HealthAnswer"]> {
  await time.settle();
  return requireRead(readBody(await api.health(), "HealthAnswer"), "health answered");
}
