import { expect, test } from "vitest";
import { Answer } from "../../client/exchange.ts";
import { Redactor } from "../../client/redactor.ts";
import type { Exchange } from "../../client/exchange.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { History } from "../../harness/history.ts";
import { ConfiguredDialect } from "../../harness/dialects/configured-dialect.ts";
import { spec } from "../../harness/dialects/spec.ts";
import { evidenceOf } from "../../harness/evidence/evidence.ts";
import { Recorder } from "../../harness/evidence/recorder.ts";
import { Expectations } from "../../harness/expect.ts";
import { judgeCounts } from "./judge-counts.ts";

/** One observation of a run about its endpoint `e`. Each takes a millisecond, one after the other. */
type Step = Exchange | "clock moved";

const counts = { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 };

function health(changed: Partial<typeof counts>): Step {
  const workers = { idle: 1, running: 0 };
  return exchangeOf({ jobs: { ...counts, ...changed }, workers }, { operation: "health" });
}

const submitted = exchangeOf({ id: "j", status: "IN_QUEUE" }, { operation: "run" });
const waits = exchangeOf({ id: "j", status: "IN_QUEUE" });
const works = exchangeOf({ id: "j", status: "IN_PROGRESS" });
const failed = exchangeOf({ id: "j", status: "FAILED" });
const retried = exchangeOf({ id: "j", status: "IN_QUEUE" }, { operation: "retry" });
const brokenOff: Step = {
  ...submitted,
  answer: undefined,
  failure: { kind: "aborted", message: "" },
};
const sentAgain: Step = { ...submitted, unanswered: [{ kind: "connection", message: "" }] };
const refused: Step = { ...submitted, answer: new Answer(400, {}, "") };
const refusedLater: Step = { ...submitted, operation: "runsync", answer: new Answer(404, {}, "") };

/** The differences that are recorded for the counts of a run, each with its requirement. */
function brokenBy(...steps: readonly Step[]): readonly string[] {
  const history = new History({ keepsCounts: true });
  const redactor = new Redactor();
  for (const [at, step] of steps.entries()) {
    const span = { sentAtMs: 2 * at, answeredAtMs: 2 * at + 1 };
    if (step === "clock moved") history.settled("e", span);
    else
      history.observe({ ...step, ...span }, (seen) =>
        evidenceOf(seen, redactor, { startedAtMs: 0 }),
      );
  }
  const { findings } = new Recorder(redactor, new ConfiguredDialect(spec));
  const judged = new Expectations("HLTH-02", findings);
  judgeCounts(history, { expect: judged, attach: () => undefined });
  return findings.mismatches.map(({ requirement, expected }) => `${requirement}: ${expected}`);
}

test("a job that was shown as over neither waits nor is processed", () => {
  const wrong = ["HLTH-02: at most 0, the jobs that had not ended"];
  expect(brokenBy(submitted, failed, "clock moved", health({ inQueue: 1 }))).toEqual(wrong);
  expect(brokenBy(submitted, failed, "clock moved", health({ inProgress: 1 }))).toEqual(wrong);
  expect(brokenBy(submitted, waits, "clock moved", health({ inQueue: 1 }))).toEqual([]);
});

test("a refused submission makes no job", () => {
  expect(brokenBy(refused, health({ inQueue: 1 }))).toHaveLength(1);
});

test.each([
  ["nothing has settled since it was shown as over", [submitted, failed]],
  ["it was retried since", [submitted, failed, "clock moved", retried]],
  ["a submission was broken off", [brokenOff]],
  ["a submission was sent again", [sentAgain, failed, "clock moved"]],
  ["a runsync was refused, perhaps only when its job was removed", [refusedLater]],
] as const)("one may be counted where %s", (_why, steps) => {
  expect(brokenBy(...steps, health({ inQueue: 1 }))).toEqual([]);
});

test("a job that is the same before and after is counted", () => {
  const [queued, inProgress] = [
    "HLTH-02: at least 1, the jobs that were IN_QUEUE before and after",
    "HLTH-02: at least 1, the jobs that were IN_PROGRESS before and after",
  ];
  expect(brokenBy(submitted, waits, "clock moved", health({}), waits)).toEqual([queued]);
  expect(brokenBy(submitted, works, "clock moved", health({}), works)).toEqual([inProgress]);
  expect(brokenBy(submitted, waits, "clock moved", health({}), works)).toEqual([]);
  expect(brokenBy(submitted, waits, "clock moved", health({}), retried, waits)).toEqual([]);
});

test("no more end, and no more are retried, than can have been", () => {
  const over = [submitted, failed, "clock moved", health({ failed: 1 })] as const;
  expect(brokenBy(...over, health({ failed: 2 }))).toEqual(["HLTH-03: at most 0 more"]);
  expect(brokenBy(...over, health({ failed: 1, completed: 1 }))).toEqual([
    "HLTH-03: at most 0 more",
  ]);
  expect(brokenBy(...over, health({ failed: 1, retried: 1 }))).toEqual(["HLTH-04: at most 0 more"]);
  expect(brokenBy(...over, retried, failed, health({ failed: 2, retried: 1 }))).toEqual([]);
});

test("nothing is judged where a crash may have led a job back", () => {
  const crash: Step = {
    ...submitted,
    request: { ...submitted.request, body: '{"input":{"op":"crash"}}' },
  };
  expect(brokenBy(crash, failed, "clock moved", health({ inQueue: 1 }))).toEqual([]);
  const unanswered: Step = { ...crash, answer: refused.answer };
  const steps = [health({}), unanswered, "clock moved", health({ retried: 1 })] as const;
  expect(brokenBy(...steps)).toEqual([]);
});
