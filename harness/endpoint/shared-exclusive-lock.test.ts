import { describe, expect, test } from "vitest";

import { SharedExclusiveLock } from "./shared-exclusive-lock.ts";

/** Lets everything that is due in this process happen. */
async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Acquires shares of a lock and writes down in which order they were given. */
class Holders {
  readonly came: string[] = [];

  send(name: string, acquired: Promise<void>): void {
    void acquired.then(() => this.came.push(name));
  }
}

describe("a lock on an endpoint", () => {
  test("is shared by as many of a mode as it was told", async () => {
    const lock = new SharedExclusiveLock({ short: 2, long: 1 });
    const holders = new Holders();
    for (const name of ["a", "b", "c"]) holders.send(name, lock.acquireShared("short"));
    await settled();
    expect(holders.came).toEqual(["a", "b"]);

    lock.releaseShared("short");
    await settled();
    expect(holders.came).toEqual(["a", "b", "c"]);
  });

  test("does not let long holders take the shares of short ones", async () => {
    const lock = new SharedExclusiveLock({ short: 1, long: 1 });
    const holders = new Holders();
    for (const name of ["long 1", "long 2"]) holders.send(name, lock.acquireShared("long"));
    holders.send("short", lock.acquireShared("short"));
    await settled();

    expect(holders.came.toSorted()).toEqual(["long 1", "short"]);
  });

  test("is given to one alone only when it is empty, and to nobody else meanwhile", async () => {
    const lock = new SharedExclusiveLock({ short: 2, long: 2 });
    const holders = new Holders();
    holders.send("sharing", lock.acquireShared("long"));
    holders.send("alone", lock.acquireExclusive());
    await settled();
    expect(holders.came).toEqual(["sharing"]);

    lock.releaseShared("long");
    holders.send("later", lock.acquireShared("short"));
    await settled();
    expect(holders.came).toEqual(["sharing", "alone"]);

    lock.releaseExclusive();
    await settled();
    expect(holders.came).toEqual(["sharing", "alone", "later"]);
  });

  test("lets a visitor give up waiting without keeping the acquired", async () => {
    const lock = new SharedExclusiveLock({ short: 1, long: 1 });
    await lock.acquireShared("short");
    const stop = new AbortController();
    const waiting = lock.acquireShared("short", stop.signal);
    const holders = new Holders();
    holders.send("next", lock.acquireShared("short"));
    stop.abort();

    await expect(waiting).rejects.toThrow("stopped while waiting");
    lock.releaseShared("short");
    await settled();
    expect(holders.came).toEqual(["next"]);
  });

  test("turns a visitor away whose run has been stopped already", async () => {
    await expect(
      new SharedExclusiveLock({ short: 1, long: 1 }).acquireShared("short", AbortSignal.abort()),
    ).rejects.toThrow("aborted");
  });
});
