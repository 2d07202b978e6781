import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { Discovery } from "./discovery.ts";
import { learnHeld, learnNoWait, learnWaitOver } from "./waits.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { ConfiguredDialect } from "../dialects/configured-dialect.ts";
import { spec } from "../dialects/spec.ts";
import { Recorder } from "../evidence/recorder.ts";
import type { Exchange } from "../../client/exchange.ts";

interface Held {
  readonly query?: string;
  readonly tookMs: number;
  readonly executionTime: number;
  readonly status?: string;
}

function runsync({
  query = "?wait=2000",
  tookMs,
  executionTime,
  status = "COMPLETED",
}: Held): Exchange {
  const record = { id: "a", status, delayTime: 10, executionTime };
  const exchange = exchangeOf(record, { operation: "runsync" });
  const url = `http://a.test/v2/e/runsync${query}`;
  return { ...exchange, request: { ...exchange.request, url }, answeredAtMs: tookMs };
}

const held = ["runsync-holds"];
test.each([
  { what: "beyond its wait", tookMs: 4100, executionTime: 4000, learned: held },
  {
    what: "beyond the usual wait",
    query: "",
    tookMs: 94_100,
    executionTime: 94_000,
    learned: held,
  },
  { what: "and is late on its way", tookMs: 4100, executionTime: 1900, learned: [] },
  {
    what: "of a long job, told in the wrong unit",
    tookMs: 1500,
    executionTime: 1_400_000,
    learned: [],
  },
  {
    what: "whose job goes on",
    tookMs: 4100,
    executionTime: 4000,
    status: "IN_PROGRESS",
    learned: [],
  },
  { what: "within its wait", query: "?wait=5000", tookMs: 4100, executionTime: 4000, learned: [] },
  {
    what: "with a wait that is no number",
    query: "?wait=soon",
    tookMs: 4100,
    executionTime: 4000,
    learned: [],
  },
  {
    what: "with a wait below the least",
    query: "?wait=-1000",
    tookMs: 4100,
    executionTime: 4000,
    learned: [],
  },
])("of an answer of runsync $what is learned: $learned", ({ learned, ...row }) => {
  const discovery = new Discovery();
  learnHeld(discovery, runsync(row), new ConfiguredDialect(spec));
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});

test("nothing is learned of a wait that the dialect says not to be there", () => {
  const discovery = new Discovery();
  const lacksRequirements = { "SYNC-04": "a runsync waits for its job" };
  const dialect = new ConfiguredDialect({ ...spec, deviations: { lacksRequirements } });
  learnHeld(discovery, runsync({ tookMs: 4100, executionTime: 4000 }), dialect);
  expect(discovery.learned).toEqual([]);
});

test.each([
  { query: "?wait=2000", tookMs: 3100, isDoubted: true },
  { query: "?wait=2000", tookMs: 2900, isDoubted: false },
  { query: "", tookMs: 60_000, isDoubted: false },
])("what follows a runsync$query of $tookMs ms proves nothing: $isDoubted", (row) => {
  const recorder = new Recorder(new Redactor(), new ConfiguredDialect(spec));
  recorder.noteIfLate(runsync({ ...row, executionTime: 10 }));
  expect(recorder.findings.doubt !== undefined).toBe(row.isDoubted);
});

test.each([
  { what: "408 when its wait is over", status: 408, tookMs: 2000, learned: ["wait-over-408"] },
  { what: "408 at once", status: 408, tookMs: 5, learned: [] },
  { what: "500 when its wait is over", status: 500, tookMs: 2000, learned: [] },
])("what runsync answers as $what is learned where it is of its wait", (row) => {
  const discovery = new Discovery();
  const url = "http://a.test/v2/e/runsync?wait=2000";
  const exchange = exchangeOf({ id: "a", error: "time" }, { operation: "runsync", ...row });
  const { request } = exchange;
  learnWaitOver(discovery, {
    ...exchange,
    request: { ...request, url },
    answeredAtMs: exchange.sentAtMs + row.tookMs,
  });
  expect(discovery.learned.map(({ id }) => id)).toEqual(row.learned);
});

test("the answer of a wait that is over, which names the job alone, is read as that of one at work", () => {
  const deviations = { waitOver: 408 };
  const dialect = new ConfiguredDialect({ ...spec, deviations });
  const named = exchangeOf({ id: "a", error: "time" }, { operation: "runsync", status: 408 });
  expect(dialect.exchange(named).answer?.rawText()).toBe('{"id":"a","status":"IN_PROGRESS"}');
  const nameless = exchangeOf({ error: "time" }, { operation: "runsync", status: 408 });
  expect(dialect.exchange(nameless).answer?.status).toBe(408);
});

const atOnce = { tookMs: 5, executionTime: 0, status: "IN_QUEUE" };
const awaited = { tookMs: 5, executionTime: 2 };
const late = { tookMs: 1500, executionTime: 0, status: "IN_QUEUE" };
const waitOver = { tookMs: 2001, executionTime: 0, status: "IN_PROGRESS" };

test.each([
  { what: "three at once", answers: [atOnce, atOnce, atOnce], learned: ["runsync-never-waits"] },
  { what: "two at once", answers: [atOnce, atOnce], learned: [] },
  {
    what: "one of a job that ended before",
    answers: [awaited, atOnce, atOnce, atOnce],
    learned: [],
  },
  {
    what: "one whose wait was over before",
    answers: [waitOver, atOnce, atOnce, atOnce],
    learned: [],
  },
  {
    what: "three at once, and one that was late on its way",
    answers: [atOnce, late, atOnce, atOnce],
    learned: ["runsync-never-waits"],
  },
  {
    what: "six at once, and one that came when its wait was over",
    answers: [waitOver, atOnce, atOnce, atOnce, atOnce, atOnce, atOnce],
    learned: ["runsync-never-waits"],
  },
])("runsync awaits no job where it answers $what: $learned", ({ answers, learned }) => {
  const discovery = new Discovery();
  for (const answer of answers) learnNoWait(discovery, runsync(answer));
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});
