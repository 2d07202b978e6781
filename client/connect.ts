import { connect as connectTcp, isIP } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";

import { printable } from "./printable.ts";
import { isOfTarget } from "./request-rules.ts";
import type { HostAndPort, Proxy, RequestRules } from "./request-rules.ts";
import { RunningTimeout } from "./running-timeout.ts";

export interface ConnectOptions {
  readonly timeoutMs: number;
  /** Whether the sender can speak HTTP/2 where the server insists on it. */
  readonly speaksHttp2: boolean;
}

/** The server speaks only HTTP/2, and the sender does not. */
export class NoHttp1 extends Error {
  override readonly name = "NoHttp1";
}

/** The proxy did not let a request through, or is not a proxy. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
}

/** The proxy that requests to a URL go through, if any. */
export function proxyFor({ connection }: RequestRules, url: URL): Proxy | undefined {
  const { proxies = {}, isDirect } = connection;
  const proxy = url.protocol === "https:" ? proxies.https : proxies.http;
  return proxy === undefined || isDirect?.(url) === true ? undefined : proxy;
}

/** The headers to add to a request that goes to a proxy without a tunnel; `undefined` where it does not go to one. */
export function throughPlainProxy(
  rules: RequestRules,
  url: URL,
): Readonly<Record<string, string>> | undefined {
  const proxy = url.protocol === "http:" ? proxyFor(rules, url) : undefined;
  if (proxy === undefined) return undefined;
  const { authorization } = proxy;
  return authorization === undefined ? {} : { "proxy-authorization": authorization };
}

/** The origins that turned out to speak only HTTP/2. */
const insisting = new WeakMap<RequestRules, Set<string>>();

/** Whether the server at a URL turned out to speak only HTTP/2. */
export function insistsOnHttp2(rules: RequestRules, { origin }: URL): boolean {
  return insisting.get(rules)?.has(origin) === true;
}

/**
 * Opens a connection to the origin of a URL, or to the proxy before it: every engine of this process sends on
 * sockets that come from here.
 * @throws the error of the socket, ProxyError, or NoHttp1
 */
export async function openSocket(
  rules: RequestRules,
  origin: URL,
  options: ConnectOptions,
): Promise<Socket> {
  try {
    return await attempt(rules, origin, options);
  } catch (error) {
    if (!isWithoutProtocol(error)) throw error;
    const known = insisting.get(rules) ?? new Set();
    insisting.set(rules, known.add(origin.origin));
    if (!options.speaksHttp2) throw noHttp1(origin);
    return attempt(rules, origin, options);
  }
}

async function attempt(
  rules: RequestRules,
  origin: URL,
  { timeoutMs, speaksHttp2 }: ConnectOptions,
): Promise<Socket> {
  const asksHttp2 = insistsOnHttp2(rules, origin);
  if (asksHttp2 && !speaksHttp2) throw noHttp1(origin);
  const proxy = proxyFor(rules, origin);
  const { through } = rules.connection;
  const isTls = origin.protocol === "https:";
  const deadlineMs = performance.now() + timeoutMs;
  const leftMs = (): number => Math.max(1, Math.ceil(deadlineMs - performance.now()));
  const tcp = await toHost(through ?? destinationOf(rules, origin), leftMs()).catch(
    (error: unknown) => {
      throw proxy === undefined ? error : notReached(proxy, error);
    },
  );
  if (!isTls) return tcp;
  if (proxy !== undefined) await tunnel(tcp, { proxy, to: placeOf(origin), timeoutMs: leftMs() });
  const host = placeOf(origin).hostname;
  // Its errors are reported by the TLS socket above it.
  tcp.on("error", () => undefined);
  const { ca, certificate } = rules.connection;
  const tls = connectTls({
    socket: tcp,
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    ALPNProtocols: [asksHttp2 ? "h2" : "http/1.1"],
    ...(ca === undefined ? {} : { ca }),
    ...(certificate !== undefined && isOfTarget(rules, origin) ? certificate : {}),
  });
  return ready(tls, "secureConnect", leftMs());
}

/** Where connections to an origin go: to its host, or to the proxy before it. */
export function destinationOf(rules: RequestRules, origin: URL): HostAndPort {
  return proxyFor(rules, origin) ?? placeOf(origin);
}

