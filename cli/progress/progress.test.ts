import { describe, expect, test, vi } from "vitest";
import type { RequirementResult } from "../../harness/judge.ts";
import type { CheckSummary, RunEvent } from "../../harness/run-events.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { FakeIo } from "../../test/cli/fake-io.ts";
import { liveLines } from "./live-lines.ts";
import { createProgress } from "./progress.ts";
import type { Progress } from "./progress.ts";
import { RunFollower } from "./run-state.ts";
import type { RunState } from "./run-state.ts";

const header = { name: "run/at-once", title: "run answers at once", covers: ["RUNA-01"] } as const;

function finished(
  verdict: RequirementResult["verdict"],
  reason?: string,
  given: Partial<RequirementResult> = {},
): RunEvent {
  const nothing = { readings: [], mismatches: [], deviations: [], evidence: [] };
  const result = { ...header, verdict, durationMs: 12, ...nothing, ...given };
  return { type: "finished", result: reason === undefined ? result : { ...result, reason } };
}

const started: RunEvent = { type: "started", check: { ...header, needs: [], realTimeMs: 0 } };

interface Given extends Partial<FakeIo> {
  readonly verbose?: boolean;
}

function shown({ verbose = false, ...given }: Given, act: (progress: Progress) => void): string {
  const io = fakeIo(given);
  const progress = createProgress(io, verbose);
  act(progress);
  progress.stop();
  return io.output();
}

function failureIn(environment: Readonly<Record<string, string>>): string {
  return shown({ terminal: true, environment }, ({ onEvent }) => onEvent(finished("fail")));
}

function runSome({ onEvent }: Progress): void {
  onEvent({ type: "planned", checks: 2 });
  onEvent(started);
  onEvent(finished("pass"));
  onEvent(finished("fail", "because"));
  onEvent(finished("not-run", "needs\nclock"));
}

