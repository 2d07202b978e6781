import { describe, expect, test } from "vitest";

import type { OwnJobKinds } from "../../harness/inputs/jobs-file.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { specified } from "../../reference/behaviour.ts";
import type { BehaviourChange } from "../../reference/behaviour.ts";
import { scenarios } from "../../scenarios/scenarios.ts";
import { realK6 } from "../../test/load/senders.ts";
import type { ScenarioFinding } from "./judge.ts";
import { ask, lowered } from "../../test/load/run-named.ts";
import type { NamedRunOptions } from "../../test/load/run-named.ts";

const { k6, reason } = await realK6();
const path = { path: k6?.path ?? "" };

/** As short as each can be and still see what it looks for. */
const short: Readonly<Record<string, Omit<NamedRunOptions, "k6" | "behaviour">>> = {
  "steady-mix": { durationMs: 2_000 },
  climb: { durationMs: 5_000 },
  spike: { windowMs: 1_500, durationMs: 7_500 },
  soak: { durationMs: 4_000 },
  "whole-jobs": { durationMs: 2_000 },
  "stream-readers": { durationMs: 3_000, scale: 0.1 },
  "webhook-storm": { durationMs: 2_000, webhookGraceMs: 5_000 },
  "cancel-storm": { windowMs: 1_000, durationMs: 4_000 },
  "deep-queue": { scale: 0.01 },
  "retention-churn": { scale: 0.1 },
  "mix-k6": { durationMs: 2_000 },
};

/** What stands in a jobs file: the handler gives back the values of both. */
const ownJobs: OwnJobKinds = {
  known: [1, [1, { a: 2 }]].map((value) => ({
    input: { op: "echo", value },
    output: { value },
    atMostMs: 500,
  })),
  slow: { input: { op: "sleep", ms: 600_000 }, atLeastMs: 600_000, atMostMs: 601_000 },
  streaming: {
    input: { op: "stream", count: 5, intervalMs: 100 },
    chunksAtLeast: 5,
    atMostMs: 1500,
  },
};

interface Broken {
  readonly name: string;
  readonly what: string;
  readonly requirement?: RequirementId;
  readonly behaviour: () => BehaviourChange;
  readonly webhookGraceMs?: number;
}

const broken: readonly Broken[] = [
  {
    name: "steady-mix",
    what: "a tenth of a limit",
    requirement: "RATE-03",
    behaviour: () => ({ limits: lowered({ status: 100 }) }),
  },
  {
    name: "climb",
    what: "a tenth of a limit",
    requirement: "RATE-03",
    behaviour: () => ({ limits: lowered({ status: 100 }) }),
  },
  {
    name: "spike",
    what: "a limiter that never forgives",
    requirement: "RATE-09",
    behaviour: () => ({ limits: { limiterOf: unforgiving } }),
  },
  {
    name: "soak",
    what: "outputs that are lost",
    requirement: "LIFE-08",
    behaviour: () => ({ lifecycle: { keptOutput: everyFifth((output) => output, {}) } }),
  },
  {
    name: "whole-jobs",
    what: "jobs that never reach the queue",
    requirement: "LIFE-08",
    behaviour: () => ({ lifecycle: { entersQueue: everyFifth(() => true, false) } }),
  },
  {
    name: "whole-jobs",
    what: "an output of another job",
    requirement: "STAT-02",
    behaviour: () => ({
      lifecycle: { keptOutput: everyFifth((output) => output, { value: "of another" }) },
    }),
  },
  {
    name: "stream-readers",
    what: "chunks that get lost",
    requirement: "STRM-02",
    behaviour: () => ({ stream: { keep: withoutEveryFifth } }),
  },
  {
    name: "webhook-storm",
    what: "webhooks that are not called",
    requirement: "HOOK-01",
    behaviour: () => ({ webhook: { isCalledFor: everyFifth(() => true, false) } }),
    webhookGraceMs: 300,
  },
  {
    name: "webhook-storm",
    what: "webhooks that are called again",
    requirement: "HOOK-03",
    behaviour: () => ({ webhook: { acknowledges: () => false, spacingMs: () => 10 } }),
  },
  {
    name: "cancel-storm",
    what: "refused cancels that take effect",
    requirement: "RATE-13",
    behaviour: () => ({ limits: { refusalLeavesUndone: () => false } }),
  },
  {
    name: "deep-queue",
    what: "jobs that never reach the queue",
    requirement: "LIFE-08",
    behaviour: () => ({ lifecycle: { entersQueue: everyFifth(() => true, false) } }),
  },
  {
    name: "retention-churn",
    what: "results that go after 10 minutes",
    requirement: "RUNA-04",
    behaviour: () => ({ retention: { keptMs: () => 600_000 } }),
  },
  {
    name: "retention-churn",
    what: "results that stay for an hour",
    requirement: "RUNA-05",
    behaviour: () => ({ retention: { keptMs: () => 3_600_000 } }),
  },
];

