import { expect, test } from "vitest";

import type { CheckHeader } from "./check.ts";
import { notRunResult } from "./judge.ts";
import { Runner } from "./runner.ts";
import type { CheckRun, Turn } from "./runner.ts";
import type { Verdict } from "../reports/verdict.ts";

interface Tried {
  /** `name attempt` of each check when it begins, `-` where a turn is over. */
  readonly told: readonly string[];
  /** What was reported when each ended: `name verdict`, and `again` where it is to be repeated. */
  readonly ended: readonly string[];
  readonly runner: Runner<CheckHeader, CheckRun>;
  readonly runAll: () => Promise<void>;
}

interface Given {
  /** By the check's name, attempt by attempt; the last one stays. */
  readonly verdicts: Readonly<Record<string, readonly Verdict[]>>;
  readonly turnsOf?: (checks: readonly CheckHeader[]) => readonly Turn<CheckHeader>[];
  readonly isWorthRepeating?: boolean;
  /** Stops the run when it is about to give the verdict of `name attempt`. */
  readonly stopAt?: string;
}

function tried({ verdicts, isWorthRepeating = true, stopAt, ...given }: Given): Tried {
  const { turnsOf = (checks): readonly Turn<CheckHeader>[] => [[checks]] } = given;
  const told: string[] = [];
  const ended: string[] = [];
  const stop = new AbortController();
  const runner = new Runner<CheckHeader, CheckRun>({
    signal: stop.signal,
    roundOf: (checks, attempt) => ({
      turns: turnsOf(checks),
      run: async (check, isAlone) => {
        const { name } = check;
        told.push(`${name} ${attempt}${isAlone ? " alone" : ""}`);
        await Promise.resolve();
        if (stopAt === `${name} ${attempt}`) stop.abort();
        const verdict = verdicts[name]?.slice(0, attempt).at(-1) ?? "pass";
        const result = { ...notRunResult(check, "STAT-01", `attempt ${attempt}`), verdict };
        return { results: [result], isWorthRepeating };
      },
      tidy: async () => {
        told.push("-");
        await Promise.resolve();
      },
    }),
    onEnded: ({ name }, { results: [result] }, { isToRepeat }) => {
      ended.push(`${name} ${result?.verdict ?? ""}${isToRepeat ? " again" : ""}`);
    },
  });
  const checks = Object.keys(verdicts).map((name) => headerOf(name));
  return { told, ended, runner, runAll: async () => runner.runAll(checks) };
}

function headerOf(name: string): CheckHeader {
  return { name, title: name, covers: ["STAT-01"] };
}

test("lanes of a turn run side by side, the checks of a lane and the turns one after the other", async () => {
  const { told, runAll } = tried({
    verdicts: { a: ["pass"], b: ["pass"], c: ["pass"], d: ["pass"] },
    turnsOf: ([a, b, c, d]) => [
      [[a, b].filter((each) => each !== undefined), c === undefined ? [] : [c]],
      [d === undefined ? [] : [d]],
    ],
  });
  await runAll();
  expect(told).toEqual(["a 1", "c 1", "b 1", "-", "d 1 alone", "-"]);
});

test("what was not decided is asked again when all others have ended, twice at most", async () => {
  const { told, ended, runner, runAll } = tried({
    verdicts: { a: ["inconclusive"], b: ["fail"], c: ["inconclusive", "pass"] },
  });
  await runAll();
  expect(told.filter((each) => each !== "-")).toEqual(
    ["a 1", "b 1", "c 1", "a 2", "c 2", "a 3"].map((each) => `${each} alone`),
  );
  expect(ended).toEqual([
    "a inconclusive again",
    "b fail",
    "c inconclusive again",
    "a inconclusive again",
    "c pass",
    "a inconclusive",
  ]);
  const [result] = runner.ranOf(headerOf("a"))?.results ?? [];
  expect(result).toMatchObject({
    reason: "attempt 3",
    attempts: [{ reason: "attempt 1" }, { reason: "attempt 2" }],
  });
});

test("what would not be decided in another attempt is asked once", async () => {
  const { told, runAll } = tried({ verdicts: { a: ["inconclusive"] }, isWorthRepeating: false });
  await runAll();
  expect(told).toEqual(["a 1 alone", "-"]);
});

test("an attempt that a stop cut off counts for nothing, and is the last one", async () => {
  const { told, ended, runner, runAll } = tried({
    verdicts: { a: ["inconclusive", "not-run"], b: ["inconclusive", "fail"] },
    stopAt: "a 2",
  });
  await runAll();
  expect(told).toContain("b 2 alone");
  expect(ended.slice(2)).toEqual(["a inconclusive", "b fail"]);
  const [first] = runner.ranOf(headerOf("a"))?.results ?? [];
  expect(first?.reason).toBe("attempt 1");
  expect(first).not.toHaveProperty("attempts");
  expect(runner.ranOf(headerOf("b"))?.results[0]?.attempts).toHaveLength(1);
});

test("a round is closed also where something throws", async () => {
  let closed = 0;
  const runner = new Runner<CheckHeader, CheckRun>({
    roundOf: () => ({
      turns: [[[headerOf("a")]]],
      run: async () => Promise.resolve({ results: [], isWorthRepeating: false }),
      tidy: async () => Promise.reject(new Error("in the middle")),
      close: async () => {
        closed += 1;
        await Promise.resolve();
      },
    }),
    onEnded: () => undefined,
  });
  await expect(runner.runAll([headerOf("a")])).rejects.toThrow("in the middle");
  expect(closed).toBe(1);
});
