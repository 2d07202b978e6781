import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { promisify } from "node:util";

import { describe, expect, onTestFinished, test } from "vitest";

import { Transport } from "../client/transport.ts";
import type { K6RateSettings } from "../scenarios/k6/settings.ts";
import { fireBurst } from "./autocannon/burst.ts";
import { k6Script } from "./k6/rate.ts";
import { runK6 } from "./k6/run.ts";
import { countOf } from "./k6/summary.ts";
import { realK6 } from "./k6/testing/real-k6.ts";
import { Pool } from "./probe/pool.ts";
import { serialise } from "./probe/request.ts";
import { runSchedule } from "./probe/schedule.ts";

const { k6, reason } = await realK6();
const headers = { authorization: "the-key" };

/** Sends some requests to `{origin}/v2/e/health`, and tells how many were answered otherwise than 2xx and 429. */
type Engine = (origin: string) => Promise<number>;

const engines: readonly (readonly [string, Engine])[] = [
  [
    "the client",
    async (origin) => {
      const transport = new Transport();
      const request = { method: "GET", headers, body: undefined, signal: undefined } as const;
      const url = `${origin}/v2/e/health`;
      const { answer } = await transport.send({ ...request, url, timeoutMs: 60_000 });
      await transport.close();
      return answer?.status === 307 ? 1 : 0;
    },
  ],
  [
    "the probe",
    async (origin) => {
      const pool = new Pool(new URL(origin), { timeoutMs: 60_000 });
      const request = serialise({ method: "GET", url: `${origin}/v2/e/health`, headers });
      const { entries } = await runSchedule(pool, [{ atMs: 0, request }]);
      pool.close();
      return entries.filter(({ status }) => status === 307).length;
    },
  ],
  [
    "autocannon",
    async (origin) => {
      const request = { method: "GET", path: "/v2/e/health", headers } as const;
      const limits = { amount: 3, connections: 1, timeLimitMs: 60_000 };
      return (await fireBurst({ origin, request, ...limits })).other;
    },
  ],
  ...(k6 === undefined ? [] : [["k6", sendByK6] as const]),
];

async function sendByK6(origin: string): Promise<number> {
  const requests = { requestsPerWindow: 5, windowMs: 1_000, durationMs: 1_000, startAfterMs: 0 };
  const endpoint = { url: `${origin}/v2/e`, authorization: "the-key" };
  const bounds = { min: 0, max: 10 };
  const phase = { name: "some", operation: "health", endpoint, ...requests } as const;
  const limits = { inFlightMax: 5, errorMsMax: 60_000, sent: bounds, accepted: bounds };
  const { summary } = await runK6({
    k6: { path: k6?.path ?? "" },
    script: k6Script("rate"),
    settings: { phases: [{ ...phase, ...limits }] } satisfies K6RateSettings,
    timeLimitMs: 60_000,
    environment: process.env,
  });
  return countOf(summary ?? new Map(), "requests_other{phase:some}");
}

describe("a redirect to another server", () => {
  test.each(engines)("is an answer and followed by no load: %s", async (_, engine) => {
    const seen: string[] = [];
    const stranger = await listening((request, response) => {
      seen.push(`${String(request.method)} ${String(request.headers.authorization)}`);
      response.end("{}");
    });
    const target = await listening((request, response) => {
      response.writeHead(307, { location: `${stranger}${String(request.url)}` }).end();
    });

    expect(await engine(target)).toBeGreaterThan(0);
    expect(seen).toEqual([]);
  });

  test.skipIf(k6 === undefined)(
    `is followed by no script, also where k6 is started by hand${reason && ` (${reason})`}`,
    async () => {
      const directory = new URL("../scenarios/k6/", import.meta.url);
      const parts = new Set(["harness.ts", "jobs.ts", "segment.ts", "settings.ts"]);
      const scripts = (await readdir(directory)).filter(
        (name) => name.endsWith(".ts") && !parts.has(name),
      );
      const options = await Promise.all(
        scripts.map(async (name) => {
          const { pathname } = new URL(name, directory);
          const { stdout } = await promisify(execFile)(k6?.path ?? "", ["inspect", pathname]);
          return [name, JSON.parse(stdout)] as const;
        }),
      );

      expect(options.length).toBeGreaterThan(10);
      for (const [name, inspected] of options) {
        expect(inspected, name).toMatchObject({ maxRedirects: 0 });
      }
    },
  );
});

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${String(typeof address === "object" ? address?.port : undefined)}`;
}
