import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { runCommandLine } from "../../cli/program.ts";
import { fakeIo } from "../cli/fake-io.ts";
import type { FakeIo } from "../cli/fake-io.ts";
import { temporaryDirectory } from "../cli/temporary-directory.ts";
import { rulesFor } from "../../client/request-rules.ts";
import type { RequestOptions } from "../../client/request-rules.ts";
import { requestsOf } from "../../cli/settings/requests.ts";
import { noK6, senders, sentKey } from "../load/senders.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { gatewayHeader, startGateway } from "./gateway.ts";
import type { Gateway } from "./gateway.ts";
import { nginx } from "./nginx.ts";
import { startTinyproxy, tinyproxy } from "./tinyproxy.ts";
import type { Tinyproxy } from "./tinyproxy.ts";

const missing = [nginx.missing, tinyproxy.missing].filter((each) => each !== "").join(" ");
const header = `${gatewayHeader.name}: ${gatewayHeader.value}`;

describe.skipIf(missing !== "")(`a server behind nginx and tinyproxy ${missing}`, () => {
  let reference: Reference;
  let gateway: Gateway;
  let proxy: Tinyproxy;
  let directory: string;

  beforeAll(async () => {
    reference = await startReference({
      endpoints: [{ clock: "real", id: "e", apiKey: sentKey }],
    });
    gateway = await startGateway(reference.baseUrl);
    proxy = await startTinyproxy(gateway.baseUrl);
    directory = temporaryDirectory(afterAll);
    const { ca, client } = gateway.certificates;
    writeFileSync(join(directory, "ca.pem"), ca);
    writeFileSync(join(directory, "client.pem"), client.cert);
    writeFileSync(join(directory, "client.key"), client.key);
  });

  afterAll(async () => {
    await proxy.stop();
    await gateway.stop();
    await reference.stop();
  });

  const files = { ca: "ca.pem", cert: "client.pem", certKey: "client.key" };

  function requests(given: Parameters<typeof requestsOf>[0]): RequestOptions {
    const read = requestsOf(given, fakeIo({ workingDirectory: directory }));
    expect(read.problems).toEqual([]);
    return read.requests;
  }

  describe.each(Object.entries(senders))("is reached by %s", (name, send) => {
    describe.skipIf(name === "k6" && noK6 !== "")(`where it is there ${noK6}`, () => {
      test("with header, authority and certificate, below a path", async () => {
        const baseUrl = gateway.urls.byAddress;
        const all = rulesFor({ baseUrl, requests: requests({ header: [header], ...files }) });
        expect(await send(baseUrl, all)).toMatchObject({ other: 0 });

        const bare = rulesFor({ baseUrl, requests: requests(files) });
        expect(await send(baseUrl, bare)).toMatchObject({ accepted: 0 });
      });

      test("and through the proxy, which knows its name alone", async () => {
        const baseUrl = gateway.urls.byName;
        const options = requests({ header: [header], ...files, proxy: proxy.url });
        const { accepted, other } = await send(baseUrl, rulesFor({ baseUrl, requests: options }));
        expect({ isAccepted: accepted > 1, other }).toEqual({ isAccepted: true, other: 0 });
        expect(await proxy.log()).toContain(`CONNECT ${new URL(baseUrl).host}`);
      });
    });
  });

  async function contract(...more: readonly string[]): Promise<FakeIo & { exitCode: number }> {
    const io = fakeIo({ workingDirectory: directory });
    const target = ["--base-url", gateway.urls.byName, "--endpoint", "e", "--api-key", sentKey];
    const only = ["--only", "HLTH-01", "--only", "RUNA-01", "--report", "report"];
    const words = ["contract", ...target, "--capability", "handler", ...only, ...more];
    return Object.assign(io, { exitCode: await runCommandLine(words, io) });
  }

  const identity = ["--ca", "ca.pem", "--cert", "client.pem", "--cert-key", "client.key"];
  const through = (): readonly string[] => ["--proxy", proxy.url];

  test("is checked, and no output holds a header's value, a key or a password", async () => {
    const { exitCode, output, errors } = await contract(
      ...identity,
      ...through(),
      "--header",
      header,
    );
    expect(errors()).toBe("");
    expect(exitCode).toBe(0);

    const written = readdirSync(join(directory, "report"), { recursive: true })
      .map((name) => join(directory, "report", String(name)))
      .map((path) => readFileSync(path, "utf8"));
    for (const text of [...written, output()]) {
      expect(text).not.toContain(gatewayHeader.value);
      expect(text).not.toContain(proxy.password);
      expect(text).not.toContain("PRIVATE KEY");
    }
  });

  test.each<[string, () => readonly string[], RegExp, RegExp]>([
    ["authority", () => through(), /did not answer: .*(self-signed|unable to)/, /--ca/],
    ["certificate", () => [...through(), "--ca", "ca.pem"], /certificate/, /--cert and --cert-key/],
    [
      "password of the proxy",
      () => [...identity, "--proxy", proxy.url.replace(proxy.password, "another")],
      /the proxy 127\.0\.0\.1:\d+ refused a connection .*40[17]/,
      /--proxy/,
    ],
    ["proxy", () => [...identity, "--proxy", "http://127.0.0.1:1"], /cannot be reached/, /--proxy/],
  ])("is not reached without the %s, with one message", async (_, more, said, hint) => {
    const { exitCode, errors } = await contract(...more(), "--header", header);

    expect(exitCode).toBe(3);
    const [first = "", second = "", ...rest] = errors().trimEnd().split("\n");
    expect(first).toMatch(said);
    expect(second).toMatch(hint);
    expect(rest).toEqual([]);
  });
});
