import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { readRecord } from "../record.ts";
import { Discovery } from "./discovery.ts";
import { dialectOf } from "./learned-dialect.ts";
import { resultsOf } from "./results.ts";

const counts = { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 };
const usual = { id: "a", status: "IN_QUEUE" };

function run(body: unknown): Exchange {
  return exchangeOf(body, { operation: "run" });
}

test.each([
  {
    answer: run({ success: true, data: usual }),
    cause: "envelope",
    breaks: ["ENDP-05", "RUNA-01"],
    deviations: { envelope: "data" },
    reads: usual,
  },
  {
    answer: run({ id: 17, status: "IN_QUEUE" }),
    cause: "ids-are-numbers",
    breaks: ["ENDP-05"],
    deviations: { numericIds: true },
    reads: { id: "17", status: "IN_QUEUE" },
  },
  {
    answer: run({ id: "a", status: "queued" }),
    cause: "states-otherwise",
    breaks: ["ENDP-05", "RUNA-01"],
    deviations: { states: { queued: "IN_QUEUE" } },
    reads: usual,
  },
  {
    answer: exchangeOf({ id: "a", status: "InProgress" }),
    cause: "states-otherwise",
    breaks: ["ENDP-05", "STAT-01"],
    deviations: { states: { InProgress: "IN_PROGRESS" } },
    reads: { id: "a", status: "IN_PROGRESS" },
  },
])("a record in another form is one cause, $cause, and is read", (row) => {
  const discovery = new Discovery();
  const read = dialectOf({ discovery }).exchange(row.answer);
  expect(discovery.learned).toMatchObject([
    { id: row.cause, breaks: row.breaks, deviations: row.deviations },
  ]);
  expect(readRecord(read)).toEqual({ ok: true, body: row.reads });
  expect(read.deviations).toBeUndefined();
});

test.each([
  run(usual),
  run({ id: "a", status: "BANANA" }),
  run({ id: "a", status: `in${" ".repeat(100_000)}queue` }),
  run({ error: "no", data: { id: "a" } }),
  exchangeOf({ success: false, data: usual }, { operation: "run", status: 400 }),
  exchangeOf({ ...usual, output: { id: "b", status: "queued" } }),
  exchangeOf({ jobs: counts, workers: {} }, { operation: "health" }),
  exchangeOf([{ output: usual, metrics: {} }], { operation: "stream" }),
  run("no JSON"),
])("nothing is learned of any other answer", (answer) => {
  const discovery = new Discovery();
  dialectOf({ discovery }).exchange(answer);
  expect(discovery.learned).toEqual([]);
});

test("one cause grows by the operations that show it, and each requirement fails with its own exchange", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  const grown: unknown[] = [];
  discovery.onGrown = ({ breaks }) => grown.push(breaks);
  const health = { data: { jobs: counts, workers: {} } };
  dialect.exchange(run({ data: { id: 1, status: "queued" } }));
  dialect.exchange(exchangeOf({ data: { id: 1, status: "done" } }));
  dialect.exchange(exchangeOf(health, { operation: "health" }));

  expect(discovery.learned.map(({ id }) => id)).toEqual([
    "envelope",
    "ids-are-numbers",
    "states-otherwise",
  ]);
  expect(grown).toEqual([["STAT-01"], ["STAT-01"], ["HLTH-01"]]);
  const results = resultsOf(discovery).filter(({ cause }) => cause === "envelope");
  expect(results.map(({ covers, evidence }) => [covers[0], evidence[0]?.request.url])).toEqual([
    ["ENDP-05", "http://a.test/v2/e/run/j"],
    ["RUNA-01", "http://a.test/v2/e/run/j"],
    ["STAT-01", "http://a.test/v2/e/status/j"],
    ["HLTH-01", "http://a.test/v2/e/health/j"],
  ]);
  const { states } = discovery.learned[2]?.deviations ?? {};
  expect(states).toEqual({ queued: "IN_QUEUE", done: "COMPLETED" });
});

test("members of other names are one cause, and are read as what they mean", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  dialect.exchange(run({ job_id: 7, state: "queued" }));
  const ended = { job_id: 7, state: "done", result: 1, delay_time: 0, execution_time: 2 };
  const { answer } = dialect.exchange(exchangeOf(ended));
  expect(answer?.rawText()).toBe(
    '{"id":"7","status":"COMPLETED","output":1,"delayTime":0,"executionTime":2}',
  );
  expect(discovery.learned.map(({ id, breaks }) => [id, breaks])).toEqual([
    ["members-otherwise", ["ENDP-05", "RUNA-01", "STAT-02", "STAT-03"]],
    ["ids-are-numbers", ["ENDP-05"]],
    ["states-otherwise", ["ENDP-05", "RUNA-01", "STAT-01"]],
  ]);
});

test("a member that was seen by its name and is missing later has no other name", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  const times = { delayTime: 0, executionTime: 2 };
  dialect.exchange(exchangeOf({ id: "a", status: "COMPLETED", output: 1, ...times }));
  dialect.exchange(exchangeOf({ id: "b", status: "COMPLETED", result: 1, ...times }));
  expect(discovery.learned).toEqual([]);
});

