import { randomFillSync } from "node:crypto";

import { wantedCodings } from "./content-codings.ts";
import { redacted } from "./redactor.ts";
import type { Redactor } from "./redactor.ts";
import { toolVersion } from "../openapi/installation.ts";

/** The address of a proxy, and what it is told of who asks. */
export interface Proxy {
  readonly hostname: string;
  readonly port: number;
  /** The header that says who asks; absent where the proxy wants none. */
  readonly authorization?: string;
  /** The address with its user and password, for programs that read it as one. */
  readonly url: string;
}

/** Where a connection goes. */
export interface HostAndPort {
  readonly hostname: string;
  readonly port: number;
}

/** How the target is reached; absent parts are the system's defaults. */
export interface ConnectionRules {
  /** PEM: the only authorities that are trusted; absent: those of Node. */
  readonly ca?: string;
  /** PEM: the certificate by which the target knows the client, and its key. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** The proxy for each scheme. */
  readonly proxies?: { readonly http?: Proxy; readonly https?: Proxy };
  /** Hosts that are reached without a proxy. */
  readonly isDirect?: (url: URL) => boolean;
  /** Connections go to this place, which passes their bytes on to where they would have gone. */
  readonly through?: HostAndPort;
}

/** What the user sets for every request to the target. */
export interface RequestOptions {
  /** By their names in lower case; their values are secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly connection?: ConnectionRules;
  /** Whether requests carry a `traceparent`; absent: they do. */
  readonly isTraced?: boolean;
}

/**
 * How every engine sends requests: all take headers, limits and certificates from here, so that none can forget one.
 * `load/engine-rules.full.test.ts` tests that.
 */
export interface RequestRules {
  /** The origins that requests may go to. Only the first one, the target's, gets the user's headers and certificate. */
  readonly origins: readonly [string, ...string[]];
  readonly userAgent: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isTraced: boolean;
  /** How long one answer may take, unless the request says otherwise. */
  readonly timeoutMs: number;
  readonly connection: ConnectionRules;
}

/** A redirect is an answer: to follow it would send keys and load to another server, and measure that one. */
export const redirectsMax = 0;

const answerTimeoutMs = 30_000;

/** Where a target is, and what a user says of the requests to it. */
interface Addressee {
  readonly baseUrl: string;
  readonly controlUrl?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly requests?: RequestOptions | undefined;
  /** Rules that were made before: all else is then ignored. */
  readonly rules?: RequestRules | undefined;
}

/** The rules for all requests to one target. */
export function rulesFor(target: Addressee): RequestRules {
  if (target.rules !== undefined) return target.rules;
  const { baseUrl, controlUrl, timeoutMs = answerTimeoutMs, requests = {} } = target;
  const control = controlUrl === undefined ? [] : [new URL(controlUrl).origin];
  return {
    origins: [new URL(baseUrl).origin, ...control],
    userAgent: `queueproof/${toolVersion()}`,
    headers: requests.headers ?? {},
    isTraced: requests.isTraced ?? true,
    timeoutMs,
    connection: requests.connection ?? {},
  };
}

/** Whether a URL belongs to the target itself, which alone gets the user's headers and certificate. */
export function isOfTarget({ origins: [target] }: RequestRules, { origin }: URL): boolean {
  return origin === target;
}

/** @throws TypeError where a request would go to an address that nobody named */
export function demandAllowed({ origins }: RequestRules, { origin }: URL): void {
  if (origins.includes(origin)) return;
  throw new TypeError(`${origin} is no address of this run: it has ${origins.join(" and ")}`);
}

/** The headers that every request to a URL carries, except `traceparent`, which differs for each. */
export function commonHeaders(rules: RequestRules, url: URL): Readonly<Record<string, string>> {
  const common = { "user-agent": rules.userAgent, "accept-encoding": wantedCodings };
  return { ...common, ...(isOfTarget(rules, url) ? rules.headers : {}) };
}

/** The headers of one request: its own, those that all carry, and a trace of its own. */
export function headersOf(
  rules: RequestRules,
  url: URL,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isNew = rules.isTraced && own["traceparent"] === undefined;
  const trace = isNew ? { traceparent: newTraceparent() } : {};
  // Its own come first: a page that shows a few headers shows those.
  return { ...own, ...trace, ...commonHeaders(rules, url), ...own };
}

/** The same headers as they may be written down. */
export function shownHeaders(
  { headers: secret }: RequestRules,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (Object.keys(secret).length === 0) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Object.hasOwn(secret, name) ? redacted : value,
    ]),
  );
}

/** Adds the secrets in these rules to a redactor. */
export function addSecrets({ headers, connection }: RequestRules, redactor: Redactor): void {
  for (const [name, value] of Object.entries(headers)) redactor.add(`header ${name}`, value);
  redactor.add("client key", connection.certificate?.key);
  for (const proxy of Object.values(connection.proxies ?? {})) {
    const { username, password } = new URL(proxy.url);
    redactor.add("proxy password", decodeURIComponent(password));
    redactor.add("proxy user", password === "" ? undefined : decodeURIComponent(username));
    redactor.add("proxy authorization", proxy.authorization?.replace(/^Basic /, ""));
  }
}

const idBytes = 24;
const idDigits = 2 * idBytes;
const idsAhead = 256;
const random = Buffer.alloc(idBytes * idsAhead);
const digits = Buffer.alloc(idDigits * idsAhead);
let digitsUsed = digits.length;

/** Returns where in `digits` the ids of the next trace begin; many are made at once, because load sends many. */
function nextIds(): number {
  if (digitsUsed === digits.length) {
    digits.write(randomFillSync(random).toString("hex"), "latin1");
    digitsUsed = 0;
  }
  digitsUsed += idDigits;
  return digitsUsed - idDigits;
}

/** A `traceparent` that asks the server to keep no trace of its own: those of load are many. */
export const blankTraceparent = `00-${"0".repeat(32)}-${"0".repeat(16)}-00`;

/** Overwrites the ids of the `traceparent` that begins at `at` in a request with unique ones. */
export function writeTraceIds(request: Buffer, at: number): void {
  const from = nextIds();
  digits.copy(request, at + 3, from, from + 32);
  digits.copy(request, at + 36, from + 32, from + idDigits);
}

/**
 * A unique `traceparent` (W3C Trace Context). It does not follow from the seed, for two runs with one seed are two. It
 * asks the server to keep its own trace.
 */
export function newTraceparent(): string {
  const from = nextIds();
  const ids = digits.toString("latin1", from, from + idDigits);
  return `00-${ids.slice(0, 32)}-${ids.slice(32)}-01`;
}
