import { describe, expect, test } from "vitest";

import type { RequirementId } from "../../openapi/requirements.ts";
import type { BehaviourChange } from "../../reference/behaviour.ts";
import { realK6 } from "../../test/load/senders.ts";
import { runShared, limitOf } from "../../test/load/run-named.ts";
import type { SharedFindings, SharedRunOptions } from "../../test/load/run-named.ts";

// Each running k6 listens for the end of this process.
process.setMaxListeners(40);

const { k6, reason } = await realK6();
const k6Path = { path: k6?.path ?? "" };

const short: Readonly<Record<string, Omit<SharedRunOptions, "k6">>> = {
  "steady-mix": { windowMs: 1_000, durationMs: 2_000, scale: 0.25 },
  "whole-jobs": { windowMs: 1_000, durationMs: 2_000 },
  "webhook-storm": { windowMs: 1_000, durationMs: 2_000, scale: 0.5, webhookGraceMs: 1_000 },
  "cancel-storm": { windowMs: 1_000, durationMs: 4_000 },
  "stream-readers": { windowMs: 1_000, durationMs: 3_000, scale: 0.2 },
  "mix-k6": { windowMs: 1_000, durationMs: 3_000 },
};

interface Broken {
  readonly name: string;
  readonly what: string;
  readonly requirement: RequirementId;
  readonly behaviour: () => BehaviourChange;
}

const broken: readonly Broken[] = [
  {
    name: "steady-mix",
    what: "a limit that no runner reaches alone",
    requirement: "RATE-03",
    // An eighth of 200 in a second is sent: some 8 by each of three.
    behaviour: () => ({
      limits: {
        requestsPerWindow: (operation) => (operation === "status" ? 12 : limitOf(1_000)(operation)),
      },
    }),
  },
  {
    name: "whole-jobs",
    what: "jobs that never reach the queue",
    requirement: "LIFE-08",
    behaviour: () => ({ lifecycle: { entersQueue: everyFifth(true, false) } }),
  },
  {
    name: "webhook-storm",
    what: "webhooks that are not called",
    requirement: "HOOK-01",
    behaviour: () => ({ webhook: { isCalledFor: everyFifth(true, false) } }),
  },
];

describe.skipIf(k6 === undefined)(`runners of a scenario${reason && ` (${reason})`}`, () => {
  test.concurrent.each(Object.entries(short))(
    "%s: alone they decide nothing, together they are answered yes by the reference",
    async (name, size) => {
      const together = await runShared(name, { k6: k6Path, ...size });
      for (const [at, { verdict, reason: why, checks, figures }] of together.alone.entries()) {
        expect(verdict).toBe("inconclusive");
        expect(why).toContain(`runner ${at + 1} of 3 alone decides nothing`);
        expect(checks.map((check) => check.verdict)).not.toContain("pass");
        expect(figures).toEqual({ runner: at + 1, runners: 3 });
      }
      expect(["pass", excused(together)]).toContain(together.entry.verdict);
      expect(together.entry.answer).not.toBe("");
    },
  );

  test.concurrent.each(broken)(
    "$name: together they find $what",
    async ({ name, requirement, behaviour }) => {
      const size = short[name] ?? { windowMs: 1_000 };
      const together = await runShared(name, { k6: k6Path, ...size, behaviour: behaviour() });
      expect(["fail", excused(together)]).toContain(together.entry.verdict);
      if (together.entry.verdict === "inconclusive") return;
      const failed = together.checks.filter(({ verdict }) => verdict === "fail");
      expect(failed.flatMap(({ covers }) => covers)).toContain(requirement);
    },
  );

  test.concurrent("that do not begin together answer nothing", async () => {
    const size = { windowMs: 500, durationMs: 1_500, scale: 0.2 };
    // A longer delay than a busy machine causes for the other two.
    const late = { ...size, lateMs: [0, 0, 10_000] };
    const { entry } = await runShared("whole-jobs", { k6: k6Path, ...late });
    expect(entry.verdict).toBe("inconclusive");
    expect(entry.reason).toMatch(/\d{4,} ms from the first runner.s start/);
  });
});

/** On a machine that is too busy k6 decides nothing: that it was late is the one excuse there is. */
function excused({ entry: { verdict, reason: why = "" } }: SharedFindings): string {
  const isBusy = why
    .split("; ")
    .every((each) => /^k6: .*(begun in|late in|grew late|runner's start)/.test(each));
  return isBusy ? verdict : `no excuse: ${why}`;
}

function everyFifth<T>(right: T, wrong: T): () => T {
  let calls = 0;
  return () => {
    calls += 1;
    return calls % 5 === 0 ? wrong : right;
  };
}