function placeOf({ hostname, port, protocol }: URL): HostAndPort {
  const standard = protocol === "https:" ? 443 : 80;
  return {
    hostname: hostname.replaceAll(/^\[|\]$/g, ""),
    port: port === "" ? standard : Number(port),
  };
}

const keepAliveMs = 60_000;

async function toHost({ hostname: host, port }: HostAndPort, timeoutMs: number): Promise<Socket> {
  const socket = connectTcp({ host, port });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveMs);
  return ready(socket, "connect", timeoutMs);
}

function ready(
  socket: Socket,
  event: "connect" | "secureConnect",
  timeoutMs: number,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timeout = new RunningTimeout(() => {
      socket.destroy(new Error(`no connection within ${timeoutMs} ms`));
    }, timeoutMs);
    const closed = (): void => reject(new Error("the connection was closed"));
    socket.once("error", reject);
    socket.once("close", closed);
    socket.once("close", () => timeout.clear());
    socket.once(event, () => {
      timeout.clear();
      socket.off("error", reject);
      socket.off("close", closed);
      resolve(socket);
    });
  });
}

interface Tunnel {
  readonly proxy: Proxy;
  readonly to: HostAndPort;
  readonly timeoutMs: number;
}

/** More bytes than any proxy sends before a tunnel is open. */
const proxyHeadMax = 16_384;

/** Asks a proxy for a connection to a server; afterwards the socket leads there. */
function tunnel(socket: Socket, { proxy, to, timeoutMs }: Tunnel): Promise<void> {
  const host = `${inUrl(to.hostname)}:${to.port}`;
  const who =
    proxy.authorization === undefined ? "" : `proxy-authorization: ${proxy.authorization}\r\n`;
  return new Promise((resolve, reject) => {
    let head = "";
    const end = (problem?: string): void => {
      timeout.clear();
      socket.removeAllListeners("data").off("error", failed).off("close", closed);
      socket.pause();
      if (problem === undefined) return resolve();
      socket.on("error", () => undefined).destroy();
      reject(new ProxyError(`${nameOf(proxy)} ${problem}`));
    };
    const failed = (error: Error): void => end(`broke off: ${error.message}`);
    const closed = (): void => end("closed the connection instead of opening one");
    const timeout = new RunningTimeout(() => {
      end(`opened no connection to ${host} within ${timeoutMs} ms`);
    }, timeoutMs);
    socket.once("error", failed).once("close", closed);
    socket.on("data", (chunk) => {
      head += chunk.toString("latin1");
      const found = answerOf(head, host);
      if (found !== undefined) end(found.problem);
    });
    socket.write(`CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n${who}\r\n`);
  });
}

/** What a proxy has answered, as far as it has come; `undefined` while that is not enough to tell. */
function answerOf(
  head: string,
  host: string,
): { readonly problem: string | undefined } | undefined {
  const isHttp = "HTTP/1.".startsWith(head.slice(0, 7));
  if (!isHttp || head.length > proxyHeadMax) {
    return { problem: "answered something other than HTTP: it is no proxy" };
  }
  const [line = "", ...rest] = head.split("\r\n");
  if (rest.length === 0) return undefined;
  const status = printable(line.replace(/^HTTP\/1\.\d /, "")).slice(0, 100);
  if (status.startsWith("2")) return head.includes("\r\n\r\n") ? { problem: undefined } : undefined;
  const why = status.startsWith("407") ? ": it asks for a user and password, or for others" : "";
  return { problem: `refused a connection to ${host}: ${status}${why}` };
}

function notReached(proxy: Proxy, error: unknown): ProxyError {
  const why = error instanceof Error ? error.message : String(error);
  return new ProxyError(`${nameOf(proxy)} cannot be reached: ${why}`);
}

/** The proxy in messages, without user and password. */
function nameOf({ hostname, port }: Proxy): string {
  return `the proxy ${inUrl(hostname)}:${port}`;
}

/** A host as it stands in URLs and in the header Host: an address of IPv6 in brackets. */
export function inUrl(hostname: string): string {
  return hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
}

function noHttp1({ origin }: URL): NoHttp1 {
  return new NoHttp1(`${origin} speaks only HTTP/2`);
}

/** Servers that speak none of the protocols they were offered end the handshake with this (RFC 7301). */
function isWithoutProtocol(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL"
  );
}
