import type { Exchange } from "../../client/exchange.ts";
import { finalStates, isFinal, jobStates, readRecord, stateOf } from "../../harness/record.ts";
import { isSuccess } from "../../harness/read.ts";
import { waitUntilOverWithin, statusAfter } from "../../harness/jobs/job-state.ts";
import { waitUntilReadable, submitJob } from "../../harness/jobs/fixtures.ts";
import { submitOperationsOf, submitJobBy } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import type { Submission } from "../../harness/jobs/submit.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";

const workMs = 2000;
const executionTimeout = 5000;

/** Judges each state of one job by the state that was seen before it. */
class Watch {
  readonly #context: CheckContext;
  readonly #id: string;
  readonly #label: string;
  #last: string | undefined;

  constructor(context: CheckContext, id: string, label: string) {
    this.#context = context;
    this.#id = id;
    this.#label = label;
  }

  /** Reads the state, and records a difference unless it can follow the one seen before. */
  async look(moment: string): Promise<string> {
    return this.see(await this.#context.api.status(this.#id), moment);
  }

  see(exchange: Exchange, moment: string): string {
    const state = stateOf(exchange);
    const last = this.#last;
    const allowed = last === undefined ? jobStates : (followers[last] ?? []);
    this.#context.expect.that(allowed.includes(state), {
      at: `${this.#label}, ${moment}`,
      expected:
        last === undefined ? "one of the six states" : `${allowed.join(" or ")} after ${last}`,
      got: state,
    });
    this.#last = state;
    return state;
  }

  /** Notes a retry. One that was accepted leads back to the queue, after which any state may follow. */
  retried(exchange: Exchange): void {
    const read = readRecord(exchange);
    if (read.ok) this.#last = "IN_QUEUE";
  }
}

/** The states that may be seen next: the same or a later one. Without a retry none leads back. */
const followers: Readonly<Record<string, readonly string[]>> = {
  IN_QUEUE: jobStates,
  IN_PROGRESS: ["IN_PROGRESS", ...finalStates],
  ...Object.fromEntries(finalStates.map((state) => [state, [state]])),
};

/** Checks that what is seen of a job is a legal history (LIFE-01). */
export const historyChecks: readonly Check[] = [
  {
    name: "states/from-queue-to-completion",
    title:
      "a job goes from the queue through progress to its end, whatever the way in and the ending",
    covers: ["LIFE-01"],
    needs: ["slow"],
    slowMs: 6500,
    realTimeMs: executionTimeout + 10_000,
    run: async (context) => {
      const { jobs, offers } = context;
      const lengthMs = context.time.choose({ virtual: workMs, real: workMs / 2 });
      const watch = async (label: string, input: JobInput, submission?: Submission) =>
        watchThrough(context, label, await submitJobBy(context, input, submission), lengthMs);
      for (const by of submitOperationsOf(context))
        await watch(`${by}, sleep`, jobs.slow(lengthMs), { by });
      if (offers("failing")) await watch("fails", jobs.failing("asked to"));
      if (offers("streaming")) await watch("streams", jobs.streaming(4, lengthMs / 4));
      const extra = { policy: { executionTimeout } };
      const timingOut = await submitJobBy(context, jobs.slow(60_000), { extra });
      await watchThrough(context, "times out", timingOut, executionTimeout);
    },
  },
  {
    name: "states/waiting-in-the-queue",
    title: "a job that waits is seen IN_QUEUE, and ends by cancel or by being worked on",
    covers: ["LIFE-01"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const watchOf = async (label: string) => {
        const job = await waitUntilReadable(
          context,
          await submitJob(context, context.jobs.quick(label)),
        );
        const watch = new Watch(context, job.id, label);
        expect.equal(await watch.look("while no worker is free"), "IN_QUEUE", label);
        return { id: job.id, watch };
      };
      const { first, second } = await workers.whileStalled(async () => {
        const cancelled = await watchOf("cancelled in the queue");
        const processed = await watchOf("processed after the wait");
        await time.pass(time.choose({ virtual: 60_000, real: 300 }));
        for (const { watch } of [cancelled, processed])
          await watch.look("later, while no worker is free");
        await api.cancel(cancelled.id);
        await cancelled.watch.look("after cancel");
        return { first: cancelled, second: processed };
      });
      second.watch.see(await waitUntilOverWithin(context, second.id), "when a worker is free");
      await first.watch.look("when a worker is free");
    },
  },
  {
    name: "states/retry-leads-back",
    title: "a failed job that is retried is IN_QUEUE again, and goes through to its end anew",
    covers: ["LIFE-01"],
    needs: ["failing", "slow"],
    slowMs: 4000,
    exclusive: true,
    run: async (context) => {
      const { api, workers, expect } = context;
      const job = await submitJob(context, context.jobs.failingFirst(1, "v"));
      const watch = new Watch(context, job.id, "flaky");
      watch.see(await waitUntilOverWithin(context, job.id), "after its first attempt");
      await workers.whileStalled(async () => {
        const exchange = await api.retry(job.id);
        watch.retried(exchange);
        if (exchange.answer !== undefined && isSuccess(exchange.answer)) {
          expect.equal(await watch.look("retried, no worker free"), "IN_QUEUE", "retried");
        }
      });
      watch.see(await waitUntilOverWithin(context, job.id), "after its second attempt");
      await watch.look("once more");
    },
  },
];

/** Reads the state of a job throughout its life: at its start, in the middle, at its end, and after it. */
async function watchThrough(
  context: CheckContext,
  label: string,
  job: SubmittedJob,
  lengthMs: number,
): Promise<void> {
  await waitUntilReadable(context, job);
  const watch = new Watch(context, job.id, label);
  await watch.look("at its start");
  for (const share of [0.25, 0.5, 0.75]) {
    watch.see(
      await statusAfter(context, job.id, job.submittedAt, share * lengthMs),
      `after ${share * lengthMs} ms`,
    );
  }
  const over = await waitUntilOverWithin(context, job.id, lengthMs);
  watch.see(over, "at its end");
  const read = readRecord(over);
  if (read.ok && isFinal(read.body)) await watch.look("after its end");
}