describe.skipIf(k6 === undefined)(`a scenario run by k6${reason && ` (${reason})`}`, () => {
  async function expectNotAnsweredNo(name: string): Promise<void> {
    const finding = await ask(name, { k6: path, ...short[name] });
    expect(["pass", excused(finding)], finding.reason).toContain(finding.verdict);
    expect(Object.keys(finding.figures).length).toBeGreaterThan(2);
    expect(finding.figures[firstFigureOf(name)]).toBeGreaterThan(0);
  }

  // It asks whether this process grows or gets slower: no other test may be at work in it.
  test.each(["soak"])("%s is never answered no by the reference", expectNotAnsweredNo);

  test.concurrent.each(Object.keys(short).filter((name) => name !== "soak"))(
    "%s is never answered no by the reference",
    expectNotAnsweredNo,
  );

  const withOwnJobs = Object.keys(short).filter((name) => !["soak", "deep-queue"].includes(name));
  test.concurrent.each(withOwnJobs)(
    "%s is never answered no by the reference with jobs of one's own",
    async (name) => {
      const finding = await ask(name, { k6: path, ...short[name], jobs: ownJobs });
      expect(["pass", excused(finding)], finding.reason).toContain(finding.verdict);
      expect(finding.figures[firstFigureOf(name)]).toBeGreaterThan(0);
    },
  );

  test.concurrent(
    "mix-k6 finds the objective that is broken, and says so of no other",
    async () => {
      const promises = [
        { name: "status p50", subject: "status", measure: "latency", share: 0.5, bound: 100 },
        { name: "status max", subject: "status", measure: "latency", share: 1, bound: 20_000 },
        { name: "mix errors", subject: "mix", measure: "errors", share: 1, bound: 0.1 },
      ] as const;
      const perSecond = { run: 2, status: 10, health: 1 };
      const mix = { arrival: "even", perSecond, jobs: { quick: 1 }, promises } as const;
      const behaviour = { transport: { delayAfterMs: () => 150 } };
      const finding = await ask("mix-k6", { k6: path, durationMs: 2_000, mix, behaviour });
      expect(["fail", excused(finding)], finding.reason).toContain(finding.verdict);
      const verdicts = finding.objectives.map(({ verdict }) => verdict);
      const isOpen = finding.verdict === "inconclusive";
      expect(verdicts).toEqual(isOpen ? verdicts : ["fail", "pass", "pass"]);
    },
  );

  test.concurrent("an output that is not the job's own is found with known jobs, too", async () => {
    const lifecycle = { keptOutput: everyFifth((output) => output, { value: "of another" }) };
    const size = { ...short["whole-jobs"], behaviour: { lifecycle } };
    const finding = await ask("whole-jobs", { k6: path, ...size, jobs: ownJobs });
    expect(["fail", excused(finding)], finding.reason).toContain(finding.verdict);
  });

  test.concurrent.each(["whole-jobs", "webhook-storm"])(
    "%s decides nothing where jobs of one's own do not complete in time",
    async (name) => {
      const quick = { input: { op: "sleep", ms: 60_000 }, atMostMs: 500 };
      const size = { ...short[name], scale: 0.1, webhookGraceMs: 100 };
      const finding = await ask(name, { k6: path, ...size, jobs: { quick } });
      expect(finding.verdict).toBe("inconclusive");
      expect(finding.reason).toMatch(/jobs of your own that did not complete in time/);
    },
  );

  test.concurrent.each(broken)(
    "$name is never answered yes by a reference with $what",
    async ({ name, requirement, behaviour, webhookGraceMs }) => {
      const size = { ...short[name], webhookGraceMs: webhookGraceMs ?? 5_000 };
      const finding = await ask(name, { k6: path, ...size, behaviour: behaviour() });
      expect(["fail", excused(finding)]).toContain(finding.verdict);
      if (finding.verdict === "inconclusive") return;
      const failed = finding.checks.filter(({ verdict }) => verdict === "fail");
      expect(failed.flatMap(({ covers }) => covers)).toContain(requirement);
    },
  );
});

/** Reasons that a too busy machine explains: k6 was late, or answers of the reference beside it were. */
const ofBusyMachines =
  /^k6: .*(?:begun in|late in|grew late)|^[\d.]+ ms that the slowest twentieth grew by/;

/** On a machine that is too busy k6 decides nothing: that is the one excuse there is. */
function excused({ verdict, reason: why = "" }: ScenarioFinding): string {
  const isBusy = why.split("; ").every((each) => ofBusyMachines.test(each));
  return isBusy ? verdict : `no excuse: ${why}`;
}

test("each scenario is run rightly and wrongly above", () => {
  expect(Object.keys(short)).toEqual(scenarios.map(({ name }) => name));
  expect(new Set([...broken.map(({ name }) => name), "mix-k6"])).toEqual(
    new Set(Object.keys(short)),
  );
});

/** The label of a scenario's first figure, which counts what was done and is never 0. */
function firstFigureOf(name: string): string {
  const scenario = scenarios.find((each) => each.name === name);
  const first = scenario?.plan({
    durationMs: 1_000,
    scale: 1,
    limits: { windowMs: 10_000, of: () => 100 },
    capabilities: [],
  }).figures[0];
  return first?.label ?? "";
}

/** Does it right four times of five. */
function everyFifth<Args extends readonly unknown[], T>(
  right: (...args: Args) => T,
  wrong: T,
): (...args: Args) => T {
  let calls = 0;
  return (...args) => {
    calls += 1;
    return calls % 5 === 0 ? wrong : right(...args);
  };
}

let kept = 0;
function withoutEveryFifth({ chunks }: { readonly chunks: unknown[] }, chunk: unknown): void {
  kept += 1;
  if (kept % 5 !== 0) chunks.push(chunk);
}

/** Once it has refused a request it refuses all. */
function unforgiving(scope: Parameters<typeof specified.limits.limiterOf>[0]): {
  readonly take: (nowMs: number, limit: number) => boolean;
} {
  const limiter = specified.limits.limiterOf(scope);
  let hasRefused = false;
  return {
    take: (nowMs, limit) => {
      hasRefused ||= !limiter.take(nowMs, limit);
      return !hasRefused;
    },
  };
}
