import { isOver } from "../../harness/jobs/job-state.ts";
import { startJob, submitJobBy } from "../../harness/jobs/submit.ts";
import { stateOf } from "../../harness/record.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { healthOf, statesOf } from "../states/volume.ts";
import { webhookFor } from "../webhook/calls.ts";

const lowPriority = { policy: { lowPriority: true } };
/** Policies with lowPriority, alone or beside a member that makes no difference to it. */
const lowPolicies = [
  lowPriority,
  { policy: { lowPriority: true, ttl: 7_200_000 } },
  { policy: { lowPriority: true, executionTimeout: 700_000 } },
];
/** Submissions without lowPriority, each of which adds a worker. */
const plainSubmissions = [
  { by: "run" },
  { by: "run", policy: { lowPriority: false } },
  { by: "run", policy: {} },
  { by: "run", policy: { ttl: 7_200_000 } },
  { by: "runsync" },
] as const;
/** Jobs that work for this long are still in progress when a check ends. */
const busyMs = 100_000;

/** How long a worker that is added may take until it takes its first job: how soon it starts is open. */
const workerStartMsMax = 10_000;

/** Checks of lowPriority (POLI-12) on endpoints that scale (docs/control-protocol.md). */
export const priorityChecks: readonly Check[] = [
  {
    name: "policy/low-priority-adds-no-worker",
    title:
      "a lowPriority job waits for a worker that is there already, the same job without it adds one",
    covers: ["POLI-12", "HLTH-05"],
    needs: ["handler", "scaling", "endpoints"],
    endpoint: { scaling: { min: 1, max: 16 } },
    run: async (context) => {
      const { api, time, expect } = context;
      const busy = await startJob(context, context.jobs.slow(busyMs));
      const low: SubmittedJob[] = [];
      const hooked = { ...lowPriority, ...(await webhookFor(context)) };
      for (const extra of [...lowPolicies, hooked]) {
        low.push(await submitJobBy(context, context.jobs.slow(busyMs), { extra }));
      }
      low.push(
        await submitJobBy(context, context.jobs.slow(busyMs), {
          extra: lowPriority,
          by: "runsync",
        }),
      );
      await expectWaiting(context, low, "a lowPriority job beside a busy worker");
      await time.pass(time.choose({ virtual: 30_000, real: 2000 }));
      await expectWaiting(context, low, "a lowPriority job, some time later");

      const all = [busy, ...low];
      let atWork = 1;
      // A worker that is added may take any of the waiting jobs, so that it is only known how many are at work.
      for (const { by, ...extra } of plainSubmissions) {
        all.push(await submitJobBy(context, context.jobs.slow(busyMs), { extra, by }));
        const countAtWork = async (): Promise<number> =>
          (await statesOf(context, all))["IN_PROGRESS"] ?? 0;
        const seen = await time.until(countAtWork, (count) => count > atWork, workerStartMsMax);
        expect.that(seen > atWork, {
          at: `jobs at work after ${by}, with ${JSON.stringify(extra)}`,
          expected: `more than ${atWork}`,
          got: String(seen),
        });
        atWork = seen;
      }
      const { running } = (await healthOf(context)).workers;
      expect.of("HLTH-05").equal(running, atWork, "running, of workers that were added");
      await api.cancel(busy.id);
    },
  },
  {
    name: "policy/low-priority-wakes-no-worker",
    title: "a lowPriority job on an endpoint scaled to zero waits until another job adds a worker",
    covers: ["POLI-12"],
    needs: ["handler", "scaling", "endpoints"],
    endpoint: { scaling: { min: 0, max: 4 } },
    run: async (context) => {
      const { api, time, expect } = context;
      const low = [await submitJobBy(context, context.jobs.quick("low"), { extra: lowPriority })];
      await expectWaiting(context, low, "a lowPriority job without any worker");

      const plain = await submitJobBy(context, context.jobs.quick("plain"));
      const seen = await time.until(async () => api.status(plain.id), isOver, workerStartMsMax);
      expect.equal(stateOf(seen), "COMPLETED", "the same job without lowPriority");
    },
  },
];

/** Records a difference unless every one of the jobs waits. */
async function expectWaiting(
  { api, time, expect }: CheckContext,
  jobs: readonly SubmittedJob[],
  at: string,
): Promise<void> {
  await time.settle();
  for (const { id } of jobs) expect.equal(stateOf(await api.status(id)), "IN_QUEUE", at);
}
