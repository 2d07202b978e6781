import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";

import { startReference } from "./start-reference.ts";
import type { Reference, ReferenceOptions } from "./start-reference.ts";
import { callJson, startReceiver, type RigReceiver } from "../test/rig.ts";
import { isLoopbackHost } from "./webhook-targets.ts";

const virtual = { clock: "virtual", foreignKey: "f" } as const;
const endpoints = [
  { ...virtual, id: "a", apiKey: "key-a", workers: 1 },
  { ...virtual, id: "b", apiKey: "key-b", workers: 0 },
];

async function start(options: ReferenceOptions = {}): Promise<Reference> {
  const reference = await startReference({ console: true, endpoints, ...options });
  onTestFinished(() => reference.stop());
  return reference;
}

async function receive(): Promise<RigReceiver> {
  const receiver = await startReceiver((_attempt, response) => response.writeHead(200).end());
  onTestFinished(() => receiver.stop());
  return receiver;
}

/** Submits a job to an endpoint and answers its id. */
async function submit({ baseUrl }: Reference, to: "a" | "b", webhook?: string): Promise<string> {
  const body = { input: { op: "echo" }, ...(webhook !== undefined && { webhook }) };
  const headers = { authorization: `key-${to}` };
  const answer = await callJson("POST", `${baseUrl}/v2/${to}/run`, body, { headers });
  return String(answer.body["id"]);
}

/** Lets the webhooks of endpoint a be called, all three times. */
function callAll({ controlUrl }: Reference): Promise<unknown> {
  return callJson("POST", `${controlUrl}/endpoints/a/clock/advance`, { ms: 60_000 });
}

async function stateOf({ baseUrl }: Reference): Promise<unknown> {
  const headers = { authorization: "key-b" };
  const { body } = await callJson("GET", `${baseUrl}/v2/b/health`, undefined, { headers });
  const view = await callJson("GET", `${baseUrl}/__console/state`);
  return {
    jobs: body["jobs"],
    workers: body["workers"],
    ids: JSON.stringify(view.body["endpoints"]).match(/"id":"\w+"/g),
  };
}

describe("a webhook cannot drive the emulator that calls it:", () => {
  test.each([
    "/__console/endpoints/b/purge",
    "/__console/endpoints/b/jobs/JOB/cancel",
    "/__console/endpoints/b/run",
    "/__control/endpoints",
  ])("%s", async (path) => {
    const reference = await start();
    const id = await submit(reference, "b");
    const before = await stateOf(reference);
    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"]) {
      const base = reference.baseUrl.replace("127.0.0.1", host);
      await submit(reference, "a", `${base}${path.replace("JOB", id)}`);
    }
    await callAll(reference);
    expect(await stateOf(reference)).toEqual(before);
  });

  test("nor another one on this machine", async () => {
    const [reference, other] = [await start(), await start()];
    await submit(other, "b");
    const before = await stateOf(other);
    await submit(reference, "a", `${other.baseUrl}/__console/endpoints/b/purge`);
    await callAll(reference);
    expect(await stateOf(other)).toEqual(before);
  });
});

test("each call has the header of its process, and no secret of the emulator", async () => {
  const seen: IncomingHttpHeaders[] = [];
  const receiver = await startReceiver((_attempt, response, { headers }) => {
    seen.push(headers);
    response.writeHead(500).end();
  });
  onTestFinished(() => receiver.stop());
  const reference = await start();
  await submit(reference, "a", receiver.url);
  await callAll(reference);
  expect(seen.map((headers) => headers["queueproof-webhook"])).toEqual(
    Array.from({ length: 3 }, () => expect.stringMatching(/^[0-9a-f]{32}$/) as unknown),
  );
  expect(JSON.stringify(seen)).not.toContain("key-a");
});

test("a redirect is a failed attempt and leads nowhere", async () => {
  const receiver = await receive();
  const redirecting = await startReceiver((_attempt, response) =>
    response.writeHead(307, { location: receiver.url }).end(),
  );
  onTestFinished(() => redirecting.stop());
  const reference = await start();
  await submit(reference, "a", redirecting.url);
  await callAll(reference);
  expect([redirecting.bodies.length, receiver.bodies.length]).toEqual([3, 0]);
});

describe("where webhooks may go", () => {
  const open = { host: "0.0.0.0" };
  test.each([
    ["by default anywhere", {}, "127.0.0.1", true],
    ["by default not to this machine, where others get in", open, "127.0.0.1", false],
    ["nor by a name of it", open, "localhost", false],
    ["nor by another address of it", open, "0.0.0.0", false],
    ["anywhere, if so said", { ...open, webhookTo: ["any"] }, "localhost", true],
    ["to this machine alone", { webhookTo: ["loopback"] }, "localhost", true],
    [
      "to a host that is named",
      { webhookTo: ["elsewhere.example", "LOCALHOST"] },
      "localhost",
      true,
    ],
    ["not to one that is not", { webhookTo: ["elsewhere.example"] }, "127.0.0.1", false],
  ])("%s", async (_, options, host, reaches) => {
    const lines: string[] = [];
    const receiver = await receive();
    const reference = await start({ ...options, log: (line) => void lines.push(line) });
    const url = new URL(receiver.url);
    url.hostname = host;
    const local = reference.baseUrl.replace("0.0.0.0", "127.0.0.1");
    const here = { ...reference, baseUrl: local, controlUrl: `${local}/__control` };
    await submit(here, "a", url.href);
    await callAll(here);
    expect(receiver.bodies.length).toBe(reaches ? 1 : 0);
    // Once for each host, however often it is tried.
    const told: unknown = expect.stringMatching(
      `^No webhook is sent to ${host}: .* --webhook-to ${host}`,
    );
    expect(lines).toEqual(reaches ? [] : [told]);
  });

  test("a public address is not this machine", async () => {
    const lines: string[] = [];
    const reference = await start({
      webhookTo: ["loopback"],
      log: (line) => void lines.push(line),
    });
    await submit(reference, "a", "http://203.0.113.1/hook");
    await callAll(reference);
    expect(lines).toEqual([expect.stringMatching(/^No webhook is sent to 203\.0\.113\.1/)]);
  });
});

test.each([
  ["127.0.0.1", true],
  ["::1", true],
  ["localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.1.5", false],
  ["emulator", false],
])("a server that listens on %s is reached from this machine alone: %j", (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
