import { isDeepStrictEqual } from "node:util";

import type { Exchange } from "../client/exchange.ts";
import { inputs } from "../harness/inputs/conformance-jobs.ts";
import { isFinal, readRecord, stateOf } from "../harness/record.ts";
import { waitForEnd, recordAtEnd, submitJob } from "../harness/jobs/fixtures.ts";
import { sendHeldRunsync, runToEnd, submitOperations } from "../harness/jobs/submit.ts";
import { show } from "../harness/show.ts";
import type { Check } from "../harness/check.ts";
import type { LooseRecord } from "../harness/record.ts";
import type { CheckContext } from "../harness/check-context.ts";
import { s3ConfigOf } from "./s3/config.ts";
import { inBatches } from "../harness/jobs/in-batches.ts";
import { inputRows } from "./submit/inputs.ts";
import type { InputRow } from "./submit/inputs.ts";
import { bodyTextChecks, givenBackBy, oddInputChecks } from "./submit/body-text.ts";
import { chunkedChecks } from "./submit/chunked.ts";
import { crossingChecks } from "./submit/crossing.ts";
import { validationChecks } from "./submit/validation.ts";

interface AnsweredInput {
  readonly row: InputRow;
  readonly exchange: Exchange;
}

/** Few enough for a server that is small, and not one alone: where workers look for jobs now and then each waits. */
const inputsAtOnce = 4;

/** Checks of what is submitted (docs/specification.md#job-submission-body). */
export const submitChecks: readonly Check[] = [
  ...validationChecks,
  ...oddInputChecks,
  ...submitOperations.map((by): Check => ({
    name: `submit/input-of-${by}-unchanged`,
    title: `what ${by} is given reaches the handler unchanged, whatever it holds`,
    covers: ["SUBM-04"],
    needs: ["handler"],
    run: async (context) => {
      // All of them first: what one of them takes to be known is then waited for once.
      const send = async (row: InputRow): Promise<AnsweredInput> => ({
        row,
        exchange: await context.api[by](bodyOf(row)),
      });
      for (const { row, exchange } of await inBatches(inputRows, send, inputsAtOnce)) {
        const read = readRecord(exchange);
        const at = `${by} with ${row.label}`;
        context.expect.that(read.ok, { at, expected: "to be accepted", got: stateOf(exchange) });
        if (read.ok) expectValue(context, await givenBackBy(context, by, read.body), row, at);
      }
    },
  })),
  {
    name: "submit/input-after-waiting-unchanged",
    title: "an input that waited in the queue reaches the handler unchanged",
    covers: ["SUBM-04"],
    stalls: true,
    run: async (context) => {
      const members = inputRows.map(({ label, text }) => `${JSON.stringify(label)}:${text}`);
      const row = { label: "all of it at once", text: `{${members.join()}}` };
      const { job, raw } = await context.workers.whileStalled(async () => {
        const queued = await submitJob(context, context.jobs.quick(JSON.parse(row.text)));
        const answered = readRecord(await context.api.run(bodyOf(row)));
        await context.time.pass(5);
        return { job: queued, raw: answered };
      });
      expectValue(context, (await waitForEnd(context, job)).record, row, "run, after the queue");
      if (!raw.ok) return;
      expectValue(context, await recordAtEnd(context, raw.body.id), row, "run, as raw text");
    },
  },
  {
    name: "submit/megabytes-unchanged",
    title: "text of megabytes reaches the handler unchanged, and is shown in its output",
    covers: ["SUBM-04", "STAT-02"],
    megabytes: 5,
    run: async (context) => {
      const { api, jobs } = context;
      const value = "0123456789".repeat(520_000);
      const job = await runToEnd(context, jobs.quick(value));
      expectLongText(context, job.record, value, "a job of 5.2 MB of text");
      const at = "runsync of 5.2 MB of text";
      const answered = context.expect.record(await api.runsync({ input: jobs.quick(value) }), at);
      expectLongText(context, answered, value, at);
    },
  },
  {
    name: "submit/members-of-input-are-the-handlers",
    title:
      "members of `input`, named like the service's own or a thousand of them, are accepted and left to the handler",
    covers: ["SUBM-04"],
    run: async (context) => {
      const own = {
        webhook: "no url",
        policy: { ttl: 1 },
        s3Config: 5,
        id: 7,
        status: "FAILED",
        input: context.jobs.quick("taken for it"),
      };
      const names = Array.from({ length: 1000 }, (_, at) => [`name ${at}`, at] as const);
      const rows = [
        { members: own, input: "such an input", job: "such a job" },
        { members: Object.fromEntries(names), input: "1000 names", job: "a job with 1000 names" },
      ];
      for (const { members, input, job } of rows) {
        const body = { input: { ...members, ...context.jobs.quick("kept") } };
        const { id } = context.expect.record(await context.api.run(body), `run with ${input}`);
        const { output } = await recordAtEnd(context, id);
        context.expect.equal(output, { value: "kept" }, `output of ${job}`);
      }
    },
  },
  {
    name: "submit/options-in-the-input-are-the-handlers",
    title: "a policy and storage settings inside `input` are no options of the job",
    covers: ["SUBM-04"],
    run: async (context) => {
      const { api, expect, jobs, random, time } = context;
      const own = { policy: { executionTimeout: 5000, ttl: 10_000 }, s3Config: s3ConfigOf(random) };
      // Only a virtual clock is moved on for as long as such a policy would allow.
      const workMs = time.choose({ virtual: 15_000, real: 10 });
      const slow = await submitJob(context, { ...own, ...jobs.slow(workMs, "kept") });
      const read = await time.until(
        async () => readRecord(await api.status(slow.id)),
        (seen) => seen.ok && isFinal(seen.body),
        workMs,
      );
      const got: unknown = read.ok ? (read.body["output"] ?? read.body.status) : read.got;
      expect.equal(got, { value: "kept" }, "output of a job with a policy in its input");
      const { output } = (await runToEnd(context, { ...own, ...inputs.whoami() })).record;
      const s3 =
        typeof output === "object" && output !== null && "s3" in output ? output.s3 : output;
      expect.equal(s3, null, "s3 of a job with storage settings in its input");
    },
  },
  {
    name: "submit/ids-differ-at-once",
    title:
      "jobs submitted one after the other, and at the same time by run and by runsync, have ids of their own",
    covers: ["SUBM-05"],
    endpoint: { workers: 4 },
    run: async (context) => {
      const body = { input: context.jobs.quick("the same") };
      const before: Exchange[] = [];
      for (let count = 0; count < 20; count += 1) before.push(await context.api.run(body));
      const atOnce = await Promise.all(
        Array.from({ length: 120 }, async (_, index) =>
          index % 3 === 2 ? context.api.runsync(body, { wait: 1000 }) : context.api.run(body),
        ),
      );
      expectOwnIds(context, [...before, ...atOnce], "20 submissions in turn and 120 at once");
    },
  },
  {
    name: "submit/ids-of-unfinished-jobs-differ",
    title: "a waiting job and one whose runsync waits have ids of their own",
    covers: ["SUBM-05"],
    needs: ["quick", "slow"],
    slowMs: 5000,
    realTimeMs: 2000,
    stalls: true,
    run: async (context) => {
      const { api, workers, time } = context;
      await workers.whileStalled(async () => {
        const body = { input: context.jobs.quick("the same") };
        const held = await sendHeldRunsync(context, body, 1000);
        const waiting = await Promise.all([1, 2, 3, 4].map(async () => api.run(body)));
        await time.advance(1001);
        expectOwnIds(context, [await held.answer, ...waiting], "submissions that wait");
      });
    },
  },
  ...bodyTextChecks,
  ...chunkedChecks,
  ...crossingChecks,
];

