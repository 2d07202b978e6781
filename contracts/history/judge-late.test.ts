import { expect, test } from "vitest";

import type { AnswerTime } from "../../harness/answer-times.ts";
import { Expectations } from "../../harness/expect.ts";
import { Redactor } from "../../client/redactor.ts";
import { ConfiguredDialect } from "../../harness/dialects/configured-dialect.ts";
import { spec } from "../../harness/dialects/spec.ts";
import { Recorder } from "../../harness/evidence/recorder.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { judgeLate } from "./judge-late.ts";

/** Answers of an operation, one every 100 ms, of which every n-th takes so long. */
function answers(
  operation: OperationName,
  {
    count = 100,
    ms = 5,
    every = 0,
    lateMs = 0,
    findsNoConnection = false,
  }: Partial<Record<"count" | "ms" | "every" | "lateMs", number>> &
    Partial<Pick<AnswerTime, "findsNoConnection">> = {},
): readonly AnswerTime[] {
  return Array.from({ length: count }, (_, at) => {
    const tookMs = every > 0 && at % every === 0 ? lateMs : ms;
    return { operation, sentAtMs: at * 100, answeredAtMs: at * 100 + tookMs, findsNoConnection };
  });
}

test.each([
  ["nothing is late", [...answers("run"), ...answers("status")], []],
  [
    "one operation is late each time",
    [...answers("cancel", { count: 10, ms: 3000 }), ...answers("status")],
    ["CANC-03"],
  ],
  [
    "one operation is late now and then",
    [...answers("stream", { every: 10, lateMs: 8000 }), ...answers("status")],
    ["STRM-01"],
  ],
  [
    "new connections are taken in late",
    [...answers("run", { count: 30, ms: 3000, findsNoConnection: true }), ...answers("status")],
    [],
  ],
  [
    "one operation is late on new connections, and another is not",
    [
      ...answers("run", { count: 30, ms: 3000, findsNoConnection: true }),
      ...answers("status", { findsNoConnection: true }),
    ],
    ["RUNA-01"],
  ],
  [
    "few answers are late",
    [...answers("status", { count: 300, every: 100, lateMs: 3000 }), ...answers("run")],
    [],
  ],
  [
    "every operation is late now and then",
    (["run", "status", "stream"] as const).flatMap((each) =>
      answers(each, { every: 10, lateMs: 3000 }),
    ),
    [],
  ],
  [
    "the whole target is slow",
    [...answers("run", { ms: 3000 }), ...answers("status", { ms: 2500 })],
    [],
  ],
  [
    "it takes less than two seconds",
    [...answers("cancel", { count: 10, ms: 1900 }), ...answers("status")],
    [],
  ],
  ["a runsync waits", [...answers("runsync", { ms: 9000 }), ...answers("status")], []],
])("where %s", (_, times, broken) => {
  const { findings } = new Recorder(new Redactor(), new ConfiguredDialect(spec));
  judgeLate(times, { expect: new Expectations("STAT-01", findings), attach: () => undefined });
  expect([...new Set(findings.mismatches.map(({ requirement }) => requirement))]).toEqual(broken);
});
