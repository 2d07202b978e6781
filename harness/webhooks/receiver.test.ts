import { connect } from "node:net";
import { text } from "node:stream/consumers";

import { afterEach, describe, expect, test, vi } from "vitest";

import { WebhookReceiver } from "./receiver.ts";
import type { ReceiverSettings } from "./receiver.ts";
import { standStillFor } from "../../test/stand-still.ts";

const started: WebhookReceiver[] = [];

async function start(settings?: ReceiverSettings): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start(settings);
  started.push(receiver);
  return receiver;
}

async function post(url: string, body = "{}", signal?: AbortSignal): Promise<number> {
  const redirect = "manual";
  const answer = await fetch(url, {
    method: "POST",
    body,
    redirect,
    ...(signal === undefined ? {} : { signal }),
  });
  return answer.status;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map(async (receiver) => receiver.stop()));
});

describe("a hook", () => {
  test("answers each attempt with its own reply, and with the last one from then on", async () => {
    const hook = (await start()).hook(500, 201, 204);

    const statuses = [];
    for (let attempt = 0; attempt < 4; attempt += 1) statuses.push(await post(hook.url));

    expect(statuses).toEqual([500, 201, 204, 204]);
    expect(hook.attempts).toHaveLength(4);
  });

  test("answers 200 where no reply was named", async () => {
    const hook = (await start()).hook();

    expect(await post(hook.url)).toBe(200);
  });

  test("keeps what came: method, path with its query, headers, body and moment", async () => {
    const hook = (await start()).hook();
    const beforeMs = performance.timeOrigin + performance.now();

    await post(`${hook.url}?a=b%20c`, '{"id":"1"}');

    const [attempt] = hook.attempts;
    expect(attempt).toMatchObject({ method: "POST", text: '{"id":"1"}' });
    expect(attempt?.path.endsWith("?a=b%20c")).toBe(true);
    expect(attempt?.headers["host"]).toContain("127.0.0.1");
    expect(attempt?.at.latestMs).toBeGreaterThanOrEqual(beforeMs);
    expect(attempt?.at.earliestMs).toBeLessThanOrEqual(attempt?.at.latestMs ?? 0);
  });

  test("tears the connection down", async () => {
    const hook = (await start()).hook("reset");

    await expect(post(hook.url)).rejects.toThrow("fetch failed");
    expect(hook.attempts).toHaveLength(1);
  });

  test("stays silent until the caller gives up", async () => {
    const hook = (await start()).hook("silence", 200);
    const controller = new AbortController();
    const call = post(hook.url, "{}", controller.signal);

    await expect.poll(() => hook.attempts.length).toBe(1);
    controller.abort();

    await expect(call).rejects.toThrow("aborted");
    expect(await post(hook.url)).toBe(200);
  });

  test("redirects to an address that answers 200 and counts apart", async () => {
    const hook = (await start()).hook(302);

    const answer = await fetch(hook.url, { method: "POST", body: "{}" });

    expect(answer.status).toBe(200);
    expect(hook.attempts).toHaveLength(1);
    expect(hook.followed).toBe(1);
  });

  test("is not called by what goes to another address", async () => {
    const receiver = await start();
    const hook = receiver.hook();

    expect(await post(receiver.hook().url)).toBe(200);
    expect(await post(new URL("/nobody", hook.url).href)).toBe(404);
    expect(hook.attempts).toEqual([]);
  });
});

describe("a receiver", () => {
  test.each(["//", "///", "http://[", "http://a:b@:0/", "*", "/%zz", "/\\u0001?#"])(
    "answers 404 to whatever is not a webhook, and goes on: %j",
    async (target) => {
      const hook = (await start()).hook();
      const { hostname, port } = new URL(hook.url);
      const socket = connect(Number(port), hostname);
      socket.end(`POST ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 40[04] /);
      expect(await post(hook.url)).toBe(200);
    },
  );
});

describe("a closed hook", () => {
  test("refuses the call until it is opened, and takes the next one", async () => {
    const { hook, open } = await (await start()).closedHook(200);

    await expect(post(hook.url)).rejects.toThrow("fetch failed");
    await open();

    expect(await post(hook.url)).toBe(200);
    expect(hook.attempts).toHaveLength(1);
  });

  test("cannot be had behind a public URL", async () => {
    const receiver = await start({ publicUrl: "http://127.0.0.1:1/", port: 0 });

    await expect(receiver.closedHook()).rejects.toThrow("public webhook URL");
  });
});

describe("behind a public URL", () => {
  test("names that URL and is found below its path", async () => {
    const { port } = new URL((await start()).hook().url);
    await started.pop()?.stop();
    const receiver = await start({ publicUrl: `http://127.0.0.1:${port}/hooks/` });

    const hook = receiver.hook();

    expect(hook.url.startsWith(`http://127.0.0.1:${port}/hooks/`)).toBe(true);
    expect(await post(hook.url)).toBe(200);
  });

  test("says so where its port is taken", async () => {
    const { port } = new URL((await start()).hook().url);

    await expect(start({ publicUrl: `http://127.0.0.1:${port}` })).rejects.toThrow("EADDRINUSE");
  });

  test("is reachable where the URL leads to it", async () => {
    const { port } = new URL((await start()).hook().url);
    await started.pop()?.stop();

    const receiver = await start({ publicUrl: `http://127.0.0.1:${port}`, port: Number(port) });

    expect(await receiver.isReachable()).toBe(true);
  });

  test("is not known to be reachable where the URL leads elsewhere", async () => {
    const other = await start();
    const receiver = await start({ publicUrl: new URL(other.hook().url).origin, port: 0 });

    expect(await receiver.isReachable()).toBe(false);
  });

  test("says when it was too busy to see every call", async () => {
    const receiver = await start();
    const hook = receiver.hook();
    standStillFor(750);
    expect(await receiver.whyCallsMayDiffer(hook)).toMatch(/too busy/);
  });

  test("says when calls stood in a line, though the process was never busy for long", async () => {
    const receiver = await start();
    const { port } = new URL(receiver.hook().url);
    const line = Array.from({ length: 100 }, () => connect(Number(port), "127.0.0.1"));
    // One connection is taken in each turn.
    let isBusy = true;
    const turn = (): void => {
      standStillFor(20);
      if (isBusy) setImmediate(turn);
    };
    setImmediate(turn);
    const hook = receiver.hook();
    await vi.waitFor(async () => {
      expect(await receiver.whyCallsMayDiffer(hook)).toMatch(/too busy/);
    }, 30_000);

    isBusy = false;
    for (const socket of line) socket.destroy();
    await vi.waitFor(async () => {
      expect(await receiver.whyCallsMayDiffer(receiver.hook())).toBeUndefined();
    }, 30_000);
  });
});