describe("progress outside a terminal", () => {
  const failed = "fail          RUNA-01  run/at-once  because\n";

  test("is how many checks run, and what failed", () => {
    expect(shown({}, runSome)).toBe(`2 checks to run\n${failed}`);
  });

  test("tells a requirement once, and a cause once, whatever fails for it", () => {
    const output = shown({}, ({ onEvent }) => {
      onEvent(finished("fail", "because"));
      onEvent(finished("fail", "because of something else"));
      for (const id of ["SUBM-01", "SUBM-02"] as const) {
        onEvent(finished("fail", "a 422", { covers: [id], cause: "refusals-422" }));
      }
    });
    expect(output).toBe(`${failed}fail          SUBM-01  run/at-once  a 422\n`);
  });

  test("tells every half minute how far a long run is, until it ends", () => {
    vi.useFakeTimers();
    try {
      const io = fakeIo({});
      const progress = createProgress(io, false);
      runSome(progress);
      vi.advanceTimersByTime(60_000);
      progress.stop();
      vi.advanceTimersByTime(60_000);
      const line = "1 of 2 checks, 1 failed\n";
      expect(io.output()).toBe(`2 checks to run\n${failed}${line}${line}`);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([true, false])(
    "is verbose a line for each check, with its reason (terminal %s)",
    (terminal) => {
      expect(shown({ verbose: true, terminal }, runSome)).toBe(
        [
          "2 checks to run",
          "pass          RUNA-01  run/at-once  12 ms",
          "fail          RUNA-01  run/at-once  because",
          "not-run       RUNA-01  run/at-once  needs clock",
          "",
        ].join("\n"),
      );
    },
  );

  test.each([
    { verbose: false, waitsMs: [245_000, 246_000, 2000], told: 1 },
    { verbose: false, waitsMs: [20_000], told: 0 },
    { verbose: true, waitsMs: [245_000, 246_000, 2000], told: 2 },
  ])("says of waits until when they are ($verbose): $waitsMs", ({ verbose, waitsMs, told }) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12) });
    const output = shown({ verbose }, ({ onEvent }) => {
      onEvent(started);
      for (const ms of waitsMs)
        onEvent({ type: "waiting", check: header.name, untilMs: Date.now() + ms });
    });
    vi.useRealTimers();
    const lines = [
      "waiting       RUNA-01  run/at-once  until 12:04:05 UTC (4:05)\n",
      "waiting       RUNA-01  run/at-once  until 12:04:06 UTC (4:06)\n",
    ];
    expect(output).toBe(lines.slice(0, told).join(""));
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
      onEvent({ type: "planned", checks: 1 });
      onEvent(started);
      onEvent(finished("fail", "because"));
    });
    expect(output).toBe("1 check to run\nfail          RUNA-01  run/at-once  because\n");
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

  test("tell how long a run on a real clock still takes", () => {
    const follower = new RunFollower();
    const names = ["runsync/waits-90-seconds", "runsync/result-kept-1-minute"];
    const sharing = { names, workers: [3] };
    follower.follow({ type: "planned", checks: 2, sharing }, 0);
    const headAt = (nowMs: number): string | undefined =>
      liveLines(follower.state, { columns: 100, rows: 24, nowMs, load: "" })[0];
    expect(headAt(0)).toMatch(/; 0 running, 0 waiting; 1:\d\d left$/);

    for (const name of names) {
      const check = { ...header, name, needs: [], realTimeMs: 60_000 };
      follower.follow({ type: "started", check }, 0);
    }
    const [first = "", second = ""] = names;
    const ended = { type: "ended", attempt: 1, heldMs: { sharing: 0, alone: 0 } } as const;
    follower.follow({ ...ended, check: first, isToRepeat: true }, 50_000);
    expect(headAt(50_000)).toMatch(/; 2 running, 0 waiting; 1:10 left$/);
    follower.follow({ ...ended, check: second, isToRepeat: false }, 60_000);
    expect(headAt(60_000)).toMatch(/; 1:00 left$/);
    follower.follow({ type: "bounded", untilMs: 90_000 }, 60_000);
    expect(headAt(60_000)).toMatch(/; 30 s left$|; 0:30 left$/);
    expect(headAt(120_000)).toMatch(/; longer than planned$/);
    follower.follow({ type: "bounded", untilMs: 150_000 }, 120_000);
    expect(headAt(120_000)).toMatch(/; longer than planned, 30 s more at most$/);
    follower.follow({ ...ended, check: first, attempt: 2, isToRepeat: false }, 120_000);
    expect(headAt(120_000)).toMatch(/; 0 running, 0 waiting$|2 running, 0 waiting$/);
  });

  test("tell by the owner's slow job how long a run still takes, as soon as it was tried", () => {
    const follower = new RunFollower();
    const slow = { atLeastMs: 16_000, atMostMs: 300_000 };
    const sharing = { names: ["purge/in-progress-keeps-running"], workers: [3], own: { slow } };
    follower.follow({ type: "planned", checks: 1, sharing }, 0);
    const before = follower.state.untilMs ?? 0;
    follower.follow({ type: "tried-jobs", seen: { slowMs: 116_000 } }, 0);
    expect((follower.state.untilMs ?? 0) - before).toBe(100_000);
  });

  test("count what is to be run, without what is left out", () => {
    const follower = new RunFollower();
    follower.follow({ type: "planned", checks: 3 }, 0);
    follower.follow({ ...finished("not-run", "needs clock") }, 0);
    follower.follow(started, 0);
    follower.follow(finished("pass"), 0);
    follower.follow({ type: "left-out", check: "b" }, 0);
    follower.follow(finished("fail", undefined, { name: "discovery/ttl-ignored" }), 0);
    const lines = liveLines(follower.state, { columns: 80, rows: 24, nowMs: 0, load: "" });
    expect(lines).toEqual(["1 of 2 checks, 0 failed; 0 running, 0 waiting"]);
  });

  test("keep of a check's name what a terminal of 40 columns has room for", () => {
    const state = stateWith(1, 0);
    const at = (columns: number): string | undefined =>
      liveLines(state, { columns, rows: 24, nowMs: 0, load: "" })[1];
    expect(at(40)).toBe("area/check-number-0 [-----------] 1:00");
    expect(at(24)).toBe("…heck-number-0 1:00");
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
      expect(lines.join("\n")).toMatch(/\d+ more wait|number-0/);
    }
  });
});
