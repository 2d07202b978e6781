import { submitOperationsOf } from "../../harness/jobs/submit.ts";
import { retryToEnd, waitForEnd, submitJob } from "../../harness/jobs/fixtures.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import type { Check } from "../../harness/check.ts";
import { difference, readCounts, waitForCounts } from "../health/counts.ts";
import { abortRunsync } from "../health/refusals.ts";
import {
  completionsIn,
  awaitCompletions,
  runToEndWith,
  callsOf,
  countedCallsOf,
  expectSameRecord,
  submitJobWith,
} from "./calls.ts";

/** Checks that a completed job calls its webhook (HOOK-01). */
export const deliveryChecks: readonly Check[] = [
  {
    name: "webhook/one-post",
    title: "the webhook of a job gets one POST when the job completes",
    covers: ["HOOK-01"],
    needs: ["quick", "webhook"],
    run: async (context) => {
      for (const by of submitOperationsOf(context)) {
        const hook = (await context.receiver()).hook();
        await runToEndWith(context, hook, { input: context.jobs.quick(by), by });
        const calls = await callsOf(context, hook, 1);
        const at = `calls after a ${by} job completed`;
        const others = calls.map(({ method }) => method).filter((method) => method !== "POST");
        const told = { at: `the method of ${at}`, expected: "POST", got: others.join(", ") };
        context.expect.surely.that(others.length === 0, told);
        context.expect.equal(calls.length, 1, at);
      }
    },
  },
  {
    name: "webhook/url-as-given",
    title: "the webhook is called under the URL that was given, with its path and its query",
    covers: ["HOOK-01"],
    needs: ["quick", "webhook"],
    run: async (context) => {
      const receiver = await context.receiver();
      const behind = [
        "?token=a%2Fb&name=two%20words%3F&part=100%25&note=%231&empty=&x=1",
        // It is longer than a database column often allows.
        `?signature=${"0123456789".repeat(100)}`,
      ];
      // What readers of URLs lose: escapes, also those of # and ?, a name that comes twice, one without a value, a plus, and slashes at the ends.
      if (!receiver.isBehindProxy)
        behind.push(
          "/two%20words/K%C3%A4se?x=1",
          "/part%231/why%3F/end?x=1",
          "/?tag=1&tag=2&flag&sum=1+1&to=https://example.com/",
        );
      for (const rest of behind) {
        const hook = receiver.hook();
        await submitJob(context, context.jobs.quick(1), { webhook: hook.url + rest });
        const [attempt] = await callsOf(context, hook, 1);
        const wanted = new URL(hook.url).pathname + rest;
        const got = attempt?.path ?? "no call";
        context.expect.that(got.endsWith(wanted), { at: "path and query", expected: wanted, got });
      }
    },
  },
  {
    name: "webhook/whatever-the-work",
    title: "a job that waited in the queue, worked for a while or streamed calls its webhook, too",
    covers: ["HOOK-01"],
    needs: ["slow", "webhook"],
    realTimeMs: 4000,
    run: async (context) => {
      const receiver = await context.receiver();
      const { offers } = context;
      const works = [
        context.jobs.slow(1000),
        ...(offers("streaming") ? [context.jobs.streaming(3, 100)] : []),
        // The last one has an empty array for its output.
        ...(offers("handler") ? [inputs.text(30, 3, 0), context.jobs.streaming(0, 0)] : []),
      ];
      const jobs = [];
      // Where there is one worker, each job waits for the one before it.
      for (const input of works) {
        const hook = receiver.hook();
        jobs.push({ hook, input, job: await submitJobWith(context, hook, { input }) });
      }
      for (const { hook, input, job } of jobs) {
        await waitForEnd(context, job, 2000);
        const attempts = await countedCallsOf(context, hook, 1);
        context.expect.equal(attempts.length, 1, `calls of ${JSON.stringify(input)}`);
      }
    },
  },
  {
    name: "webhook/after-the-wait-of-runsync",
    title: "a runsync job that outlasts its wait calls the webhook when it completes",
    covers: ["HOOK-01"],
    needs: ["slow", "webhook"],
    realTimeMs: 4000,
    run: async (context) => {
      const hook = (await context.receiver()).hook();
      const input = context.jobs.slow(3000, 1);
      const job = await submitJobWith(context, hook, { input, by: "runsync" });
      await waitForEnd(context, job, 3000);
      const { length } = await countedCallsOf(context, hook, 1);
      context.expect.equal(length, 1, "calls after it completed");
    },
  },
  {
    name: "webhook/after-an-abandoned-runsync",
    title: "a runsync job that completes although its client broke off calls the webhook",
    covers: ["HOOK-01"],
    needs: ["handler", "webhook", "endpoints"],
    endpoint: { workers: 1 },
    realTimeMs: 3000,
    run: async (context) => {
      const { time, expect } = context;
      const workMs = 500;
      const hook = (await context.receiver()).hook();
      const base = await readCounts(context);
      await abortRunsync(context, workMs, { webhook: hook.url });
      // The target has a moment to notice.
      await time.pass(100);
      await time.pass(2 * workMs);
      // Whether the job goes on is not stated: health tells whether it has completed.
      const counts = await waitForCounts(context, base, { inQueue: 0, inProgress: 0 });
      const { completed } = difference(counts, base);
      await countedCallsOf(context, hook, completed);
      expect.equal(completionsIn(hook), completed, "calls that tell of its completion");
    },
  },
  {
    name: "webhook/completed-by-a-retry",
    title: "a job that completes on its second attempt calls its webhook then",
    covers: ["HOOK-01"],
    run: async (context) => {
      const hook = (await context.receiver()).hook();
      const job = await runToEndWith(context, hook, { input: context.jobs.failingFirst(1, "v") });
      await retryToEnd(context, job);
      // The failed attempt may have called too (HOOK-10): only those that tell of the completion are counted.
      const completions = await awaitCompletions(context, hook);
      context.expect.about(hook).equal(completions, 1, "calls that tell of its completion");
    },
  },
  {
    name: "webhook/each-job-its-own",
    title: "of jobs that complete together each calls its own webhook, with its own record",
    covers: ["HOOK-01", "HOOK-02"],
    needs: ["quick", "webhook"],
    endpoint: { workers: 4 },
    run: async (context) => {
      const { expect } = context;
      const receiver = await context.receiver();
      const jobs = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const hook = receiver.hook();
          return {
            hook,
            job: await submitJobWith(context, hook, { input: context.jobs.quick(index) }),
          };
        }),
      );
      for (const [index, { hook, job }] of jobs.entries()) {
        const at = `job ${index + 1} of ${jobs.length}`;
        const { record } = await waitForEnd(context, job);
        const attempts = await countedCallsOf(context, hook, 1);
        expect.equal(attempts.length, 1, `calls, ${at}`);
        for (const attempt of attempts) {
          expectSameRecord(expect.of("HOOK-02"), attempt, { record, at });
        }
      }
    },
  },
];
