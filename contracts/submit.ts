import { isDeepStrictEqual } from "node:util";

import type { Exchange } from "../client/index.ts";
import {
  finished,
  heldRunsync,
  inputs,
  readRecord,
  show,
  stateOf,
  submitted,
} from "../harness/index.ts";
import type { Check, LooseRecord, Tools } from "../harness/index.ts";
import { inputRows } from "./submit/inputs.ts";
import type { InputRow } from "./submit/inputs.ts";
import { crossingChecks } from "./submit/crossing.ts";
import { validationChecks } from "./submit/validation.ts";

/** Checks of what is submitted (docs/specification.md#job-submission-body). */
export const submitChecks: readonly Check[] = [
  ...validationChecks,
  {
    name: "submit/input-of-run-unchanged",
    title: "what run is given reaches the handler unchanged, whatever it holds",
    covers: ["SUBM-04"],
    run: async (tools) => {
      for (const row of inputRows) {
        const exchange = await tools.api.run(bodyOf(row));
        const read = readRecord(exchange);
        const at = `run with ${row.label}`;
        tools.expect.that(read.ok, { at, expected: "to be accepted", got: stateOf(exchange) });
        if (!read.ok) continue;
        const job = { id: read.body.id, submittedAt: { earliestMs: 0, latestMs: 0 } };
        expectValue(tools, (await finished(tools, job)).record, row, at);
      }
    },
  },
  {
    name: "submit/input-of-runsync-unchanged",
    title: "what runsync is given reaches the handler unchanged, whatever it holds",
    covers: ["SUBM-04"],
    run: async (tools) => {
      for (const row of inputRows) {
        const exchange = await tools.api.runsync(bodyOf(row));
        const read = readRecord(exchange);
        const at = `runsync with ${row.label}`;
        tools.expect.that(read.ok, { at, expected: "to be accepted", got: stateOf(exchange) });
        if (read.ok) expectValue(tools, read.body, row, at);
      }
    },
  },
  {
    name: "submit/input-after-waiting-unchanged",
    title: "an input that waited in the queue reaches the handler unchanged",
    covers: ["SUBM-04"],
    exclusive: true,
    run: async (tools) => {
      await tools.workers.stall();
      const text = `{${inputRows.map((row) => `${JSON.stringify(row.label)}:${row.text}`).join()}}`;
      const row = { label: "all of it at once", text };
      const job = await submitted(tools, inputs.echo(JSON.parse(text)));
      const raw = readRecord(await tools.api.run(bodyOf(row)));
      await tools.time.pass(5);
      await tools.workers.resume();
      expectValue(tools, (await finished(tools, job)).record, row, "run, after the queue");
      if (!raw.ok) return;
      const written = { id: raw.body.id, submittedAt: job.submittedAt };
      expectValue(tools, (await finished(tools, written)).record, row, "run, as raw text");
    },
  },
  {
    name: "submit/members-of-input-are-the-handlers",
    title: "members of `input` named like the service's own are accepted and left to the handler",
    covers: ["SUBM-04"],
    run: async (tools) => {
      const own = { webhook: "no url", policy: { ttl: 1 }, s3Config: 5, id: 7, status: "FAILED" };
      const exchange = await tools.api.run({ input: { ...own, ...inputs.echo("kept") } });
      const { id } = tools.expect.record(exchange, "run with such an input");
      const job = await finished(tools, { id, submittedAt: { earliestMs: 0, latestMs: 0 } });
      tools.expect.equal(job.record["output"], { value: "kept" }, "output of such a job");
    },
  },
  {
    name: "submit/ids-differ",
    title: "jobs submitted one after the other have ids of their own",
    covers: ["SUBM-05"],
    needs: [],
    run: async (tools) => {
      const body = { input: inputs.echo("the same") };
      const answers: Exchange[] = [];
      for (let count = 0; count < 20; count += 1) answers.push(await tools.api.run(body));
      expectOwnIds(tools, answers, "20 times run");
    },
  },
  {
    name: "submit/ids-differ-at-once",
    title: "jobs submitted at the same time, by run and by runsync, have ids of their own",
    covers: ["SUBM-05"],
    endpoint: { workers: 4 },
    run: async (tools) => {
      const body = { input: inputs.echo("the same") };
      const before = await tools.api.run(body);
      const atOnce = await Promise.all(
        Array.from({ length: 120 }, async (_, index) =>
          index % 3 === 2 ? tools.api.runsync(body, { wait: 1000 }) : tools.api.run(body),
        ),
      );
      expectOwnIds(tools, [before, ...atOnce], "120 submissions at once");
    },
  },
  {
    name: "submit/ids-of-unfinished-jobs-differ",
    title: "a waiting job and one whose runsync waits have ids of their own",
    covers: ["SUBM-05"],
    needs: ["handler"],
    realTimeMs: 2000,
    exclusive: true,
    run: async (tools) => {
      const { api, workers, time } = tools;
      await workers.stall();
      const body = { input: inputs.echo("the same") };
      const held = await heldRunsync(tools, body, 1000);
      const waiting = await Promise.all([1, 2, 3, 4].map(async () => api.run(body)));
      if (time.virtual) await time.pass(1001);
      expectOwnIds(tools, [await held.answer, ...waiting], "submissions that wait");
      await workers.resume();
    },
  },
  ...crossingChecks,
];

function bodyOf({ text }: InputRow): string {
  return `{"input":{"op":"echo","value":${text}}}`;
}

function expectValue({ expect }: Tools, record: LooseRecord, { text }: InputRow, at: string): void {
  const value: unknown = JSON.parse(text);
  const wanted = { value };
  const { output } = record;
  expect.that(isDeepStrictEqual(output, wanted), {
    at,
    expected: show(wanted),
    got: output === undefined ? show(record) : show(output),
  });
}

function expectOwnIds({ expect }: Tools, answers: readonly Exchange[], at: string): void {
  const seen = new Map<string, number>();
  for (const exchange of answers) {
    const { id } = expect.record(exchange, at);
    seen.set(id, (seen.get(id) ?? 0) + 1);
  }
  const shared = [...seen].filter(([, count]) => count > 1).map(([id]) => id);
  expect.equal(shared, [], `ids that two of ${at} share`);
}
