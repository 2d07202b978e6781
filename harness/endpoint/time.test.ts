import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, onTestFinished, test } from "vitest";

import { ControlClient } from "../../client/control-client.ts";
import { Transport } from "../../client/transport.ts";
import { rulesFor } from "../../client/request-rules.ts";
import type { Exchange } from "../../client/exchange.ts";
import { EventLoopLag } from "../event-loop-lag.ts";
import { ageBetween, spanning } from "../interval.ts";
import { at as moment, exchangeOf } from "../../test/harness/exchange.ts";
import { RealTime, VirtualTime, requireYounger } from "./time.ts";
import type { CheckActivity, WaitLease } from "./time.ts";
import { standStillFor } from "../../test/stand-still.ts";

const baseUrl = "http://127.0.0.1:9";

/** A control protocol that only keeps a clock. */
class FakeControl extends ControlClient {
  nowMs = 5000;
  readonly advances: number[] = [];

  constructor() {
    super(new Transport(rulesFor({ baseUrl })), baseUrl);
  }

  override async advance(_endpointId: string, ms: number): Promise<number> {
    this.advances.push(ms);
    this.nowMs += ms;
    return Promise.resolve(this.nowMs);
  }
}

function virtual(check?: CheckActivity): {
  readonly control: FakeControl;
  readonly time: VirtualTime;
} {
  const control = new FakeControl();
  const options = { nowMs: control.nowMs, ...(check !== undefined && { check }) };
  return { control, time: new VirtualTime(control, "e", options) };
}

/** A request that is answered so. */
function answering(sentAtMs: number, answeredAtMs: number): () => Promise<Exchange> {
  const exchange = moment(exchangeOf({}, { operation: "health" }), sentAtMs, answeredAtMs);
  return async () => Promise.resolve(exchange);
}

const late = answering(900, 1200);

const at = (ms: number) => ({ earliestMs: ms, latestMs: ms });

/** A lease that never has to wait. */
function leaseOf(given: Partial<WaitLease>): WaitLease {
  return {
    crowdedMs: 0,
    awaitsStart: false,
    stoppedMs: 0,
    isStuck: false,
    waitedInVain: () => undefined,
    isBusy: false,
    releaseWhileWaiting: () => undefined,
    acquire: async () => Promise.resolve(),
    reportWait: () => undefined,
    addDelay: () => undefined,
    ...given,
  };
}

describe("virtual time", () => {
  test("looks one millisecond to each side of a boundary", async () => {
    const { control, time } = virtual();
    const since = at(5000);

    const before = await time.before(since, 1000, answering(0, 9));
    expect(before.at).toEqual(at(5999));
    const after = await time.after(since, 1000, answering(0, 9));
    expect(after.at).toEqual(at(6001));
    expect(control.advances).toEqual([999, 2]);
  });

  test("settles anew only after a check has asked something", async () => {
    const check = { activity: 1, hasWebhooks: false };
    const { control, time } = virtual(check);
    await Promise.all([time.settle(), time.settle()]);
    await time.settle();
    expect(control.advances).toEqual([0]);
    check.activity += 1;
    await time.pass(10);
    await time.settle();
    expect(control.advances).toEqual([0, 10]);
    check.activity += 1;
    await time.settle();
    expect(control.advances).toEqual([0, 10, 0]);
  });

  test.each([
    { hasWebhooks: false, settled: [false, true] },
    { hasWebhooks: true, settled: [true] },
  ])(
    "reads before it settles where webhooks are $hasWebhooks",
    async ({ hasWebhooks, settled }) => {
      const { control, time } = virtual({ activity: 1, hasWebhooks });
      const reads: boolean[] = [];
      const read = async (): Promise<boolean> => {
        reads.push(control.advances.length > 0);
        return Promise.resolve(control.advances.length > 0);
      };
      expect(await time.until(read, Boolean)).toBe(true);
      expect(reads).toEqual(settled);
    },
  );

  test("does not move for what has come already", async () => {
    const { control, time } = virtual();
    await time.after(at(100), 1000, answering(0, 0));
    expect(control.advances).toEqual([]);
  });

  test("begins at 0 where it is the check's alone, whatever the clock shows", async () => {
    const time = new VirtualTime(new FakeControl(), "e");
    await time.pass(300);
    await time.pass(1000);
    expect(time.now()).toEqual(at(1300));
  });

  test("reads again only after the whole time that was given", async () => {
    const { control, time } = virtual();
    const seen: number[] = [];
    const readClock = async (): Promise<number> => {
      seen.push(control.nowMs);
      return Promise.resolve(control.nowMs);
    };

    expect(await time.until(readClock, (nowMs) => nowMs >= 7000, 2000)).toBe(7000);
    expect(await time.until(readClock, () => false)).toBe(7000);
    expect(control.advances).toEqual([0, 2000, 0]);
    expect(seen).toEqual([5000, 7000, 7000]);
  });
});

