import { createPrivateKey, X509Certificate } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";

import type { ConnectionRules, Proxy, RequestOptions } from "../../client/request-rules.ts";
import { unsendableIn } from "../../client/sendable.ts";
import { codeOf, messageOf } from "../errors.ts";
import { readGivenFile } from "../given-file.ts";
import { textOfFile } from "../text-file.ts";
import type { Io } from "../io.ts";
import { directBy } from "./no-proxy.ts";
import type { SettingValues } from "./options.ts";

export interface ReadRequests {
  readonly requests: RequestOptions;
  /** Unusable settings, one line each; none shows a secret. */
  readonly problems: readonly string[];
}

/** Collects from settings and proxy variables what every request to the target carries; reads the files they name. */
export function requestsOf(values: SettingValues, io: Io): ReadRequests {
  const problems: string[] = [];
  const tell = (problem: string): void => void problems.push(problem);
  const connection: ConnectionRules = {
    ...authorityOf(values, io, tell),
    ...certificateOf(values, io, tell),
    ...proxiesOf(values, io, tell),
  };
  const headers = headersOf(values.header ?? [], tell);
  const isTraced = values.noTrace !== true;
  return { requests: { headers, connection, isTraced }, problems };
}

type Tell = (problem: string) => void;

/** Headers that --header may not set, each with the reason. */
const ownHeaders: Readonly<Record<string, string>> = {
  authorization: "it carries the key: give --api-key",
  host: "it follows from --base-url",
  "content-type": "it follows from the body",
  "content-length": "it follows from the body",
  "transfer-encoding": "it follows from the body",
  accept: "every request asks for JSON",
  expect: "the answer is awaited as it comes",
  connection: "connections are kept and closed as a check needs it",
  "keep-alive": "connections are kept and closed as a check needs it",
  upgrade: "no other protocol is spoken",
  "proxy-authorization": "give user and password in --proxy",
  "user-agent": "it says which version sent the request",
  traceparent: "each request has one of its own; --no-trace leaves it out",
};

function headersOf(given: readonly string[], tell: Tell): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const text of given) {
    const [, name, value = ""] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
    if (name === undefined) {
      tell("--header must be a name, a colon and a value, such as 'X-Name: value'");
      continue;
    }
    const problem = problemOfHeader(name, value, headers);
    if (problem === undefined) headers.set(name.toLowerCase(), value);
    else tell(`--header ${name} ${problem}`);
  }
  return Object.fromEntries(headers);
}

function problemOfHeader(
  name: string,
  value: string,
  before: ReadonlyMap<string, string>,
): string | undefined {
  const lower = name.toLowerCase();
  const own = Object.hasOwn(ownHeaders, lower) ? ownHeaders[lower] : undefined;
  if (own !== undefined) return `cannot be set: ${own}`;
  if (value === "") return "has no value";
  const character = /[^\t\u0020-\u007E\u0080-\u00FF]/u.exec(value)?.[0];
  if (character !== undefined) {
    return `has a value with ${unsendableIn(character) ?? character}, which no header can hold`;
  }
  return before.has(lower) ? "is given twice" : undefined;
}

function authorityOf({ ca: path }: SettingValues, io: Io, tell: Tell): Pick<ConnectionRules, "ca"> {
  const ca = path === undefined ? undefined : textOf("--ca", path, { io, tell });
  if (ca === undefined) return {};
  const count = ca.match(/-----BEGIN (?:TRUSTED )?CERTIFICATE-----/g)?.length ?? 0;
  const why =
    count === 0 ? "it holds no certificate in PEM" : refusalOf(() => createSecureContext({ ca }));
  if (why === undefined) return { ca };
  tell(`--ca ${path ?? ""} cannot be used: ${why}`);
  return {};
}

function certificateOf(
  { cert: certPath, certKey: keyPath }: SettingValues,
  io: Io,
  tell: Tell,
): Pick<ConnectionRules, "certificate"> {
  if (certPath === undefined && keyPath === undefined) return {};
  if (certPath === undefined) {
    tell("--cert-key needs --cert: the certificate that belongs to the key");
    return {};
  }
  // One file may hold both the certificate and the key.
  const cert = textOf("--cert", certPath, { io, tell });
  const key = keyPath === undefined ? cert : textOf("--cert-key", keyPath, { io, tell });
  if (cert === undefined || key === undefined) return {};
  const problem = problemOfPair({ certPath, keyPath, cert, key });
  if (problem === undefined) return { certificate: { cert, key } };
  tell(problem);
  return {};
}

