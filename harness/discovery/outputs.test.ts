import { expect, test } from "vitest";

import { parseJson } from "../../client/parse-json.ts";
import { valueAt } from "../../openapi/departures.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { dialectOf } from "./learned-dialect.ts";

const ended = { id: "a", status: "COMPLETED", delayTime: 1, executionTime: 2 };

test("outputs that are JSON as a text are one cause, and are read as what the text holds", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  const read = (output: unknown): unknown =>
    valueAt(
      parseJson(dialect.exchange(exchangeOf({ ...ended, output })).answer?.rawText() ?? ""),
      "output",
    );
  expect(read('{"value":[1,"é"]}')).toEqual({ value: [1, "é"] });
  expect(read('"a"')).toBe("a");
  expect(read("no JSON")).toBe("no JSON");
  expect(discovery.learned.map(({ id, breaks }) => [id, breaks])).toEqual([
    ["outputs-in-text", ["ENDP-05"]],
  ]);
});

test.each(["plain", 7, { value: '{"a":1}' }])(
  "after an output that is none, such as %j, a text is a fault of its own",
  (output) => {
    const discovery = new Discovery();
    const dialect = dialectOf({ discovery });
    dialect.exchange(exchangeOf({ ...ended, output }));
    dialect.exchange(exchangeOf({ ...ended, output: '{"a":1}' }));
    expect(discovery.learned).toEqual([]);
  },
);

const echoed = exchangeOf(
  { id: "a", status: "IN_QUEUE" },
  { operation: "run", sent: { input: { op: "echo", value: [1] } } },
);

test.each([
  { what: "in an object", output: { result: { value: [1] }, took: 3 }, member: "result" },
  { what: "in an array", output: [{ value: [1] }], member: "0" },
])("outputs that stand $what are one cause, and are read from there", ({ output, member }) => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  dialect.exchange(echoed);
  const read = dialect.exchange(exchangeOf({ ...ended, output })).answer?.rawText() ?? "";
  expect(valueAt(parseJson(read), "output")).toEqual({ value: [1] });
  const { learned } = discovery;
  expect(learned.map(({ id, breaks }) => [id, breaks])).toEqual([
    ["outputs-in-member", ["STAT-02"]],
  ]);
  expect(learned[0]?.text).toContain(` of its own, ${member}: `);
});

test("an output in a member is a fault of its own where another was plain, or not that of an echo", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  dialect.exchange(exchangeOf({ ...ended, output: { result: { value: [1] } } }));
  dialect.exchange(echoed);
  dialect.exchange(exchangeOf({ ...ended, output: { value: [1] } }));
  dialect.exchange(exchangeOf({ ...ended, output: { result: { value: [1] } } }));
  expect(discovery.learned).toEqual([]);
});

const run = exchangeOf({ id: "a", status: "IN_QUEUE" }, { operation: "run" });
const enveloped = exchangeOf({ data: ended }, { operation: "runsync" });
const alone = exchangeOf({ value: 1 }, { operation: "runsync" });

test.each([
  { what: "twice", answers: [run, alone, alone], learned: ["runsync-output-alone"] },
  { what: "once", answers: [run, alone], learned: [] },
  {
    what: "after a record",
    answers: [run, exchangeOf({ ...ended, output: 1 }, { operation: "runsync" }), alone, alone],
    learned: [],
  },
  {
    what: "twice, and records of unfinished jobs",
    answers: [
      run,
      exchangeOf({ id: "a", status: "IN_QUEUE" }, { operation: "runsync" }),
      alone,
      alone,
    ],
    learned: ["runsync-output-alone"],
  },
  {
    what: "in an envelope",
    answers: [run, enveloped, enveloped],
    learned: [],
  },
])("runsync that answers outputs alone, $what", ({ answers, learned }) => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  for (const answer of answers) dialect.exchange(answer);
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
  const isAsked = dialect.obstacle("runsync") === undefined;
  expect(isAsked).toBe(learned.length === 0);
});
