import { describe, expect, onTestFinished, test } from "vitest";
import { clientFaults } from "../../reference/client-faults.ts";
import { startReceiver } from "../../test/rig.ts";
import type { RigReceiver } from "../../test/rig.ts";
import type { Flags } from "../settings/sources.ts";
import { record } from "../../test/cli/record.ts";
import { serveHere } from "../../test/cli/served.ts";
import type { ServedAnswer, CallServed, VirtualEndpoint } from "../../test/cli/served.ts";

/** Tests each fault over real HTTP. Each test also runs the same steps against a server without the fault. */

const faultless: Flags = {};

async function endpointOf(flags: Flags, workers = 1): Promise<VirtualEndpoint> {
  return (await serveHere(flags)).virtual(workers);
}

async function receiver(): Promise<RigReceiver> {
  const started = await startReceiver((_attempt, response) => response.writeHead(200).end());
  onTestFinished(() => started.stop());
  return started;
}

/** Counts, at each of these times, the webhook calls so far; the receiver acknowledges every call. */
async function callsAt(flags: Flags, timesMs: readonly number[]): Promise<unknown> {
  const { bodies, url } = await receiver();
  const endpoint = await endpointOf(flags);
  const id = await endpoint.submit({ op: "echo", value: 1 }, { webhook: url });
  const calls: number[] = [];
  let nowMs = 0;
  for (const atMs of timesMs) {
    await endpoint.advance(atMs - nowMs);
    nowMs = atMs;
    calls.push(bodies.length);
  }
  expect(await endpoint.status(id)).toMatchObject({ status: "COMPLETED" });
  return calls;
}

async function statesOf(endpoint: VirtualEndpoint, ids: readonly string[]): Promise<unknown> {
  await endpoint.advance(1_000);
  return Promise.all(ids.map(async (id) => (await endpoint.status(id))["status"]));
}

async function submitSix(endpoint: VirtualEndpoint): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < 6; at += 1) ids.push(await endpoint.submit({ op: "sleep", ms: 100 }));
  return ids;
}

const sixCompleted = Array.from({ length: 6 }, () => "COMPLETED");
const timesMs = [0, 9_999, 10_000, 60_000];

const injected: Readonly<Record<string, (flags: Flags) => Promise<unknown>>> = {
  "webhook-lost": (flags) => callsAt(flags, timesMs),
  "webhook-twice": (flags) => callsAt(flags, timesMs),
  "429-storm": async (flags) => {
    const { call, advance } = await endpointOf(flags);
    const answers: number[] = [];
    for (const ms of [0, 4_999, 1, 9_999, 1]) {
      await advance(ms);
      answers.push((await call("POST", "/run", { input: { op: "echo" } })).status);
    }
    await advance(5_000);
    return { answers, completed: record((await call("GET", "/health")).body["jobs"])["completed"] };
  },
  "worker-crash": async (flags) => {
    const served = await serveHere(flags);
    const endpoint = await served.virtual(1);
    const ids = await submitSix(endpoint);
    const states = await statesOf(endpoint, ids);
    const details = ids.map((id) =>
      served.own("GET", `/__console/endpoints/${endpoint.id}/jobs/${id}`),
    );
    const dispatches = (await Promise.all(details)).map(({ body }) => body["dispatches"]);
    return { states, dispatches };
  },
  "job-fails": async (flags) => {
    const endpoint = await endpointOf(flags);
    return statesOf(endpoint, await submitSix(endpoint));
  },
  "late-job": async (flags) => {
    const { call, submit, advance } = await endpointOf(flags);
    const id = await submit({ op: "echo", value: 1 });
    const answers: number[] = [];
    for (const ms of [0, 999, 1]) {
      await advance(ms);
      answers.push((await call("GET", `/status/${id}`)).status);
    }
    return answers;
  },
};

const effects: readonly (readonly [name: string, usual: unknown, seen: unknown])[] = [
  ["webhook-lost", [1, 1, 1, 1], [0, 0, 0, 0]],
  ["webhook-twice", [1, 1, 1, 1], [1, 1, 2, 2]],
  [
    "429-storm",
    { answers: [200, 200, 200, 200, 200], completed: 5 },
    { answers: [429, 429, 200, 200, 429], completed: 2 },
  ],
  [
    "worker-crash",
    { states: sixCompleted, dispatches: [1, 1, 1, 1, 1, 1] },
    { states: sixCompleted, dispatches: [1, 1, 2, 1, 1, 2] },
  ],
  [
    "job-fails",
    sixCompleted,
    ["COMPLETED", "COMPLETED", "FAILED", "COMPLETED", "COMPLETED", "FAILED"],
  ],
  ["late-job", [200, 200, 200], [404, 404, 200]],
];