interface Pair {
  readonly certPath: string;
  readonly keyPath: string | undefined;
  readonly cert: string;
  readonly key: string;
}

function problemOfPair({ certPath, keyPath, cert, key: keyText }: Pair): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch {
    return `--cert ${certPath} cannot be used: it holds no certificate in PEM`;
  }
  if (keyPath === undefined && !keyText.includes("PRIVATE KEY-----")) {
    return `--cert ${certPath} holds no key: give --cert-key FILE`;
  }
  let key: KeyObject;
  try {
    key = createPrivateKey(keyText);
  } catch {
    const isLocked = /ENCRYPTED/.test(keyText);
    const why = isLocked
      ? "it is locked by a passphrase: give one that is not"
      : "it holds no private key in PEM";
    return `--cert-key ${keyPath ?? certPath} cannot be used: ${why}`;
  }
  if (certificate.checkPrivateKey(key)) return undefined;
  return `--cert-key ${keyPath ?? certPath} does not fit --cert ${certPath}: it is the key of another certificate`;
}

function refusalOf(use: () => unknown): string | undefined {
  try {
    use();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

interface Reader {
  readonly io: Io;
  readonly tell: Tell;
}

/** Larger than any file of certificate authorities. */
const bytesMax = 4 * 1_048_576;

function textOf(option: string, path: string, { io, tell }: Reader): string | undefined {
  try {
    const bytes = readGivenFile(resolve(io.workingDirectory, path));
    if (bytes.length <= bytesMax) return textOfFile(bytes);
    tell(`${option} ${path} cannot be used: it is larger than 4 MB`);
  } catch (error) {
    const code = codeOf(error);
    const why = typeof code === "string" ? code : messageOf(error);
    tell(`${option} ${path} cannot be read: ${why}`);
  }
  return undefined;
}

/** Returns the given proxy for all requests, else the proxies of the usual variables. */
function proxiesOf(
  { proxy: given, baseUrl, control }: SettingValues,
  { environment }: Io,
  tell: Tell,
): Pick<ConnectionRules, "proxies" | "isDirect"> {
  if (given !== undefined) {
    const proxy = proxyOf("--proxy", given, tell);
    return proxy === undefined ? {} : { proxies: { http: proxy, https: proxy } };
  }
  const isDirect = directBy(environment["no_proxy"] ?? environment["NO_PROXY"] ?? "");
  const named = (name: string, protocol: string): Proxy | undefined => {
    const variable = [name.toLowerCase(), name].find((each) => (environment[each] ?? "") !== "");
    if (variable === undefined) return undefined;
    // A variable that is meant for other programs, and that no request follows, may hold anything.
    const isUsed = [baseUrl, control].some((text) => {
      const url = text === undefined ? null : URL.parse(text);
      return url !== null && url.protocol === protocol && !isDirect(url);
    });
    return proxyOf(variable, environment[variable] ?? "", isUsed ? tell : () => undefined);
  };
  const http = named("HTTP_PROXY", "http:");
  const https = named("HTTPS_PROXY", "https:");
  if (http === undefined && https === undefined) return {};
  return {
    proxies: { ...(http === undefined ? {} : { http }), ...(https === undefined ? {} : { https }) },
    isDirect,
  };
}

/** Parses a proxy address. The problem never shows the value, as it may hold a password. */
function proxyOf(place: string, text: string, tell: Tell): Proxy | undefined {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (
    url?.protocol !== "http:" ||
    url.hostname === "" ||
    !/^\/?$/.test(url.pathname + url.search)
  ) {
    tell(`${place} must be the address of an HTTP proxy, such as http://proxy.example:3128`);
    return undefined;
  }
  const { hostname, port, username, password } = url;
  const who = whoOf(username, password);
  if (who === undefined) {
    tell(`${place} has a user or password whose % begins no character: write it as %25`);
    return undefined;
  }
  return {
    hostname: hostname.replaceAll(/^\[|\]$/g, ""),
    port: port === "" ? 80 : Number(port),
    url: url.href,
    ...(who === ":" ? {} : { authorization: `Basic ${Buffer.from(who).toString("base64")}` }),
  };
}

/** User and password as the proxy is told them; undefined where they are not percent-encoded. */
function whoOf(username: string, password: string): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}
