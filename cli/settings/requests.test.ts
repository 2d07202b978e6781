import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { certificatesFor } from "../../traffic/certificates.ts";
import type { Certificates } from "../../traffic/certificates.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { requestsOf } from "./requests.ts";
import type { ReadRequests } from "./requests.ts";
import type { SettingValues } from "./options.ts";

let certificates: Certificates;
let directory: string;

beforeAll(async () => {
  certificates = await certificatesFor("gateway.test");
  directory = temporaryDirectory(afterAll);
  const { client, server, ca } = certificates;
  const locked = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem", cipher: "aes-128-cbc", passphrase: "p" },
  });
  const files = {
    "ca.pem": ca,
    "client.pem": client.cert,
    "client.key": client.key,
    "both.pem": `${client.cert}\n${client.key}`,
    "server.key": server.key,
    "locked.key": locked.privateKey,
    "text.pem": "no certificate",
    "marked.pem": `\uFEFF${ca}`,
    "wide.pem": Buffer.from(`\uFEFF${ca}`, "utf16le"),
    "bare-wide.pem": Buffer.from(ca, "utf16le"),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
});

function read(values: SettingValues, environment: Record<string, string> = {}): ReadRequests {
  return requestsOf(values, fakeIo({ environment, workingDirectory: directory }));
}

describe("headers", () => {
  test("are read by name, and may hold colons and commas", () => {
    const { requests, problems } = read({ header: ["X-Gateway: a:b, c", "x-other:d"] });
    expect(problems).toEqual([]);
    expect(requests.headers).toEqual({ "x-gateway": "a:b, c", "x-other": "d" });
  });

  test.each([
    ["a secret without a name", /^--header must be a name, a colon and a value/],
    ["X Y: the-secret", /^--header must be a name/],
    ["X-Y:", /^--header X-Y has no value/],
    ["X-Y: the-secret\u0007", /^--header X-Y has a value with .*, which no header can hold/],
    ["X-Y: the-secret\n", /^--header X-Y has a value with .*, which no header can hold/],
    ["Authorization: the-secret", /^--header Authorization cannot be set: it carries the key/],
    ["HOST: the-secret", /^--header HOST cannot be set: it follows from --base-url/],
    ["traceparent: the-secret", /^--header traceparent cannot be set: .*--no-trace/],
  ])("%j is refused, and its value is not told", (header, said) => {
    const { problems } = read({ header: [header] });
    expect(problems).toEqual([expect.stringMatching(said)]);
    expect(problems.join("")).not.toContain("secret");
  });

  test("that are given twice are refused", () => {
    expect(read({ header: ["x-a: 1", "X-A: 2"] }).problems).toEqual([
      "--header X-A is given twice",
    ]);
  });
});

describe("certificates", () => {
  test("are read from their files, a key also from that of its certificate", () => {
    const { requests, problems } = read({
      ca: "ca.pem",
      cert: "client.pem",
      certKey: "client.key",
    });
    expect(problems).toEqual([]);
    expect(requests.connection).toEqual({ ca: certificates.ca, certificate: certificates.client });
    expect(read({ cert: "both.pem" }).problems).toEqual([]);
  });

  test.each(["marked.pem", "wide.pem"])(
    "are read from %s, whose byte order mark is left out",
    (ca) => {
      const { requests, problems } = read({ ca });
      expect(problems).toEqual([]);
      expect(requests.connection).toEqual({ ca: certificates.ca });
    },
  );

  test.each<[SettingValues, RegExp]>([
    [{ ca: "bare-wide.pem" }, /^--ca bare-wide\.pem cannot be read: it is UTF-16 or binary/],
    [{ ca: "missing.pem" }, /^--ca missing\.pem cannot be read: ENOENT/],
    [{ ca: "text.pem" }, /^--ca text\.pem cannot be used: it holds no certificate/],
    [{ ca: "client.key" }, /^--ca client\.key cannot be used: it holds no certificate/],
    [{ cert: "text.pem", certKey: "client.key" }, /^--cert text\.pem cannot be used/],
    [{ cert: "client.pem" }, /^--cert client\.pem holds no key: give --cert-key/],
    [{ certKey: "client.key" }, /^--cert-key needs --cert/],
    [
      { cert: "client.pem", certKey: "text.pem" },
      /^--cert-key text\.pem cannot be used: it holds no private key/,
    ],
    [
      { cert: "client.pem", certKey: "locked.key" },
      /^--cert-key locked\.key .* locked by a passphrase/,
    ],
    [
      { cert: "client.pem", certKey: "server.key" },
      /^--cert-key server\.key does not fit --cert client\.pem/,
    ],
  ])("%j is refused with its reason", (values, said) => {
    expect(read(values).problems).toEqual([expect.stringMatching(said)]);
  });
});