describe("real time", () => {
  test("lies between the request and its answer", async () => {
    const { at: seen } = await new RealTime(leaseOf({ isBusy: true })).observe(answering(100, 140));
    expect(seen).toEqual({ earliestMs: 100, latestMs: 140 });
  });

  test("cannot tell when a read that had to be early came too late", async () => {
    await expect(new RealTime(leaseOf({ isBusy: true })).before(at(0), 1000, late)).rejects.toThrow(
      /came too late to tell/,
    );
    await expect(
      new RealTime(leaseOf({ isBusy: true })).before(at(500), 1000, late),
    ).resolves.toMatchObject({
      at: { latestMs: 1200 },
    });
  });

  test("reads as much earlier as answers take, so that they come in time", async () => {
    const waits: number[] = [];
    const reportWait = (ms: number): number => waits.push(ms);
    const time = new RealTime({ ...leaseOf({ isBusy: true }), reportWait });
    const nowMs = performance.now();
    await time.observe(answering(nowMs - 400, nowMs));
    const early = answering(nowMs, nowMs + 1);
    await time.before(at(nowMs - 1490), 2000, early);
    // A quarter of the age before the moment is in 10 ms; the usual margin before it is in 260 ms.
    expect(Math.max(0, ...waits)).toBeLessThanOrEqual(10);
  });

  test("reads until the result is accepted, and lets others work meanwhile", async () => {
    let [waits, reads] = [0, 0];
    const releaseWhileWaiting = (): void => {
      waits += 1;
    };
    const time = new RealTime({ ...leaseOf({ isBusy: false }), releaseWhileWaiting });
    const countReads = async (): Promise<number> => Promise.resolve((reads += 1));

    expect(await time.until(countReads, (count) => count === 3)).toBe(3);
    expect(waits).toBe(2);
  });

  test.each([
    { isBusy: false, awaitsStart: false, graceMs: 60_000, reads: 1 },
    { isBusy: true, awaitsStart: false, graceMs: 60_000, reads: 3 },
    { isBusy: true, awaitsStart: false, graceMs: 0, reads: 1 },
    { isBusy: true, awaitsStart: true, graceMs: 0, reads: 3 },
  ])(
    "waits for a job's start and work while one is unfinished: $isBusy, $awaitsStart",
    async ({ isBusy, awaitsStart, graceMs, reads }) => {
      let count = 0;
      const time = new RealTime(leaseOf({ isBusy, awaitsStart }), undefined, { graceMs });
      const read = async (): Promise<number> => Promise.resolve((count += 1));
      // Takes away the grace that every target is given, so that only that of the jobs is left.
      expect(await time.until(read, (seen) => seen === 3, -5000)).toBe(reads);
    },
  );

  test("waits no shorter for what comes while this process was stopped", async () => {
    const lag = new EventLoopLag();
    onTestFinished(() => lag.stop());
    const time = new RealTime({
      ...leaseOf({ isBusy: false }),
      get stoppedMs() {
        return lag.stoppedMs;
      },
    });
    let count = 0;
    const read = async (): Promise<number> => {
      count += 1;
      // What is awaited comes while the process does not run, and is seen a turn after it goes on.
      if (count === 1) setTimeout(() => standStillFor(1000), 0);
      return Promise.resolve(count);
    };
    expect(await time.until(read, (seen) => seen === 4, -4500)).toBe(4);
  });

  test("ends its waiting when the check is ended", async () => {
    const time = new RealTime(leaseOf({ isBusy: true }), AbortSignal.abort());
    await expect(time.pass(60_000)).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("an interval", () => {
  test("has an age of at least and at most", () => {
    const from = { earliestMs: 100, latestMs: 110 };
    const to = { earliestMs: 200, latestMs: 250 };
    expect(ageBetween(from, to)).toEqual({ earliestMs: 90, latestMs: 150 });
    expect(spanning(from, to)).toEqual({ earliestMs: 100, latestMs: 250 });
  });
});

test("few ask which clock it is: what depends on it is chosen by it", () => {
  const asking = ["contracts", "harness"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.includes("endpoint/time"))
      .flatMap((name) => readFileSync(`${folder}/${name}`, "utf8").split("\n"))
      .filter((line) => line.includes("time.virtual")),
  );
  expect(asking.length, asking.join("\n")).toBeLessThanOrEqual(10);
});

function nowAt(nowMs: number) {
  return { time: { now: () => ({ earliestMs: nowMs, latestMs: nowMs }) } };
}

describe("what was seen of something that lasts", () => {
  const since = { earliestMs: 100, latestMs: 300 };
  test("counts where it surely still lasted", () => {
    expect(() => requireYounger(nowAt(599), since, 500)).not.toThrow();
  });

  test("proves nothing where it may have been over", () => {
    expect(() => requireYounger(nowAt(600), since, 500)).toThrow(
      /within 500 ms, .* too late to tell/,
    );
  });
});
