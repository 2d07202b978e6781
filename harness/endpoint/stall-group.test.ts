import { describe, expect, test } from "vitest";

import { exchangeOf } from "../../test/harness/exchange.ts";
import { StallGroup } from "./stall-group.ts";
import type { StallMember } from "./stall-group.ts";

/** A stall of two members, and what was done for it in order. */
function stallOfTwo() {
  const done: string[] = [];
  const one: StallMember = { unfinished: ["a"] };
  const other: StallMember = { unfinished: ["b", "c"] };
  const stall = new StallGroup();
  stall.join(one);
  stall.join(other);
  const occupy = (name: string) => async (unfinished: () => number) => {
    done.push(`${name} occupies beside ${unfinished()}`);
    return Promise.resolve(async () => void done.push(`${name} frees`));
  };
  return { done, one, other, stall, occupy };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe("a stall that checks share", () => {
  test("is brought about once, and ends when the last of them has no more to do", async () => {
    const { done, one, other, stall, occupy } = stallOfTwo();
    await Promise.all([stall.begin(occupy("one")), stall.begin(occupy("other"))]);
    expect(done).toEqual(["one occupies beside 3"]);

    const ended = stall.end(one).then(() => done.push("one goes on"));
    await settled();
    expect(done).toHaveLength(1);
    await stall.end(other);
    await ended;
    expect(done).toEqual(["one occupies beside 3", "one frees", "one goes on"]);
  });

  test("ends for those that stay when a member goes without a word", async () => {
    const { done, one, other, stall, occupy } = stallOfTwo();
    await stall.begin(occupy("one"));
    stall.leave(one);
    stall.leave(one);
    await stall.end(other);
    expect(done.at(-1)).toBe("one frees");
  });

  test("tells every member that it could not be brought about", async () => {
    const { one, other, stall } = stallOfTwo();
    const begin = async () => stall.begin(async () => Promise.reject(new Error("no worker left")));
    await expect(begin()).rejects.toThrow("no worker left");
    await expect(begin()).rejects.toThrow("no worker left");
    await Promise.all([stall.end(one), stall.end(other)]);
  });

  test("purges once, when every member has arranged what it wants purged", async () => {
    const { done, one, other, stall, occupy } = stallOfTwo();
    await stall.begin(occupy("one"));
    const exchange = exchangeOf({ removed: 3, status: "completed" });
    const send = (name: string) => async () => {
      done.push(`${name} purges`);
      return Promise.resolve(exchange);
    };
    const first = stall.purge(one, send("one"));
    await settled();
    expect(done).toHaveLength(1);
    expect(await stall.purge(other, send("other"))).toBe(exchange);
    expect(await first).toBe(exchange);
    expect(done).toEqual(["one occupies beside 3", "one purges"]);
  });

  test("does not wait with a purge for a member that has gone", async () => {
    const { one, other, stall } = stallOfTwo();
    const exchange = exchangeOf({ removed: 1, status: "completed" });
    const purged = stall.purge(one, async () => Promise.resolve(exchange));
    stall.leave(other);
    expect(await purged).toBe(exchange);
  });
});