test("null for what a record has not yet is one cause; the output of a completed job may be null", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  const nothing = { output: null, delayTime: null };
  dialect.exchange(exchangeOf({ id: "a", status: "CANCELLED", ...nothing }));
  expect(discovery.learned).toEqual([]);
  dialect.exchange(exchangeOf({ id: "a", status: "IN_QUEUE", ...nothing }));
  expect(discovery.learned.map(({ id, breaks }) => [id, breaks])).toEqual([
    ["null-members", ["ENDP-05", "STAT-02"]],
  ]);
  const ended = { id: "a", status: "COMPLETED", output: null, executionTime: null };
  expect(dialect.exchange(exchangeOf(ended)).answer?.rawText()).toBe(
    '{"id":"a","status":"COMPLETED","output":null}',
  );
});

test("times that are no integers are one cause, unless one of them was an integer before", () => {
  const record = { id: "a", status: "COMPLETED", output: 1, executionTime: 0 };
  const odd = exchangeOf({ ...record, delayTime: 0.6 });
  const discovery = new Discovery();
  dialectOf({ discovery }).exchange(odd);
  expect(discovery.learned.map(({ id }) => id)).toEqual(["times-otherwise"]);
  const usually = new Discovery();
  const dialect = dialectOf({ discovery: usually });
  dialect.exchange(exchangeOf({ ...record, delayTime: 600 }));
  dialect.exchange(odd);
  expect(usually.learned).toEqual([]);
});

test("what the dialect tolerates is a deviation and no failure", () => {
  const discovery = new Discovery();
  dialectOf({ discovery }).exchange(run({ data: { id: "a", status: "IN_QUEUE" } }));
  discovery.tolerates = ({ requirement }) => (requirement === "ENDP-05" ? "known" : undefined);
  const told = resultsOf(discovery).map(({ covers, verdict, cause, deviations }) => ({
    covers,
    verdict,
    cause,
    deviations: deviations.map(({ what }) => what),
  }));
  expect(told).toEqual([
    { covers: ["ENDP-05"], verdict: "pass", cause: undefined, deviations: ["known"] },
    { covers: ["RUNA-01"], verdict: "fail", cause: "envelope", deviations: [] },
  ]);
});

test("where a state was seen by its name, another name is a fault of its own", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  dialect.exchange(run(usual));
  dialect.exchange(exchangeOf({ id: "a", status: "running" }));
  expect(discovery.learned).toEqual([]);
});

test("the body of a webhook is read in the same form", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  dialect.exchange(run({ data: { id: 1, status: "queued" } }));
  expect(dialect.webhookBody('{"data":{"id":1,"status":"queued"}}')).toEqual({
    text: '{"id":"1","status":"IN_QUEUE"}',
  });
  expect(dialect.webhookBody('{"id":"1","status":"COMPLETED"}')).toEqual({
    text: '{"id":"1","status":"COMPLETED"}',
  });
});

test("nothing is learned of what the dialect says already", () => {
  const discovery = new Discovery();
  const deviations = {
    envelope: "data",
    numericIds: true,
    states: { queued: "IN_QUEUE" },
  } as const;
  const dialect = dialectOf({
    discovery,
    dialect: { name: "ours", description: "Our gateway.", deviations },
  });
  const read = dialect.exchange(run({ data: { id: 1, status: "queued" } }));
  expect(discovery.learned).toEqual([]);
  expect(readRecord(read)).toEqual({ ok: true, body: { id: "1", status: "IN_QUEUE" } });
  expect(read.deviations?.map(({ requirement }) => requirement)).toEqual([
    "ENDP-05",
    "ENDP-05",
    "RUNA-01",
  ]);
});

test("nothing is learned where the dialect is taken as given", () => {
  const discovery = new Discovery();
  dialectOf({ discovery, discovers: false }).exchange(run({ id: 17, status: "IN_QUEUE" }));
  expect(discovery.learned).toEqual([]);
});

function cancel(jobId: string): Exchange {
  return exchangeOf({ ok: true }, { operation: "cancel", jobId });
}

test("a cancel without a record is learned where there are records, and of a job that is there", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  dialect.exchange(cancel("j"));
  dialect.exchange(run(usual));
  dialect.exchange(cancel("queueproof-unknown-job"));
  expect(discovery.learned).toEqual([]);
  const { answer } = dialect.exchange(cancel("j"));
  expect(discovery.learned.map(({ id }) => id)).toEqual(["bare-cancel"]);
  expect(answer?.rawText()).toBe('{"ok":true,"id":"j","status":"CANCELLED"}');
});

test("a run without a state is read as one that queued its job", () => {
  const discovery = new Discovery();
  const { answer } = dialectOf({ discovery }).exchange(run({ id: "a" }));
  expect(discovery.learned.map(({ id }) => id)).toEqual(["bare-run"]);
  expect(answer?.rawText()).toBe('{"id":"a","status":"IN_QUEUE"}');
});

test.each([
  { what: "three jobs", ids: ["a", "b", "c"], learned: ["times-missing"] },
  { what: "one job", ids: ["a", "a", "a"], learned: [] },
  { what: "three, after one that had them", timed: true, ids: ["a", "b", "c"], learned: [] },
])("finished jobs without times, $what", ({ ids, timed = false, learned }) => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  const times = { delayTime: 0, executionTime: 2 };
  if (timed) dialect.exchange(exchangeOf({ id: "k", status: "FAILED", ...times }));
  const read = ids.map((id) => dialect.exchange(exchangeOf({ id, status: "FAILED", error: "no" })));
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
  const last = readRecord(read.at(-1) ?? run(usual));
  expect(last.ok && last.body["executionTime"]).toBe(learned.length > 0 ? 0 : undefined);
});
