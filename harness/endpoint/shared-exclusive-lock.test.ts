import { describe, expect, test } from "vitest";

import { Floor } from "./shared-exclusive-lock.ts";

/** Lets everything that is due in this process happen. */
async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Takes places on a floor and writes down in which order they were given. */
class Visitors {
  readonly came: string[] = [];

  send(name: string, place: Promise<void>): void {
    void place.then(() => this.came.push(name));
  }
}

describe("the floor", () => {
  test("has as many seats of a kind as it was given", async () => {
    const floor = new Floor({ short: 2, long: 1 });
    const visitors = new Visitors();
    for (const name of ["a", "b", "c"]) visitors.send(name, floor.join("short"));
    await settled();
    expect(visitors.came).toEqual(["a", "b"]);

    floor.leave("short");
    await settled();
    expect(visitors.came).toEqual(["a", "b", "c"]);
  });

  test("does not let long stays take the seats of short ones", async () => {
    const floor = new Floor({ short: 1, long: 1 });
    const visitors = new Visitors();
    for (const name of ["long 1", "long 2"]) visitors.send(name, floor.join("long"));
    visitors.send("short", floor.join("short"));
    await settled();

    expect(visitors.came.toSorted()).toEqual(["long 1", "short"]);
  });

  test("is given to one alone only when it is empty, and to nobody else meanwhile", async () => {
    const floor = new Floor({ short: 2, long: 2 });
    const visitors = new Visitors();
    visitors.send("guest", floor.join("long"));
    visitors.send("alone", floor.claim());
    await settled();
    expect(visitors.came).toEqual(["guest"]);

    floor.leave("long");
    visitors.send("later", floor.join("short"));
    await settled();
    expect(visitors.came).toEqual(["guest", "alone"]);

    floor.yieldUp();
    await settled();
    expect(visitors.came).toEqual(["guest", "alone", "later"]);
  });

  test("lets a visitor give up waiting without keeping the place", async () => {
    const floor = new Floor({ short: 1, long: 1 });
    await floor.join("short");
    const stop = new AbortController();
    const waiting = floor.join("short", stop.signal);
    const visitors = new Visitors();
    visitors.send("next", floor.join("short"));
    stop.abort();

    await expect(waiting).rejects.toThrow("stopped while waiting");
    floor.leave("short");
    await settled();
    expect(visitors.came).toEqual(["next"]);
  });

  test("turns a visitor away whose run has been stopped already", async () => {
    await expect(
      new Floor({ short: 1, long: 1 }).join("short", AbortSignal.abort()),
    ).rejects.toThrow("aborted");
  });
});
