import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import { afterEach, describe, expect, test } from "vitest";

import { rulesFor } from "../../client/request-rules.ts";

import { Pool } from "./pool.ts";
import { serialise } from "./request.ts";
import type { WireRequest } from "./request.ts";

const open: { server: Server; pool: Pool }[] = [];

interface Rig {
  readonly pool: Pool;
  readonly post: WireRequest;
  readonly get: WireRequest;
  readonly server: Server;
}

async function rig(listener: RequestListener, timeoutMs = 5_000): Promise<Rig> {
  const server = createServer(listener);
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 }, resolve),
  );
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}/a?b=c`;
  const rules = rulesFor({ baseUrl: url });
  const pool = new Pool(new URL(url), rules, { timeoutMs });
  open.push({ server, pool });
  return {
    pool,
    server,
    post: serialise({ method: "POST", url, headers: { "x-a": "b" }, body: "hello" }, rules),
    get: serialise({ method: "GET", url, headers: {} }, rules),
  };
}

afterEach(() => {
  for (const { server, pool } of open.splice(0)) {
    pool.close();
    server.closeAllConnections();
    server.close();
  }
});

describe("Pool", () => {
  test("sends what it was given, on connections that are kept", async () => {
    const ports = new Set<number | undefined>();
    const { pool, post } = await rig((request, response) => {
      ports.add(request.socket.remotePort);
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () =>
        response.end(`${request.url ?? ""} ${String(request.headers["x-a"])} ${body}`),
      );
    });
    const exchanges = await pool.burst(
      Array.from({ length: 50 }, () => post),
      4,
    );
    expect(exchanges.map(({ answer }) => answer?.body)).toEqual(
      Array.from({ length: 50 }, () => "/a?b=c b hello"),
    );
    expect(ports.size).toBe(4);
  });

  test("holds the last byte of each request until they are released together", async () => {
    let complete = 0;
    let begun = 0;
    const { pool, post } = await rig((request, response) => {
      begun += 1;
      request.resume();
      request.on("end", () => {
        complete += 1;
        response.end();
      });
    });
    const held = await pool.holdBodies(Array.from({ length: 40 }, () => post));
    await expect.poll(() => begun).toBe(40);
    expect(complete).toBe(0);
    held.release();
    const exchanges = await Promise.all(held.exchanges);
    expect(exchanges.map(({ answer }) => answer?.status)).toEqual(
      Array.from({ length: 40 }, () => 200),
    );
  });

  test("takes the answers that come before the last byte, and uses their connections no more", async () => {
    let count = 0;
    const ports: (number | undefined)[] = [];
    const { pool, post } = await rig((request, response) => {
      count += 1;
      ports.push(request.socket.remotePort);
      if (count > 2) {
        response.statusCode = 429;
        response.end();
      } else request.resume().on("end", () => response.end());
    });
    const held = await pool.holdBodies([post, post, post]);
    const early = await Promise.race(held.exchanges);
    expect(early.answer?.status).toBe(429);
    held.release();
    const exchanges = await Promise.all(held.exchanges);
    expect(exchanges.filter(({ answer }) => answer?.status === 200)).toHaveLength(2);
    await pool.burst([post, post, post]);
    expect(new Set(ports).size).toBe(4);
  });

  test("breaks off in the middle of a body", async () => {
    let broken = 0;
    const { pool, post } = await rig((request) => request.once("close", () => (broken += 1)));
    const held = await pool.holdBodies([post, post]);
    held.breakOff(0, 1);
    await expect.poll(() => broken).toBe(1);
    expect((await held.exchanges[0])?.failure).toContain("broken off");
  });

  test("breaks off the requests it is told to, and no others", async () => {
    const waiting: (() => void)[] = [];
    const { pool, get } = await rig((_request, response) => waiting.push(() => response.end()));
    const flight = await pool.putInFlight([get, get, get]);
    await expect.poll(() => waiting.length).toBe(3);
    flight.breakOff(1, 1);
    for (const answer of waiting) answer();
    const exchanges = await Promise.all(flight.exchanges);
    expect(exchanges.map(({ answer }) => answer?.status)).toEqual([200, undefined, 200]);
    expect(exchanges[1]?.failure).toContain("broken off");
  });

  test("tells why there is no answer", async () => {
    const silent = await rig(() => undefined, 50);
    expect((await silent.pool.send(silent.get)).failure).toBe("no answer within 50 ms");
    const rude = await rig((request) => request.socket.destroy());
    expect((await rude.pool.send(rude.get)).failure).toBeDefined();
    const nobody = "http://127.0.0.1:1";
    const away = new Pool(new URL(nobody), rulesFor({ baseUrl: nobody }));
    expect((await away.send(silent.get)).failure).toContain("ECONNREFUSED");
  });
});
