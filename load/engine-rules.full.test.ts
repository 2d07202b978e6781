import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { promisify } from "node:util";

import { describe, expect, onTestFinished, test } from "vitest";

import { rulesFor } from "../client/request-rules.ts";
import type { RequestOptions, RequestRules } from "../client/request-rules.ts";
import { certificatesFor } from "../traffic/certificates.ts";
import { startForwardProxy } from "../test/forward-proxy.ts";
import { running } from "../test/running-server.ts";
import { realK6 } from "../test/load/senders.ts";
import { noK6, senders, sentKey } from "../test/load/senders.ts";

const { k6, reason } = await realK6();
const nothing = { accepted: 0, other: 0 };

describe.each(Object.entries(senders))("what %s sends", (name, send) => {
  describe.skipIf(name === "k6" && noK6 !== "")(`to a target ${noK6}`, () => {
    test("carries name and version, the user's headers, and a trace of its own each time", async () => {
      const { baseUrl, seen } = await recorder();
      const given = { headers: { "x-gateway": "secret-of-a-gateway" } };
      const { accepted } = await send(baseUrl, rulesFor({ baseUrl, requests: given }));

      expect(accepted).toBeGreaterThan(1);
      expect(seen.length).toBeGreaterThanOrEqual(accepted);
      for (const one of seen) {
        expect(one["user-agent"]).toMatch(/^queueproof\/\d+\.\d+\.\d+/);
        expect(one["accept-encoding"]).toBe("identity");
        expect(one["x-gateway"]).toBe("secret-of-a-gateway");
        expect(one["authorization"]).toBe(sentKey);
        expect(one["traceparent"]).toMatch(/^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-0[01]$/);
      }
      const traces = seen.map((one) => String(one["traceparent"]).split("-")[1]);
      expect(new Set(traces).size).toBe(traces.length);
    });

    test("carries no trace where none is wanted", async () => {
      const { baseUrl, seen } = await recorder();
      await send(baseUrl, rulesFor({ baseUrl, requests: { isTraced: false } }));

      expect(seen.length).toBeGreaterThan(0);
      expect(seen.filter(({ traceparent }) => traceparent !== undefined)).toEqual([]);
    });

    test("goes below a path before /v2", async () => {
      const { baseUrl, urls } = await recorder();
      await send(`${baseUrl}/a/gateway`, rulesFor({ baseUrl }));

      expect(new Set(urls)).toEqual(new Set(["/a/gateway/v2/e/health"]));
    });

    test("follows no redirect: it is an answer", async () => {
      const stranger = await recorder();
      const baseUrl = await listening((request, response) => {
        response.writeHead(307, { location: `${stranger.baseUrl}${String(request.url)}` }).end();
      });

      expect((await send(baseUrl, rulesFor({ baseUrl }))).other).toBeGreaterThan(0);
      expect(stranger.seen).toEqual([]);
    });

    test("goes to no address that nobody named", async () => {
      const { baseUrl, seen } = await recorder();
      const rules = rulesFor({ baseUrl: "http://127.0.0.1:9" });

      expect(await send(baseUrl, rules).catch(() => nothing)).toMatchObject(nothing);
      expect(seen).toEqual([]);
    });

    test("is given up after the time-out", async () => {
      let asked = 0;
      const baseUrl = await listening(() => void (asked += 1));

      const rules = rulesFor({ baseUrl, timeoutMs: 300 });
      expect(await send(baseUrl, rules)).toMatchObject(nothing);
      expect(asked).toBeGreaterThan(0);
    });

    test("trusts the authority that was given, and no other", async () => {
      const certificates = await certificatesFor("127.0.0.1");
      const { baseUrl, seen } = await recorder(certificates.server);
      const to = (requests: RequestOptions): RequestRules => rulesFor({ baseUrl, requests });

      expect(await send(baseUrl, to({})).catch(() => nothing)).toMatchObject(nothing);
      const { ca: another } = await certificatesFor("127.0.0.1");
      const wrong = to({ connection: { ca: another } });
      expect(await send(baseUrl, wrong).catch(() => nothing)).toMatchObject(nothing);
      expect(seen).toEqual([]);

      const right = to({ connection: { ca: certificates.ca } });
      expect((await send(baseUrl, right)).accepted).toBeGreaterThan(1);
    });

    test("shows the client's certificate", async () => {
      const { ca, server, client } = await certificatesFor("127.0.0.1");
      const { baseUrl, seen } = await recorder({ ...server, ca, requestCert: true });
      const to = (requests: RequestOptions): RequestRules => rulesFor({ baseUrl, requests });

      const without = to({ connection: { ca } });
      expect(await send(baseUrl, without).catch(() => nothing)).toMatchObject(nothing);
      expect(seen).toEqual([]);
      const shown = to({ connection: { ca, certificate: client } });
      expect((await send(baseUrl, shown)).accepted).toBeGreaterThan(1);
    });

    // These names can be reached only through the proxy.
    test.each(["http", "https"] as const)("goes through the proxy, over %s", async (scheme) => {
      const { ca, server } = await certificatesFor("gateway.test");
      const { baseUrl, seen } = await recorder(scheme === "https" ? server : undefined);
      const proxy = await startForwardProxy(baseUrl, "somebody:secret-of-a-proxy");
      onTestFinished(proxy.stop);
      const url = `http://somebody:secret-of-a-proxy@127.0.0.1:${proxy.port}`;
      const authorization = `Basic ${Buffer.from("somebody:secret-of-a-proxy").toString("base64")}`;
      const known = { hostname: "127.0.0.1", port: proxy.port, url, authorization };
      const named = `${scheme}://gateway.test:8443`;
      const requests = { connection: { ca, proxies: { http: known, https: known } } };

      const { accepted } = await send(named, rulesFor({ baseUrl: named, requests }));
      expect(accepted).toBeGreaterThan(1);
      expect(seen.every(({ host }) => host === "gateway.test:8443")).toBe(true);
      expect(seen.filter((one) => "proxy-authorization" in one)).toEqual([]);
      const line = scheme === "http" ? `GET ${named}/v2/e/health` : "CONNECT gateway.test:8443";
      for (const asked of proxy.asked) expect(asked).toEqual({ line, authorization });
    });
  });
});

test.skipIf(k6 === undefined)(
  `no script follows a redirect, also where k6 is started by hand${reason && ` (${reason})`}`,
  async () => {
    const directory = new URL("../scenarios/k6/", import.meta.url);
    const parts = new Set([
      "arrivals.ts",
      "harness.ts",
      "jobs.ts",
      "requests.ts",
      "segment.ts",
      "settings.ts",
    ]);
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

interface Recorder {
  readonly baseUrl: string;
  readonly seen: IncomingHttpHeaders[];
  readonly urls: string[];
}

/** A server that answers everything, over TLS where it is given a certificate. */
async function recorder(tls?: Parameters<typeof createTlsServer>[0]): Promise<Recorder> {
  const seen: IncomingHttpHeaders[] = [];
  const urls: string[] = [];
  const answer: RequestListener = (request, response) => {
    seen.push(request.headers);
    urls.push(String(request.url));
    response.end("{}");
  };
  return { baseUrl: await listening(answer, tls), seen, urls };
}

async function listening(
  answer: RequestListener,
  tls?: Parameters<typeof createTlsServer>[0],
): Promise<string> {
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  const { baseUrl, stop } = await running(server, tls === undefined ? "http" : "https");
  onTestFinished(stop);
  return baseUrl;
}
