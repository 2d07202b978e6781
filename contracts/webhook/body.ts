import { waitForEnd, readJob, requireState, submitJob } from "../../harness/jobs/fixtures.ts";
import { submitOperationsOf } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import {
  runToEndWith,
  callsOf,
  countedCallsOf,
  expectSameRecord,
  firstCall,
  spacingMs,
  submitJobWith,
} from "./calls.ts";

/** Deeper than some writers of JSON go, and no deeper than a plain parser reads. */
const nested: unknown = JSON.parse(`${'{"a":['.repeat(32)}1${"]}".repeat(32)}`);
/** More than the 1 MB that a chunk of a stream may have; a webhook brings the output whole. */
const large = "0123456789".repeat(110_000);

/** Values that writers of JSON leave out, and names that some of them write in another way. */
const members = {
  none: null,
  off: false,
  zero: 0,
  blank: "",
  list: [],
  object: {},
  camelCase: 1,
  snake_case: 2,
  "name.with.dots": 3,
  "": "empty key",
};
const numbers = [1, 0.5, -(2 ** 40), 1 / 3, 1e-7, Number.MAX_SAFE_INTEGER];
/** Texts that are written in another way elsewhere, or that look like something else. */
const texts = [
  "<b>R&amp;D</b> & '%41' \\u0041 \u0000.",
  " spaces\tand\r\nlines\r\n",
  "e\u0301",
  "2020-02-29T12:00:00+02:00",
  "007",
  "1.0",
];
const many = Array.from({ length: 1000 }, (_, index) => index);
const named = Object.fromEntries(many.map((number) => [`name ${number}`, number]));

/** Outputs of every kind that a record can hold. */
function outputsOf({ jobs, offers }: CheckContext): readonly (readonly [string, JobInput])[] {
  return [
    ["an object", jobs.quick({ ...members, numbers, a: [null, { b: members }], nested })],
    ...(offers("streaming") ? [["an array", jobs.streaming(3, 0)] as const] : []),
    ...(jobs.exact ? [["an empty array", jobs.streaming(0, 0)] as const] : []),
    ["text beyond ASCII", jobs.quick('grüße, 東京, \u{1F680}, \u2028 and "quotes"')],
    ["text that is escaped elsewhere", jobs.quick(texts)],
    ["100 kB", jobs.quick({ text: "0123456789".repeat(10_000), many, named })],
  ];
}

/** Checks of what a call brings (HOOK-02). */
export const bodyChecks: readonly Check[] = [
  {
    name: "webhook/body-like-status",
    title: "the call brings id, status, output and times just as status shows them",
    covers: ["HOOK-02"],
    needs: ["quick", "webhook"],
    run: async (context) => {
      const receiver = await context.receiver();
      for (const by of submitOperationsOf(context)) {
        for (const [label, input] of outputsOf(context)) {
          const hook = receiver.hook();
          const job = await runToEndWith(context, hook, { input, by });
          const record = await readJob(context, job.id);
          const attempt = await firstCall(context, hook);
          expectSameRecord(context.expect, attempt, { record, at: `${by} with ${label}` });
        }
      }
    },
  },
  {
    name: "webhook/times-like-status",
    title:
      "the call brings the times of a job that waited in the queue and then worked for a while",
    covers: ["HOOK-02"],
    needs: ["slow", "webhook"],
    realTimeMs: 4000,
    run: async (context) => {
      const hook = (await context.receiver()).hook();
      const first = await submitJob(context, context.jobs.slow(1700));
      await context.time.settle();
      const job = await submitJobWith(context, hook, { input: context.jobs.slow(1300) });
      await waitForEnd(context, first, 1700);
      const { record } = await waitForEnd(context, job, 1300);
      const attempt = await firstCall(context, hook);
      expectSameRecord(context.expect, attempt, { record, at: "a job that waited and worked" });
    },
  },
  {
    name: "webhook/body-of-every-attempt",
    title:
      "each repetition of a failed call brings the whole record again, with a large output too",
    covers: ["HOOK-02", "HOOK-01", "HOOK-04"],
    needs: ["quick", "webhook"],
    realTimeMs: 2 * spacingMs + 2000,
    run: async (context) => {
      const { expect, jobs } = context;
      const receiver = await context.receiver();
      const called = [];
      for (const [by, value] of [
        ["run", large],
        ["runsync", "small"],
      ] as const) {
        const at = `a job of ${by}, an output of ${value.length} characters`;
        const hook = receiver.hook(500, 500, 200);
        const job = await runToEndWith(context, hook, { input: jobs.quick(value), by });
        const { record } = requireState(job, "COMPLETED");
        const wasCalled = (await callsOf(context, hook, 1)).length > 0;
        expect.of("HOOK-01").equal(wasCalled, true, `a call for ${at}`);
        await firstCall(context, hook);
        called.push({ hook, record, at });
      }
      for (const { hook, record, at } of called) {
        const attempts = await countedCallsOf(context, hook, 3, 2 * spacingMs + 1);
        expect.of("HOOK-04").equal(attempts.length, 3, `attempts, ${at}`);
        for (const [index, attempt] of attempts.entries()) {
          expectSameRecord(expect.of("HOOK-02"), attempt, {
            record,
            at: `attempt ${index + 1}, ${at}`,
          });
        }
      }
    },
  },
];
