import { describe, expect, test } from "vitest";

import { EndpointPool } from "./endpoint-pool.ts";
import { limitsOf } from "./shared-endpoints.ts";
import type { HeldEndpoint, Hold, HoldRequest } from "./endpoint-pool.ts";

/** Lets everything that is due in this process happen. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Asks for holds on a pool, and writes down in which order they were given. */
class Holders {
  readonly came: string[] = [];
  readonly held = new Map<string, HeldEndpoint>();
  readonly #pool: EndpointPool;

  constructor(pool: EndpointPool) {
    this.#pool = pool;
  }

  ask(name: string, hold: Hold, options: Partial<HoldRequest> = {}): void {
    const request = { hold, holder: { unfinished: [] }, signal: undefined, ...options };
    void this.#come(name, this.#pool.acquire(request));
  }

  async #come(name: string, acquired: Promise<HeldEndpoint>): Promise<void> {
    this.held.set(name, await acquired);
    this.came.push(name);
  }

  async release(...names: readonly string[]): Promise<void> {
    for (const name of names) this.held.get(name)?.release();
    await settled();
  }

  /** Who came since this was asked last, once everything that is due has happened. */
  async arrived(): Promise<readonly string[]> {
    await settled();
    return this.came.splice(0);
  }
}

describe("one endpoint", () => {
  test("is shared by as many of a kind as it was told", async () => {
    const holders = new Holders(new EndpointPool([{ short: 2, long: 1, longAlone: 1 }]));
    for (const name of ["a", "b", "c"]) holders.ask(name, "short");
    for (const name of ["long 1", "long 2"]) holders.ask(name, "long");
    expect(await holders.arrived()).toEqual(["a", "b", "long 1"]);

    await holders.release("a");
    expect(await holders.arrived()).toEqual(["c"]);
  });

  test("of one worker is given to a long one when no short one is left", async () => {
    const limits = limitsOf({ endpointId: "e", workersSeen: 1 }, undefined);
    const holders = new Holders(new EndpointPool([limits]));
    holders.ask("long", "long");
    for (const name of ["a", "b", "c"]) holders.ask(name, "short");
    expect(await holders.arrived()).toEqual(["a", "b"]);
    await holders.release("a");
    expect(await holders.arrived()).toEqual(["c"]);
    await holders.release("b", "c");
    expect(await holders.arrived()).toEqual(["long"]);
  });

  test("is given to a check that has begun before those that have not", async () => {
    const holders = new Holders(new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]));
    holders.ask("holds", "short");
    await holders.arrived();
    holders.ask("came first", "short");
    holders.ask("has begun", "short", { hasBegun: true });
    await holders.release("holds");
    expect(await holders.arrived()).toEqual(["has begun"]);
  });

  test("is given to one alone only when it is empty, and to nobody else meanwhile", async () => {
    const holders = new Holders(new EndpointPool([{ short: 2, long: 2, longAlone: 2 }]));
    holders.ask("sharing", "long");
    holders.ask("alone", "exclusive");
    expect(await holders.arrived()).toEqual(["sharing"]);

    await holders.release("sharing");
    holders.ask("later", "short");
    expect(await holders.arrived()).toEqual(["alone"]);
    await holders.release("alone");
    expect(await holders.arrived()).toEqual(["later"]);
  });

  test("is given at once to all who wait to stall it, and each has the same stall", async () => {
    const holders = new Holders(new EndpointPool([{ short: 2, long: 2, longAlone: 2 }]));
    holders.ask("purging", "purging");
    for (const name of ["a", "b"]) holders.ask(name, "stalled");
    holders.ask("alone", "exclusive");
    expect(await holders.arrived()).toEqual(["a", "b"]);
    expect(holders.held.get("a")?.stall).toBe(holders.held.get("b")?.stall);
    expect(holders.held.get("a")?.stall?.size).toBe(2);

    holders.ask("too late", "stalled");
    await holders.release("a");
    expect(await holders.arrived()).toEqual([]);
    await holders.release("b");
    expect(await holders.arrived()).toEqual(["too late"]);
  });

  test("is not given to those together whose stalls may last differently", async () => {
    const holders = new Holders(new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]));
    holders.ask("brief", "stalled", { stallMsMax: 2000 });
    holders.ask("any", "stalled");
    holders.ask("brief, too", "stalled", { stallMsMax: 2000 });
    expect(await holders.arrived()).toEqual(["any"]);

    await holders.release("any");
    expect(await holders.arrived()).toEqual(["brief", "brief, too"]);
  });

  test("is given between two stalls to one alone for which a rate limit has room", async () => {
    const holders = new Holders(new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]));
    holders.ask("alone", "exclusive");
    holders.ask("later", "exclusive", { readyInMs: () => 60_000 });
    holders.ask("ready", "exclusive", { readyInMs: () => 0 });
    holders.ask("stalled", "stalled");
    holders.ask("stalled briefly", "stalled", { stallMsMax: 2000 });
    holders.ask("sharing", "short");
    expect(await holders.arrived()).toEqual(["sharing"]);

    await holders.release("sharing");
    expect(await holders.arrived()).toEqual(["stalled"]);
    await holders.release("stalled");
    expect(await holders.arrived()).toEqual(["ready"]);
    await holders.release("ready");
    expect(await holders.arrived()).toEqual(["stalled briefly"]);
    await holders.release("stalled briefly");
    expect(await holders.arrived()).toEqual(["alone"]);
  });

  test("is shared by those whose stall is over, however many they are", async () => {
    const holders = new Holders(new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]));
    for (const name of ["a", "b", "c"]) holders.ask(name, "stalled");
    await holders.arrived();
    for (const name of ["a", "b", "c"]) holders.held.get(name)?.share();
    holders.ask("alone", "exclusive");
    await holders.release("a", "b");
    expect(await holders.arrived()).toEqual([]);

    await holders.release("c");
    expect(await holders.arrived()).toEqual(["alone"]);
  });

  test("is given to another first while a rate limit has no room for the one in front", async () => {
    const holders = new Holders(new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]));
    let waitMs = 1;
    const readyInMs = (): number => waitMs;
    holders.ask("purges", "exclusive", { readyInMs });
    holders.ask("does not", "exclusive");
    expect(await holders.arrived()).toEqual(["does not"]);

    await holders.release("does not");
    waitMs = 0;
    await expect.poll(() => holders.came).toEqual(["purges"]);
  });

  test("is given to one for which a rate limit got room just after it was looked at", async () => {
    const holders = new Holders(new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]));
    const answersMs = [1];
    holders.ask("purges", "exclusive", { readyInMs: () => answersMs.shift() ?? 0 });
    await expect.poll(() => holders.came).toEqual(["purges"]);
  });

  test("lets somebody give up waiting without keeping what was given", async () => {
    const pool = new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]);
    const holders = new Holders(pool);
    holders.ask("first", "short");
    await settled();
    const stop = new AbortController();
    const request: HoldRequest = {
      hold: "short",
      holder: { unfinished: [] },
      signal: stop.signal,
    };
    const waiting = pool.acquire(request);
    holders.ask("next", "short");
    stop.abort();

    await expect(waiting).rejects.toThrow("stopped while waiting");
    await expect(pool.acquire(request)).rejects.toThrow("aborted");
    await holders.release("first");
    expect(await holders.arrived()).toEqual(["first", "next"]);
  });
});

describe("several endpoints", () => {
  test("are given side by side to those who want one alone, the first to those who share", async () => {
    const limits = { short: 1, long: 1, longAlone: 1 };
    const holders = new Holders(new EndpointPool([limits, limits, limits]));
    for (const name of ["sharing", "sharing, too"]) holders.ask(name, "short");
    for (const name of ["a", "b", "c"]) holders.ask(name, "exclusive");
    expect(await holders.arrived()).toEqual(["sharing", "a", "b"]);
    expect([...holders.held.values()].map(({ endpoint }) => endpoint)).toEqual([0, 1, 2]);

    await holders.release("a");
    expect(await holders.arrived()).toEqual(["c"]);
    await holders.release("sharing");
    expect(await holders.arrived()).toEqual(["sharing, too"]);
  });

  test("keep a holder who comes back where it was", async () => {
    const limits = { short: 1, long: 1, longAlone: 1 };
    const holders = new Holders(new EndpointPool([limits, limits]));
    holders.ask("back on the second", "short", { endpoint: 1 });
    await settled();
    expect(holders.held.get("back on the second")?.endpoint).toBe(1);
  });
});
