import { describe, expect, test } from "vitest";
import type { CheckResult, ContractEvent } from "../../contracts/index.ts";
import { fakeIo } from "../testing/fake-io.ts";
import { createProgress } from "./progress.ts";

const header = { name: "run/at-once", title: "run answers at once", covers: ["RUNA-01"] } as const;

function finished(verdict: CheckResult["verdict"], reason?: string): ContractEvent {
  const nothing = { readings: [], mismatches: [], deviations: [], evidence: [] };
  const result = { ...header, verdict, durationMs: 12, ...nothing };
  return { type: "finished", result: reason === undefined ? result : { ...result, reason } };
}

const started: ContractEvent = { type: "started", check: { ...header, needs: [], realTimeMs: 0 } };

describe("progress outside a terminal", () => {
  test("is a line for each check, with its reason where it did not pass", () => {
    const io = fakeIo();
    const progress = createProgress(io);
    progress.onEvent({ type: "planned", checks: 2 });
    progress.onEvent(started);
    progress.onEvent(finished("pass"));
    progress.onEvent(finished("not-run", "needs\nclock"));
    progress.stop();
    expect(io.output()).toBe(
      "2 checks\npass          RUNA-01  run/at-once  12 ms\nnot-run       RUNA-01  run/at-once  needs clock\n",
    );
  });
});

describe("progress on a terminal", () => {
  test("names what is running and what failed, never wider than the terminal", () => {
    const io = fakeIo({ terminal: true, columns: 40, environment: { NO_COLOR: "1" } });
    const progress = createProgress(io);
    progress.onEvent({ type: "planned", checks: 2 });
    progress.onEvent(started);
    progress.onEvent(finished("fail"));
    progress.stop();
    expect(io.output()).toContain("fail  run answers at once\n");
    expect(io.output()).toContain("1 of 2 checks, 1 failed");
    const lines = io.output().replaceAll("\r\u001B[2K", "\n").split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(40);
  });
});