function bodyOf({ text }: InputRow): string {
  return `{"input":{"op":"echo","value":${text}}}`;
}

function expectValue(
  { expect }: CheckContext,
  record: LooseRecord,
  { text }: InputRow,
  at: string,
): void {
  const wanted = { value: JSON.parse(text) as unknown };
  const { output } = record;
  expect.that(isDeepStrictEqual(output, wanted), {
    at,
    expected: show(wanted),
    got: output === undefined ? show(record) : show(output),
  });
}

function expectLongText(
  { expect }: CheckContext,
  { output }: LooseRecord,
  value: string,
  at: string,
): void {
  const isThere = output !== undefined && output !== null;
  expect.of("STAT-02").that(isThere, { at, expected: "its output", got: "none" });
  const isSame = isDeepStrictEqual(output, { value });
  const expected = `{"value":"…"} of ${value.length} characters`;
  expect.that(isSame, { at, expected, got: isSame ? expected : show(output) });
}

function expectOwnIds({ expect }: CheckContext, answers: readonly Exchange[], at: string): void {
  const seen = new Map<string, number>();
  for (const exchange of answers) {
    const { id } = expect.record(exchange, at);
    seen.set(id, (seen.get(id) ?? 0) + 1);
  }
  const shared = [...seen].filter(([, count]) => count > 1).map(([id]) => id);
  expect.equal(shared, [], `ids that two of ${at} share`);
}
