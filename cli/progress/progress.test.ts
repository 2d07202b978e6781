import { describe, expect, test, vi } from "vitest";
import type { RequirementResult } from "../../harness/judge.ts";
import type { CheckSummary, RunEvent } from "../../harness/run.ts";
import { fakeIo } from "../testing/fake-io.ts";
import type { FakeIo } from "../testing/fake-io.ts";
import { liveLines } from "./live-lines.ts";
import { createProgress } from "./progress.ts";
import type { Progress } from "./progress.ts";
import { RunFollower } from "./run-state.ts";
import type { RunState } from "./run-state.ts";

const header = { name: "run/at-once", title: "run answers at once", covers: ["RUNA-01"] } as const;

function finished(verdict: RequirementResult["verdict"], reason?: string): RunEvent {
  const nothing = { readings: [], mismatches: [], deviations: [], evidence: [] };
  const result = { ...header, verdict, durationMs: 12, ...nothing };
  return { type: "finished", result: reason === undefined ? result : { ...result, reason } };
}

const started: RunEvent = { type: "started", check: { ...header, needs: [], realTimeMs: 0 } };

function shown(given: Partial<FakeIo>, act: (progress: Progress) => void): string {
  const io = fakeIo(given);
  const progress = createProgress(io);
  act(progress);
  progress.stop();
  return io.output();
}

function failureIn(environment: Readonly<Record<string, string>>): string {
  return shown({ terminal: true, environment }, ({ onEvent }) => onEvent(finished("fail")));
}

describe("progress outside a terminal", () => {
  test("is a line for each check, with its reason where it did not pass", () => {
    const output = shown({}, ({ onEvent }) => {
      onEvent({ type: "planned", checks: 2 });
      onEvent(started);
      onEvent(finished("pass"));
      onEvent(finished("not-run", "needs\nclock"));
    });
    expect(output).toBe(
      "2 checks\npass          RUNA-01  run/at-once  12 ms\nnot-run       RUNA-01  run/at-once  needs clock\n",
    );
  });

  test("says of a long wait until when it is, and nothing of a short one", () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12) });
    const output = shown({}, ({ onEvent }) => {
      onEvent(started);
      onEvent({ type: "waiting", check: header.name, untilMs: Date.now() + 245_000 });
      onEvent({ type: "waiting", check: header.name, untilMs: Date.now() + 2000 });
    });
    vi.useRealTimers();
    expect(output).toBe("waiting       RUNA-01  run/at-once  until 12:04:05 UTC (4:05)\n");
  });
});

describe("progress on a terminal", () => {
  test("names what failed on a line that stays, and is gone at the end", () => {
    const given = { terminal: true, columns: 40, environment: { NO_COLOR: "1" } };
    const output = shown(given, ({ onEvent }) => {
      onEvent({ type: "planned", checks: 2 });
      onEvent(started);
      onEvent(finished("fail"));
    });
    expect(output).toContain("fail  RUNA-01  run answers at once\n");
    expect(output).toContain("1 of 2 checks, 1 failed");
    expect(output.endsWith("\r\u001B[J")).toBe(true);
  });

  test.each([
    { what: "TERM=dumb", environment: { TERM: "dumb" } },
    { what: "CI", environment: { CI: "true" } },
  ])("with $what moves no cursor", ({ environment }) => {
    const output = shown({ terminal: true, environment }, ({ onEvent }) => {
      onEvent(started);
      onEvent(finished("fail", "because"));
    });
    expect(output).toBe("fail          RUNA-01  run/at-once  because\n");
  });

  test("is without colour where NO_COLOR says so, and with it elsewhere", () => {
    expect(failureIn({ NO_COLOR: "1" })).not.toContain("\u001B[31m");
    expect(failureIn({ FORCE_COLOR: "1", TERM: "xterm" })).toContain("\u001B[31mfail");
  });
});

function checkNamed(at: number): CheckSummary {
  return { ...header, name: `area/check-number-${at}`, needs: [], realTimeMs: 0 };
}

function stateWith(waits: number, acting: number): RunState {
  const follower = new RunFollower();
  follower.follow({ type: "planned", checks: waits + acting }, 0);
  for (let at = 0; at < waits + acting; at += 1) {
    const check = checkNamed(at);
    follower.follow({ type: "started", check }, 0);
    const untilMs = 60_000 * (at + 1);
    if (at < waits) follower.follow({ type: "waiting", check: check.name, untilMs }, 0);
  }
  return follower.state;
}

describe("the lines of the moment", () => {
  test("show waits as bars, the first to end first, then what acts", () => {
    const lines = liveLines(stateWith(2, 2), {
      columns: 100,
      rows: 24,
      nowMs: 30_000,
      load: "1990 of 2000 sent",
    });
    expect(lines).toEqual([
      "0 of 4 checks, 0 failed; 2 running, 2 waiting",
      "1990 of 2000 sent",
      "RUNA-01  area/check-number-0 [###############---------------] 30 s",
      "RUNA-01  area/check-number-1 [#######-----------------------] 1:30",
      "running area/check-number-2, area/check-number-3",
    ]);
  });

  test("forget a wait whose moment has come", () => {
    const lines = liveLines(stateWith(1, 1), { columns: 100, rows: 24, nowMs: 60_000, load: "" });
    expect(lines.at(-1)).toBe("running area/check-number-0, area/check-number-1");
  });

  test.each([20, 21, 40, 59, 60, 80, 200])("fit into %i columns and few rows", (columns) => {
    for (const rows of [1, 2, 3]) {
      const [head = "", ...more] = liveLines(stateWith(30, 5), {
        columns,
        rows,
        nowMs: 1000,
        load: "",
      });
      expect(head.length).toBeLessThan(columns);
      expect(more).toEqual([]);
    }
    for (const rows of [5, 24, 60]) {
      const lines = liveLines(stateWith(30, 5), { columns, rows, nowMs: 1000, load: "" });
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
      expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 2));
      expect(lines.length).toBeLessThanOrEqual(12);
      expect(lines[0]).toMatch(/^0( of |\/)35/);
      expect(lines.join("\n")).toMatch(/\d+ more wait|^RUNA-01/m);
    }
  });
});