describe("serve --fault", () => {
  test.each(effects)(
    "%s does what it says, and no server without it",
    async (name, usual, seen) => {
      const look = injected[name];
      expect(await look?.(faultless)).toEqual(usual);
      expect(await look?.({ fault: [name] })).toEqual(seen);
    },
  );

  test("every mishap for clients is among them", () => {
    expect(effects.map(([name]) => name)).toEqual(clientFaults.map(({ name }) => name));
  });

  test("two at once do both", async () => {
    const endpoint = await endpointOf({ fault: ["late-job", "job-fails"] });
    const ids = await submitSix(endpoint);
    expect((await endpoint.call("GET", `/status/${ids[0]}`)).status).toBe(404);
    expect(await statesOf(endpoint, ids)).toEqual(expect.arrayContaining(["COMPLETED", "FAILED"]));
  });
});

const submissions = 200;

/** Submits many jobs; returns which were refused, and how many jobs the server then has. */
async function refusals(
  flags: Flags,
): Promise<{ readonly refused: readonly boolean[]; readonly jobs: unknown }> {
  const { own, told, call } = await serveHere({ workers: "0", ...flags });
  const answers: ServedAnswer[] = [];
  for (let at = 0; at < submissions; at += 1) {
    answers.push(await call("POST", "/run", { input: { op: "echo", value: at } }));
  }
  const refused = answers.map(({ status }) => status !== 200);
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expect(answer).toEqual(onPurpose);
  }
  return { refused, jobs: await countsOf(own, told["endpointId"]) };
}

const onPurpose: ServedAnswer = {
  status: 500,
  body: { status: 500, title: "Internal Server Error", detail: "refused on purpose" },
};

/** Reads the number of queued jobs from the console, which no fault affects. */
async function countsOf(own: CallServed, endpointId: string | undefined): Promise<unknown> {
  const { body } = await own("GET", "/__console/state");
  const endpoints: readonly unknown[] = Array.isArray(body["endpoints"]) ? body["endpoints"] : [];
  const found = endpoints.map(record).find(({ id }) => id === endpointId);
  const { inQueue } = record(found?.["counts"]);
  return inQueue;
}

describe("serve --fail-rate", () => {
  test("refuses that share, always the same for a seed, and accepts nothing of it", async () => {
    const first = await refusals({ failRate: "0.3", seed: "7" });
    const count = first.refused.filter(Boolean).length;
    // The seed fixes the count. The limits are 30 % of 200, plus or minus three standard deviations.
    expect(count).toBeGreaterThanOrEqual(41);
    expect(count).toBeLessThanOrEqual(79);
    expect(first.jobs).toBe(submissions - count);
    expect(await refusals({ failRate: "30%", seed: "7" })).toEqual(first);
    expect((await refusals({ failRate: "0.3", seed: "8" })).refused).not.toEqual(first.refused);
  });

  test("of everything refuses every operation, but neither control nor the page nor figures", async () => {
    const served = await serveHere({ failRate: "100%" });
    for (const path of ["/health", "/status/any", "/stream/any", "/requests"]) {
      expect(await served.call("GET", path)).toEqual(onPurpose);
    }
    // A wrong key is refused first, as always.
    const { baseUrl, endpointId } = served.told;
    const stranger = await fetch(`${baseUrl}/v2/${endpointId}/health`);
    expect(stranger.status).toBe(401);
    expect((await served.own("GET", "/__control")).status).toBe(200);
    expect((await served.own("GET", "/__console/state")).status).toBe(200);
    for (const path of ["/", "/metrics"])
      expect((await fetch(`${baseUrl}${path}`)).status).toBe(200);
  });
});

describe("serve --latency", () => {
  test("an answer waits, while its effect is there and control answers at once", async () => {
    const { call, own, told } = await serveHere({ latency: "1h" });
    let answered = 0;
    const held = [
      call("POST", "/run", { input: { op: "sleep", ms: 3_600_000 } }),
      call("POST", "/run", { input: { op: "sleep", ms: 3_600_000 } }),
    ];
    for (const each of held)
      each.then(
        () => (answered += 1),
        () => {},
      );
    // One job is in progress and one in the queue, so both requests have had their effect.
    await expect.poll(() => countsOf(own, told["endpointId"])).toBe(1);
    // Without latency, the two answers would arrive before these.
    for (let at = 0; at < 20; at += 1) await own("GET", "/__control");
    expect(answered).toBe(0);
  });

  test("an answer that waited is the usual one", async () => {
    const { call } = await serveHere({ latency: "5ms-50ms" });
    const { status, body } = await call("POST", "/runsync", { input: { op: "echo", value: 7 } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "COMPLETED", output: { value: 7 } });
  });
});
