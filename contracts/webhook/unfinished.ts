import { runToEnd, sendHeldRunsync, submitOperationsOf } from "../../harness/jobs/submit.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import { waitForEnd } from "../../harness/jobs/fixtures.ts";
import { crashNoticedMsMax } from "../../harness/jobs/endings.ts";
import { statusAfter, statusBefore } from "../../harness/jobs/job-state.ts";
import type { Check } from "../../harness/check.ts";
import {
  countedCallsOf,
  completionsIn,
  runToEndWith,
  firstCall,
  recordIn,
  submitJobWith,
} from "./calls.ts";

const workMs = 3000;

/** Checks that there is no call without a completion, and none without the field (HOOK-08). */
export const unfinishedChecks: readonly Check[] = [
  {
    name: "webhook/none-in-progress",
    title: "a run job in progress has not called its webhook, up to the end of its work",
    covers: ["HOOK-08"],
    needs: ["slow", "webhook"],
    realTimeMs: workMs + 1000,
    run: async (context) => {
      const { time, expect } = context;
      const hook = (await context.receiver()).hook();
      const job = await submitJobWith(context, hook, { input: context.jobs.slow(workMs) });
      await time.settle();
      expect.equal(hook.attempts.length, 0, "calls just after the submission");
      const { atLeastMs } = context.jobs.lengthOf(workMs);
      await statusBefore(context, job.id, job.submittedAt, atLeastMs);
      expect.equal(hook.attempts.length, 0, "calls just before the end of its work");
      await waitForEnd(context, job, workMs);
      expect.equal((await countedCallsOf(context, hook, 1)).length, 1, "calls after its end");
    },
  },
  {
    name: "webhook/none-while-runsync-waits",
    title: "a runsync job in progress has not called its webhook, up to the end of its work",
    covers: ["HOOK-08"],
    needs: ["slow", "webhook"],
    realTimeMs: workMs + 1000,
    run: async (context) => {
      const { api, time, expect } = context;
      const hook = (await context.receiver()).hook();
      const body = { input: context.jobs.slow(workMs), webhook: hook.url };
      const held = await sendHeldRunsync(context, body);
      const { atLeastMs, atMostMs } = context.jobs.lengthOf(workMs);
      await time.before(held.sentAt, atLeastMs, async () => api.health());
      expect.equal(hook.attempts.length, 0, "calls just before the end of its work");
      await time.advance(atMostMs - atLeastMs + 2);
      await held.answer;
      expect.equal((await countedCallsOf(context, hook, 1)).length, 1, "calls after its end");
    },
  },
  {
    name: "webhook/none-in-queue",
    title: "a job that waits in the queue has not called its webhook",
    covers: ["HOOK-08"],
    needs: ["quick", "slow", "webhook"],
    stalls: true,
    run: async (context) => {
      const { time, workers, expect } = context;
      const hook = (await context.receiver()).hook();
      const job = await workers.whileStalled(async () => {
        const queued = await submitJobWith(context, hook, { input: context.jobs.quick("later") });
        await time.pass(time.choose({ virtual: 60_000, real: 500 }));
        expect.equal(hook.attempts.length, 0, "calls while it waits");
        return queued;
      });
      await waitForEnd(context, job);
      expect.equal((await countedCallsOf(context, hook, 1)).length, 1, "calls after its end");
    },
  },
  {
    name: "webhook/none-for-cancelled-work",
    title: "a job cancelled in progress never tells its webhook of a completion",
    covers: ["HOOK-08"],
    needs: ["slow", "webhook"],
    realTimeMs: workMs + 1000,
    run: async (context) => {
      const { api, time, expect } = context;
      const hook = (await context.receiver()).hook();
      const job = await submitJobWith(context, hook, { input: context.jobs.slow(workMs) });
      await api.cancel(job.id);
      const workedMs = context.jobs.usualMs(workMs);
      await statusAfter(context, job.id, job.submittedAt, workedMs);
      await time.settle();
      expect.equal(completionsIn(hook), 0, "calls that tell of a completion");
    },
  },
  {
    name: "webhook/none-for-a-lost-worker",
    title: "a job that is handed on because its worker died calls no webhook for that",
    covers: ["HOOK-08"],
    needs: ["crash", "webhook", "clock"],
    run: async (context) => {
      const hook = (await context.receiver()).hook();
      await submitJobWith(context, hook, { input: inputs.crash() });
      await context.time.pass(crashNoticedMsMax.virtual);
      const told = hook.attempts.map((attempt) => recordIn(attempt)?.["status"]);
      const early = told.filter((status) => status === "IN_QUEUE" || status === "IN_PROGRESS");
      context.expect.equal(early, [], "calls that tell of no end");
    },
  },
  {
    name: "webhook/none-without-the-field",
    title: "a job without the field calls nobody, not even the webhook of the job before it",
    covers: ["HOOK-08"],
    needs: ["quick", "webhook"],
    run: async (context) => {
      const { time, expect } = context;
      const hook = (await context.receiver()).hook();
      const first = await runToEndWith(context, hook, { input: context.jobs.quick("with") });
      await firstCall(context, hook);
      for (const by of submitOperationsOf(context)) {
        await runToEnd(context, context.jobs.quick("without"), { by });
        await time.pass(time.choose({ virtual: 0, real: 500 }));
        // What a body tells of its job is HOOK-02's: that of the first call may tell nothing.
        const callers = hook.attempts.slice(1).map((attempt) => recordIn(attempt)?.["id"] ?? null);
        const others = callers.filter((id) => id !== first.id);
        expect.equal(others, [], `calls of a ${by} job without the field`);
      }
    },
  },
  {
    name: "webhook/none-for-a-field-of-the-input",
    title: "a webhook that stands inside the input is the handler's, and not called",
    covers: ["HOOK-08"],
    needs: ["quick", "webhook"],
    run: async (context) => {
      const hook = (await context.receiver()).hook();
      for (const by of submitOperationsOf(context)) {
        const input = { ...context.jobs.quick({ webhook: hook.url }), webhook: hook.url };
        await runToEnd(context, input, { by });
      }
      await context.time.pass(context.time.choose({ virtual: 0, real: 500 }));
      context.expect.equal(hook.attempts.length, 0, "calls of what stands inside the input");
    },
  },
];