describe("proxies", () => {
  const elsewhere = new URL("https://api.example.com");

  test("that was given is for everything, and its password for it alone", () => {
    const { connection } = read({ proxy: "http://some:p%40ss@proxy.test:3128" }).requests;
    const authorization = `Basic ${Buffer.from("some:p@ss").toString("base64")}`;
    expect(connection?.proxies?.https).toMatchObject({
      hostname: "proxy.test",
      port: 3128,
      authorization,
    });
    expect(connection?.proxies?.http).toEqual(connection?.proxies?.https);
    expect(connection?.isDirect).toBeUndefined();
  });

  test("of the usual variables are for their scheme, but for what needs none", () => {
    const environment = { HTTPS_PROXY: "proxy.test:3128", no_proxy: "internal.test" };
    const { connection } = read({}, environment).requests;
    expect(connection?.proxies).toMatchObject({ https: { hostname: "proxy.test", port: 3128 } });
    expect(connection?.proxies?.http).toBeUndefined();
    expect(connection?.isDirect?.(elsewhere)).toBe(false);
    expect(connection?.isDirect?.(new URL("https://a.internal.test"))).toBe(true);
  });

  test.each([
    "socks5://user:secret@p.test",
    "http://",
    "http://p.test/path?secret",
    "https://p.test",
  ])("%s is refused, and not told", (proxy) => {
    expect(read({ proxy }).problems).toEqual([
      "--proxy must be the address of an HTTP proxy, such as http://proxy.example:3128",
    ]);
  });

  test("a variable that cannot be used is named", () => {
    const values = { baseUrl: "https://target.test" };
    expect(read(values, { https_proxy: "socks5://p.test" }).problems).toEqual([
      expect.stringMatching(/^https_proxy must be the address of an HTTP proxy/),
    ]);
  });
});

describe("a proxy variable that cannot be used", () => {
  const broken = { HTTPS_PROXY: "socks5://proxy.test:1080" };

  test.each<[string, SettingValues, Record<string, string>]>([
    ["for another scheme", { baseUrl: "http://target.test" }, {}],
    [
      "for a target that is reached directly",
      { baseUrl: "https://a.test" },
      { NO_PROXY: "a.test" },
    ],
    ["without a target", {}, {}],
  ])("refuses nothing %s", (_what, values, more) => {
    const { requests, problems } = read(values, { ...broken, ...more });
    expect(problems).toEqual([]);
    expect(requests.connection?.proxies?.https).toBeUndefined();
  });

  test("is refused where requests follow it", () => {
    expect(read({ baseUrl: "https://a.test" }, broken).problems).toEqual([
      "HTTPS_PROXY must be the address of an HTTP proxy, such as http://proxy.example:3128",
    ]);
  });

  test("is refused where its password is not percent-encoded, without showing it", () => {
    const { problems } = read({ proxy: "http://user:pass%word@proxy.test:3128" });
    expect(problems).toEqual([
      "--proxy has a user or password whose % begins no character: write it as %25",
    ]);
  });
});
