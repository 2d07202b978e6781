import { createServer as createTcpServer } from "node:net";
import { createServer } from "node:tls";

import { generate } from "selfsigned";
import { describe, expect, onTestFinished, test } from "vitest";

import { startReference } from "../reference/start-reference.ts";
import { HarnessError } from "./outcome.ts";
import { isLoopback } from "../client/endpoint-address.ts";
import { openTarget } from "./open-target.ts";
import type { TargetSettings } from "./target.ts";
import { running } from "../test/running-server.ts";
import { scriptedServer } from "../test/harness/scripted-server.ts";
import type { Script } from "../test/harness/scripted-server.ts";

const jobs = { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 };

async function settingsFor(script: Script): Promise<TargetSettings> {
  const baseUrl = await scriptedServer(script);
  return { baseUrl, endpointId: "e", apiKey: "the-key-of-this-test", capabilities: [] };
}

/** How many workers are seen where health shows so many idle ones and one that is running. */
async function workersSeen(idle: number): Promise<number | undefined> {
  const health = { jobs, workers: { idle, running: 1 } };
  return (await openTarget(await settingsFor(() => [200, health]))).workersSeen;
}

async function errorOf(settings: TargetSettings): Promise<HarnessError> {
  try {
    await openTarget(settings);
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error("the target was opened");
}

describe("opening a target", () => {
  test("learns from control what it offers", async () => {
    const reference = await startReference({});
    onTestFinished(async () => reference.stop());
    const { baseUrl, controlUrl = "" } = reference;

    const { capabilities } = await openTarget({ baseUrl, controlUrl, capabilities: ["openai"] });

    expect(capabilities).toEqual(
      expect.arrayContaining(["handler", "webhook", "workers", "endpoints", "clock", "load"]),
    );
  });

  test("needs an endpoint and a key where no fresh ones can be made", async () => {
    const baseUrl = await scriptedServer(() => [200, {}]);
    const { code, message } = await errorOf({ baseUrl, capabilities: [] });
    expect(code).toBe("TARGET_UNREACHABLE");
    expect(message).toMatch(/no endpoint and key were given/);
  });

  test("counts the workers that health shows, and no more than there can be", async () => {
    expect(await workersSeen(3)).toBe(4);
    expect(await workersSeen(1e15)).toBe(64);
  });

  test.each([
    { what: "{}", script: () => [200, {}] as const },
    { what: "429", script: () => [429, {}] as const },
    { what: "500", script: () => [500, "no"] as const },
  ])("leaves a target that answers $what to the checks", async ({ script }) => {
    expect((await openTarget(await settingsFor(script))).workersSeen).toBe(1);
  });

  test.each([
    { what: "a page", outside: [200, "welcome"] as const },
    { what: "404", outside: undefined },
    { what: "401, too", outside: [401, {}] as const },
  ])("takes nothing but 401 for a wrong key where the rest answers $what", async ({ outside }) => {
    const script: Script = (request) => (request.includes("/v2/") ? [401, {}] : outside);
    const { code, message, hint } = await errorOf(await settingsFor(script));
    expect(code).toBe("KEY_REFUSED");
    expect(message).toMatch(/^every request with this key was answered 401 \(health and run/);
    expect(message).not.toContain("the-key-of-this-test");
    expect(hint).toMatch(/--api-key/);
  });

  test("tells a mistyped endpoint, with what to correct", async () => {
    const reference = await startReference({ endpoints: [{ clock: "real" }] });
    onTestFinished(async () => reference.stop());
    const { baseUrl, endpointId, apiKey } = reference;
    const settings = { baseUrl, apiKey, capabilities: [] };
    await expect(openTarget({ ...settings, endpointId })).resolves.toMatchObject({ endpointId });

    const { code, message, hint } = await errorOf({ ...settings, endpointId: "mistyped" });
    expect(code).toBe("ENDPOINT_UNKNOWN");
    expect(message).toMatch(
      /^every request to endpoint mistyped .* answered 404 .*id is probably wrong$/,
    );
    expect(message).not.toContain(apiKey);
    expect(hint).toMatch(/--endpoint/);
  });

  test.each([
    { what: "401 to health, and looks at what is submitted", health: 401, run: 400 },
    { what: "401 to health, and 404 to run", health: 401, run: 404 },
    { what: "404 to health, and looks at what is submitted", health: 404, run: 400 },
    { what: "404 to health, and takes anything", health: 404, run: 200 },
  ])("leaves a target that answers $what to the checks", async ({ health, run }) => {
    const script: Script = (request) => [request.startsWith("POST") ? run : health, {}];
    expect((await openTarget(await settingsFor(script))).workersSeen).toBe(1);
  });

  test.each([
    {
      what: "500",
      answer: [500, "\u001B[2J"] as const,
      says: /GET was answered 500: .*u001b\[2J/,
    },
    { what: "404", answer: undefined, says: /GET was answered 404$/ },
    {
      what: "a page",
      answer: [200, "<h1>"] as const,
      says: /its answer to GET does not describe one$/,
    },
  ])(
    "says that an address which answers $what is no control protocol",
    async ({ answer, says }) => {
      const baseUrl = await scriptedServer(() => answer);
      const { code, message, hint } = await errorOf({
        baseUrl,
        controlUrl: baseUrl,
        capabilities: [],
      });
      expect(code).toBe("TARGET_UNREACHABLE");
      expect(message).toMatch(/^there is no control protocol at http/);
      expect(message).toMatch(says);
      expect(hint).toMatch(/^Correct --control/);
    },
  );

  test("tells that the API does not know the endpoints of the control protocol", async () => {
    const [one, other] = [await startReference({}), await startReference({})];
    onTestFinished(async () => void (await Promise.all([one.stop(), other.stop()])));
    const { controlUrl = "" } = one;
    const { message } = await errorOf({ baseUrl: other.baseUrl, controlUrl, capabilities: [] });
    expect(message).toMatch(/^--base-url and --control lead to two servers: /);
    const localhost = one.baseUrl.replace("127.0.0.1", "localhost");
    await expect(
      openTarget({ baseUrl: localhost, controlUrl, capabilities: [] }),
    ).resolves.toMatchObject({ baseUrl: localhost });
    const closed = "http://127.0.0.1:9";
    const down = await errorOf({ baseUrl: closed, controlUrl, capabilities: [] });
    expect(down.message).toMatch(
      /^the target at http:\/\/127\.0\.0\.1:9 did not answer: .*ECONNREFUSED/,
    );
  });

  test("tells which of http and https a target speaks", async () => {
    const plain = await settingsFor(() => [200, {}]);
    const asTls = { ...plain, baseUrl: plain.baseUrl.replace("http:", "https:") };
    const overTls = await errorOf(asTls);
    expect(overTls.message).toBe(
      `the target at ${asTls.baseUrl} did not answer: no answer: it speaks http, not https`,
    );
    expect(overTls.hint).toBe(`Give --base-url ${plain.baseUrl}`);

    const { private: key, cert } = await generate([{ name: "commonName", value: "elsewhere" }]);
    const server = createServer({ key, cert }, (socket) => socket.end());
    server.on("tlsClientError", () => undefined);
    const { baseUrl, stop } = await running(server, "http");
    onTestFinished(stop);
    const overHttp = await errorOf({ ...plain, baseUrl });
    expect(overHttp.message).toMatch(/it speaks https, not http$/);
    expect(overHttp.hint).toBe(`Give --base-url ${baseUrl.replace("http:", "https:")}`);
  });
});

describe("a loopback address", () => {
  test.each([
    { url: "http://127.0.0.1:80", loopback: true },
    { url: "http://127.9.9.9", loopback: true },
    { url: "http://localhost:1", loopback: true },
    { url: "http://[::1]/", loopback: true },
    { url: "http://127.0.0.1.example.org", loopback: false },
    { url: "http://10.0.0.1", loopback: false },
  ])("$url: $loopback", ({ url, loopback }) => {
    expect(isLoopback(url)).toBe(loopback);
  });
});

test("an answer that breaks HTTP is told as it is, and not as silence", async () => {
  const server = await running(
    createTcpServer((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nx: \u0001\r\n\r\n"));
    }),
  );
  onTestFinished(() => server.stop());
  const { baseUrl } = server;
  const error = await errorOf({ baseUrl, endpointId: "e", apiKey: "a-key-1", capabilities: [] });
  expect(error.message).toBe(
    `the target at ${baseUrl} gave an answer that breaks HTTP: a header value with a control character`,
  );
  expect(error.hint).toMatch(/^Mend that answer/);
});
