import { expectCompletion } from "../../harness/jobs/job-state.ts";
import { lastingFields } from "../../harness/record.ts";
import { waitForEnd, requireState, submitJob } from "../../harness/jobs/fixtures.ts";
import { readBody } from "../../harness/read.ts";
import { retentionMs, expectGoneAfter, expectKeptUntil } from "../../harness/jobs/retention.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { StreamReads } from "../stream/chunks.ts";
import { runToEndWith, callsOf, firstCall, spacingMs } from "./calls.ts";

/** How long the result of a run job is kept (RUNA-04). */
const keptMs = retentionMs.run;

/** Checks that a failing webhook affects neither its own job nor other jobs (HOOK-09). */
export const harmlessChecks: readonly Check[] = [
  {
    name: "webhook/failing-changes-nothing",
    title: "a webhook that always fails changes nothing of its job, during the attempts and after",
    covers: ["HOOK-09"],
    needs: ["quick", "webhook"],
    realTimeMs: 2 * spacingMs + 3000,
    run: async (context) => {
      const hook = (await context.receiver()).hook(500);
      const job = await runToEndWith(context, hook, { input: context.jobs.quick({ kept: true }) });
      await firstCall(context, hook);
      for (const attempts of [1, 2, 3]) {
        if (attempts > 1) await callsOf(context, hook, attempts, spacingMs + 1);
        const at = `after attempt ${attempts}`;
        await context.time.settle();
        const record = context.expect.record(await context.api.status(job.id), at);
        context.expect.equal(lastingFields(record), lastingFields(job.record), at);
      }
    },
  },
  {
    name: "webhook/failing-keeps-nothing-longer",
    title: "the result of a job whose webhook always fails is kept for 30 minutes, and not longer",
    covers: ["HOOK-09"],
    needs: ["quick", "webhook"],
    realTimeMs: keptMs + 10_000,
    run: async (context) => {
      const hook = (await context.receiver()).hook(500);
      const job = await runToEndWith(context, hook, { input: context.jobs.quick("kept") });
      await callsOf(context, hook, 3, 2 * spacingMs + 1);
      await expectKeptUntil(context, job, keptMs, "just within 30 minutes");
      await expectGoneAfter(context, job, keptMs, "just after 30 minutes");
    },
  },
  {
    name: "webhook/failing-leaves-the-stream",
    title: "a webhook that fails takes no chunk from the stream of its job",
    covers: ["HOOK-09"],
    needs: ["streaming", "webhook"],
    run: async (context) => {
      const { api, time, jobs, expect } = context;
      const count = 3;
      const hook = (await context.receiver()).hook(500);
      const input = jobs.streaming(count, 0);
      const job = await runToEndWith(context, hook, { input });
      await firstCall(context, hook);
      await time.settle();
      const reads = new StreamReads(api, job.id);
      await reads.readAll(time, jobs.chunksAtLeast(count));
      const holds = reads.latest.length >= jobs.chunksAtLeast(count);
      const expected = `at least ${jobs.chunksAtLeast(count)} chunks`;
      const got = reads.unreadable ?? `${reads.latest.length} chunks`;
      expect.that(holds, { at: "stream after a call that failed", expected, got });
    },
  },
  {
    name: "webhook/failing-refuses-no-retry",
    title:
      "a failed job can be retried while its webhook is to be called again, and once it was given up",
    covers: ["RETR-07"],
    needs: ["failing", "webhook"],
    realTimeMs: 2 * spacingMs + 5000,
    run: async (context) => {
      const { api, time, expect } = context;
      const momentMs = time.choose({ virtual: 0, real: 1000 });
      // Whether a failed job calls its webhook at all is open; it can be retried either way.
      for (const [passMs, at] of [
        [momentMs, "after a first call that failed"],
        [2 * spacingMs + momentMs + 1, "after three calls that failed"],
      ] as const) {
        const hook = (await context.receiver()).hook(500);
        const input = context.jobs.failingFirst(1, "again");
        const job = await runToEndWith(context, hook, { input });
        requireState(job, "FAILED");
        await time.pass(passMs);
        expect.accepted(await api.retry(job.id), `retry ${at}`);
        await waitForEnd(context, job);
      }
    },
  },
  {
    name: "webhook/failing-delays-no-job",
    title:
      "while webhooks fail, or their connections are refused, their workers take the next jobs",
    covers: ["HOOK-09"],
    needs: ["quick", "webhook"],
    exclusive: true,
    run: async (context) => {
      const { jobs, time } = context;
      const receiver = await context.receiver();
      const count = await workerCount(context);
      const hooks = Array.from({ length: count }, () => receiver.hook(500));
      for (const hook of hooks) await runToEndWith(context, hook, { input: jobs.quick("failing") });
      for (const hook of hooks) await firstCall(context, hook);
      await expectPrompt(context, "a job after failing webhooks");
      const { hook: refused } = await receiver.closedHook();
      for (let each = 0; each < count; each += 1) {
        await runToEndWith(context, refused, { input: jobs.quick("refused") });
      }
      await time.settle();
      await expectPrompt(context, "a job after refused webhooks");
    },
  },
];

/** Expects a quick job submitted now to complete in the usual time, far below the 10 s between attempts. */
async function expectPrompt(context: CheckContext, at: string): Promise<void> {
  await expectCompletion(context, await submitJob(context, context.jobs.quick("prompt")), at);
}

/** The number of workers, 1 to 8; 1 where health does not tell. */
async function workerCount({ api }: CheckContext): Promise<number> {
  const health = readBody(await api.health(), "HealthAnswer");
  if (!health.ok) return 1;
  const { idle, running } = health.body.workers;
  return Math.max(1, Math.min(8, idle + running));
}
