import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer as createTcpServer } from "node:net";
import { networkInterfaces } from "node:os";

import { describe, expect, onTestFinished, test } from "vitest";

import { certificatesFor } from "../traffic/certificates.ts";
import { startForwardProxy } from "../test/forward-proxy.ts";
import { running } from "../test/running-server.ts";
import { insistsOnHttp2, openSocket } from "./connect.ts";
import { rulesFor } from "./request-rules.ts";
import type { ConnectionRules, Proxy, RequestRules } from "./request-rules.ts";
import { Transport } from "./transport.ts";
import type { TransportResult } from "./exchange.ts";

async function getting(rules: RequestRules, url: string): Promise<TransportResult> {
  const transport = new Transport(rules);
  onTestFinished(async () => transport.close());
  const request = { method: "GET", headers: {}, body: undefined, signal: undefined } as const;
  return transport.send({ ...request, url, timeoutMs: 10_000 });
}

function proxyAt(port: number): Required<Pick<ConnectionRules, "proxies">> {
  const proxy: Proxy = { hostname: "127.0.0.1", port, url: `http://127.0.0.1:${port}` };
  return { proxies: { http: proxy, https: proxy } };
}

describe("a proxy", () => {
  const baseUrl = "https://gateway.test:8443";

  async function failureAt(port: number): Promise<string | undefined> {
    const { failure } = await getting(
      rulesFor({ baseUrl, requests: { connection: proxyAt(port) } }),
      baseUrl,
    );
    return failure?.message;
  }

  test("that refuses is told with what it said", async () => {
    const proxy = await startForwardProxy("http://127.0.0.1:9", "somebody:a-password");
    onTestFinished(proxy.stop);

    expect(await failureAt(proxy.port)).toBe(
      `the proxy 127.0.0.1:${proxy.port} refused a connection to gateway.test:8443: ` +
        "407 Proxy Authentication Required: it asks for a user and password, or for others",
    );
  });

  test.each([
    ["speaks something else", "220 mail.test ESMTP\r\n", /answered something other than HTTP/],
    ["hangs up", "", /closed the connection instead of opening one/],
  ])("that is none is told: it %s", async (_, greeting, said) => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.end(greeting);
    });
    const { baseUrl: url, stop } = await running(server);
    onTestFinished(stop);

    expect(await failureAt(Number(new URL(url).port))).toMatch(said);
  });

  test("that is a web server is told", async () => {
    const { baseUrl: url, stop } = await running(createServer());
    onTestFinished(stop);

    expect(await failureAt(Number(new URL(url).port))).toMatch(/^the proxy .* (closed|broke off)/);
  });

  test("that nobody runs is told", async () => {
    expect(await failureAt(1)).toMatch(
      /^the proxy 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/,
    );
  });
});

async function http2Server(): Promise<{ readonly baseUrl: string; readonly rules: RequestRules }> {
  const { ca, server: own } = await certificatesFor("127.0.0.1");
  const http2 = createSecureServer({ ...own, allowHTTP1: false }, (request, response) => {
    response.end(`${request.httpVersion} ${String(request.headers["user-agent"])}`);
  });
  const { baseUrl, stop } = await running(http2, "https");
  onTestFinished(stop);
  return { baseUrl, rules: rulesFor({ baseUrl, requests: { connection: { ca } } }) };
}

describe("a server that speaks HTTP/2 alone", () => {
  test("is spoken to in HTTP/2", async () => {
    const { baseUrl, rules } = await http2Server();
    const { answer, failure } = await getting(rules, `${baseUrl}/any`);

    expect(failure).toBeUndefined();
    expect(answer?.rawText()).toMatch(/^2\.0 queueproof\//);
    expect(insistsOnHttp2(rules, new URL(baseUrl))).toBe(true);
  });

  test("is told of whoever speaks HTTP/1.1 alone", async () => {
    const { baseUrl, rules } = await http2Server();
    const options = { timeoutMs: 5_000, speaksHttp2: false };

    await expect(openSocket(rules, new URL(baseUrl), options)).rejects.toThrow(
      `${baseUrl} speaks only HTTP/2`,
    );
  });
});

test("only the target gets the user's headers and certificate", async () => {
  const { ca, server, client } = await certificatesFor("127.0.0.1");
  const seen: string[] = [];
  const { createServer: createTlsServer } = await import("node:https");
  const { TLSSocket } = await import("node:tls");
  const asking = { ...server, ca, requestCert: true, rejectUnauthorized: false };
  const one = async (): Promise<string> => {
    const recording = createTlsServer(asking, ({ headers, socket }, response) => {
      const isShown = socket instanceof TLSSocket && socket.authorized;
      seen.push(`${String(headers["x-gateway"])} ${String(isShown)}`);
      response.end("{}");
    });
    const { baseUrl, stop } = await running(recording, "https");
    onTestFinished(stop);
    return baseUrl;
  };
  const [baseUrl, controlUrl] = [await one(), await one()];
  const connection = { ca, certificate: client };
  const requests = { headers: { "x-gateway": "secret-of-a-gateway" }, connection };
  const rules = rulesFor({ baseUrl, controlUrl, requests });

  await getting(rules, `${baseUrl}/`);
  await getting(rules, `${controlUrl}/`);
  expect(seen).toEqual(["secret-of-a-gateway true", "undefined false"]);
});

/** Whether this machine has IPv6 at all. */
const loopbackV6 = Object.values(networkInterfaces()).some((each) =>
  (each ?? []).some(({ address }) => address === "::1"),
);

test.skipIf(!loopbackV6)("an address of IPv6 is asked like any other", async () => {
  const server = createServer((request, response) => response.end(request.headers.host));
  await new Promise<void>((resolve) => {
    server.listen(0, "::1", resolve);
  });
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const baseUrl = `http://[::1]:${port}`;
  const { answer } = await getting(rulesFor({ baseUrl }), `${baseUrl}/`);
  expect(answer?.rawText()).toBe(`[::1]:${port}`);
});
