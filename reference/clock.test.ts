import { describe, expect, test } from "vitest";

import { RealClock, VirtualClock } from "./clock.ts";
import { TimerQueue } from "./timer-queue.ts";
import { standStillFor } from "../test/stand-still.ts";

describe("the timer queue", () => {
  test("gives out timers by time, then in the order they were scheduled", () => {
    const queue = new TimerQueue();
    const ran: string[] = [];
    for (const [atMs, name] of [
      [30, "d"],
      [10, "a"],
      [20, "b"],
      [20, "c"],
    ] as const) {
      queue.add(atMs, () => ran.push(name));
    }

    for (let due = queue.takeDue(30); due !== undefined; due = queue.takeDue(30)) due.action();

    expect(ran).toEqual(["a", "b", "c", "d"]);
  });

  test("frees a cancelled timer at once and keeps the order of the others", () => {
    const queue = new TimerQueue();
    const ran: number[] = [];
    const timers = Array.from({ length: 1_000 }, (_, index) => {
      const atMs = (index * 7_919) % 1_000;
      return { atMs, timer: queue.add(atMs, () => ran.push(atMs)) };
    });
    for (const { atMs, timer } of timers) if (atMs % 3 !== 0) timer.cancel();

    expect(queue.size).toBe(334);
    for (let due = queue.takeDue(1_000); due !== undefined; due = queue.takeDue(1_000))
      due.action();
    expect(ran).toEqual(Array.from({ length: 334 }, (_, index) => index * 3));
  });

  test("ignores a cancel that comes twice or too late", () => {
    const queue = new TimerQueue();
    const first = queue.add(1, () => {});
    queue.add(2, () => {});
    queue.takeDue(1);

    first.cancel();
    first.cancel();

    expect(queue.size).toBe(1);
  });
});

describe("the virtual clock", () => {
  test("stands still until it is advanced", async () => {
    const clock = new VirtualClock(5);
    expect(clock.nowMs()).toBe(5);
    expect(await clock.advance(604_800_000)).toBe(604_800_005);
    expect(clock.nowMs()).toBe(604_800_005);
  });

  test("shows each action its own moment, also those scheduled on the way", async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    clock.schedule(10, () => {
      seen.push(clock.nowMs());
      clock.schedule(15, () => seen.push(clock.nowMs()));
    });
    clock.schedule(20, () => seen.push(clock.nowMs()));
    clock.schedule(21, () => seen.push(clock.nowMs()));

    await clock.advance(20);

    expect(seen).toEqual([10, 15, 20]);
  });

  test("settles the effects of an instant, and what they start, before time moves on", async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    const effect = async (depth: number): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`effect ${depth} at ${clock.nowMs()}`);
      if (depth < 3) clock.track(effect(depth + 1));
    };
    clock.schedule(10, () => clock.track(effect(1)));
    clock.schedule(11, () => seen.push(`timer at ${clock.nowMs()}`));

    await clock.advance(100);

    expect(seen).toEqual(["effect 1 at 10", "effect 2 at 10", "effect 3 at 10", "timer at 11"]);
  });

  test("settles what is due now when it is advanced by nothing", async () => {
    const clock = new VirtualClock();
    let isSettled = false;
    clock.track(
      new Promise<void>((resolve) => setImmediate(resolve)).then(() => (isSettled = true)),
    );

    expect(await clock.advance(0)).toBe(0);

    expect(isSettled).toBe(true);
  });

  test("goes on after an effect that failed", async () => {
    const clock = new VirtualClock();
    clock.track(Promise.reject(new Error("refused")));
    expect(await clock.advance(7)).toBe(7);
  });

  test("takes concurrent advances one after another", async () => {
    const clock = new VirtualClock();
    expect(await Promise.all([clock.advance(10), clock.advance(5)])).toEqual([10, 15]);
  });
});

describe.each([
  { kind: "real", create: () => new RealClock() },
  { kind: "virtual", create: () => new VirtualClock() },
])("a $kind clock that has stopped", ({ create }) => {
  test("schedules nothing more", async () => {
    const clock = create();
    let hasRun = false;
    clock.schedule(clock.nowMs(), () => (hasRun = true));
    clock.stop();
    clock.schedule(clock.nowMs(), () => (hasRun = true)).cancel();
    clock.schedule(clock.nowMs(), () => (hasRun = true));

    const other = new RealClock();
    await new Promise<void>((resolve) => {
      other.schedule(other.nowMs() + 10, () => resolve());
    });
    if (clock instanceof VirtualClock) await clock.advance(10);
    expect(hasRun).toBe(false);
  });
});

describe("the real clock", () => {
  test("runs actions in order of time and never early", async () => {
    const clock = new RealClock();
    const startMs = clock.nowMs();
    const seen: { name: string; atMs: number }[] = [];
    await new Promise<void>((resolve) => {
      const note = (name: string) => (): void => void seen.push({ name, atMs: clock.nowMs() });
      clock.schedule(startMs + 30, () => resolve());
      clock.schedule(startMs + 20, note("late"));
      clock.schedule(startMs + 10, note("soon"));
      clock.schedule(startMs + 15, note("cancelled")).cancel();
    });
    clock.stop();

    expect(seen.map(({ name }) => name)).toEqual(["soon", "late"]);
    expect(seen.every(({ atMs }, index) => atMs >= startMs + (index + 1) * 10)).toBe(true);
  });

  test("does not run at once what lies beyond the longest delay of the platform", async () => {
    const clock = new RealClock();
    let hasRun = false;
    clock.schedule(clock.nowMs() + 2_592_000_000, () => (hasRun = true));

    await new Promise<void>((resolve) => {
      clock.schedule(clock.nowMs() + 20, () => resolve());
    });
    clock.stop();

    expect(hasRun).toBe(false);
  });
});

test("a fast clock shows more time than the wall, and its timers come as much earlier", async () => {
  const clock = new RealClock({ speed: 1_000 });
  const startMs = clock.nowMs();
  const wallMs = Date.now();
  await new Promise<void>((resolve) => void clock.schedule(startMs + 60_000, resolve));
  expect(clock.nowMs() - startMs).toBeGreaterThanOrEqual(60_000);
  expect(Date.now() - wallMs).toBeLessThan(30_000);
});

test("a real clock never starts before a time that it has shown already", () => {
  const laterMs = Date.now() + 3_600_000;
  expect(new RealClock({ notBeforeMs: laterMs }).nowMs()).toBeGreaterThanOrEqual(laterMs);
  expect(new RealClock({ notBeforeMs: 1 }).nowMs()).toBeLessThan(laterMs);
});

test("an advance in which much happens lets others have their turn, and still goes in order", async () => {
  const clock = new VirtualClock();
  const ran: number[] = [];
  let turns = 0;
  const others = setInterval(() => (turns += 1), 1);
  for (let atMs = 0; atMs < 5; atMs += 1) {
    clock.schedule(atMs, () => {
      standStillFor(40);
      ran.push(atMs);
    });
  }
  expect(await clock.advance(10)).toBe(10);
  clearInterval(others);
  expect(ran).toEqual([0, 1, 2, 3, 4]);
  expect(turns).toBeGreaterThanOrEqual(3);
});
