import { describe, expect, test } from "vitest";

import { SharedExclusiveLock } from "./shared-exclusive-lock.ts";

/** Lets everything that is due in this process happen. */
async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Acquires shares of a lock and writes down in which order they were given. */
class Visitors {
  readonly came: string[] = [];

  send(name: string, place: Promise<void>): void {
    void place.then(() => this.came.push(name));
  }
}

describe("the floor", () => {
  test("has as many seats of a kind as it was given", async () => {
    const floor = new SharedExclusiveLock({ short: 2, long: 1 });
    const visitors = new Visitors();
    for (const name of ["a", "b", "c"]) visitors.send(name, floor.acquireShared("short"));
    await settled();
    expect(visitors.came).toEqual(["a", "b"]);

    floor.releaseShared("short");
    await settled();
    expect(visitors.came).toEqual(["a", "b", "c"]);
  });

  test("does not let long stays take the seats of short ones", async () => {
    const floor = new SharedExclusiveLock({ short: 1, long: 1 });
    const visitors = new Visitors();
    for (const name of ["long 1", "long 2"]) visitors.send(name, floor.acquireShared("long"));
    visitors.send("short", floor.acquireShared("short"));
    await settled();

    expect(visitors.came.toSorted()).toEqual(["long 1", "short"]);
  });

  test("is given to one alone only when it is empty, and to nobody else meanwhile", async () => {
    const floor = new SharedExclusiveLock({ short: 2, long: 2 });
    const visitors = new Visitors();
    visitors.send("guest", floor.acquireShared("long"));
    visitors.send("alone", floor.acquireExclusive());
    await settled();
    expect(visitors.came).toEqual(["guest"]);

    floor.releaseShared("long");
    visitors.send("later", floor.acquireShared("short"));
    await settled();
    expect(visitors.came).toEqual(["guest", "alone"]);

    floor.releaseExclusive();
    await settled();
    expect(visitors.came).toEqual(["guest", "alone", "later"]);
  });

  test("lets a visitor give up waiting without keeping the place", async () => {
    const floor = new SharedExclusiveLock({ short: 1, long: 1 });
    await floor.acquireShared("short");
    const stop = new AbortController();
    const waiting = floor.acquireShared("short", stop.signal);
    const visitors = new Visitors();
    visitors.send("next", floor.acquireShared("short"));
    stop.abort();

    await expect(waiting).rejects.toThrow("stopped while waiting");
    floor.releaseShared("short");
    await settled();
    expect(visitors.came).toEqual(["next"]);
  });

  test("turns a visitor away whose run has been stopped already", async () => {
    await expect(
      new SharedExclusiveLock({ short: 1, long: 1 }).acquireShared("short", AbortSignal.abort()),
    ).rejects.toThrow("aborted");
  });
});
