import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";

import { specified } from "./behaviour.ts";
import { VirtualClock } from "./clock.ts";
import { Service } from "./service.ts";
import { createRig, startReceiver, type RigReceiver } from "../test/rig.ts";

const receivers: RigReceiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});

async function receive(
  answer: (attempt: number, response: ServerResponse, request: IncomingMessage) => void,
): Promise<RigReceiver> {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

const status =
  (code: number) =>
  (_attempt: number, response: ServerResponse): void =>
    void response.writeHead(code, { location: "/elsewhere" }).end("text");

describe("a webhook", () => {
  test("gets the status record once and is done with an answer of 200", async () => {
    const { endpoint, submit, advance } = createRig();
    const { url, bodies } = await receive(status(200));
    const job = submit({ op: "echo", value: 1 }, { webhook: url });
    await advance(0);

    expect(bodies).toEqual([endpoint.recordOf(job, "status")]);
    await advance(60_000);
    expect(bodies.length).toBe(1);
  });

  test.each([201, 204, 302, 404, 500])(
    "is called three times for an answer of %d",
    async (code) => {
      const { submit, advance, clock } = createRig();
      const { url, bodies } = await receive(status(code));
      submit({ op: "echo" }, { webhook: url });

      const counts: number[] = [];
      for (const ms of [0, 9_999, 1, 9_999, 1, 60_000]) {
        await advance(ms);
        counts.push(bodies.length);
      }

      expect(counts).toEqual([1, 1, 2, 2, 3, 3]);
      expect(clock.scheduledCount).toBe(1);
    },
  );

  test("counts a dropped, a refused and a silent connection as failures", async () => {
    const { endpoint, submit, advance } = createRig();
    const dropping = await receive((_attempt, response) => void response.destroy());
    const silent = await receive(() => {});
    const refusing = await startReceiver(status(200));
    await refusing.stop();
    for (const { url } of [dropping, silent, refusing]) submit({ op: "echo" }, { webhook: url });

    await advance(25_000);

    expect([dropping.bodies.length, silent.bodies.length]).toEqual([3, 3]);
    expect(endpoint.counts()).toMatchObject({ completed: 3, failed: 0 });
  });

  test.each([
    { clock: "virtual", isOwn: false },
    { clock: "real", isOwn: true },
  ] as const)("has a connection of its own on a $clock clock: $isOwn", async ({ clock, isOwn }) => {
    const ports = new Set<number | undefined>();
    const { url, bodies } = await receive((_attempt, response, request) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const service = new Service(specified);
    onTestFinished(() => service.stop());
    const endpoint = service.create({ clock });
    for (const calls of [1, 2, 3, 4]) {
      endpoint.submit("run", { input: { op: "echo" }, policy: {}, webhook: url }, 90_000);
      if (endpoint.clock instanceof VirtualClock) await endpoint.clock.advance(0);
      await expect.poll(() => bodies.length).toBe(calls);
    }
    expect(ports.size === 4).toBe(isOwn);
  });

  test("is over with a success on a later attempt", async () => {
    const { submit, advance } = createRig();
    const { url, bodies } = await receive((attempt, response) =>
      status(attempt === 1 ? 200 : 500)(attempt, response),
    );
    submit({ op: "echo" }, { webhook: url });
    await advance(60_000);
    expect(bodies.length).toBe(2);
  });

  test("is called for FAILED and TIMED_OUT jobs and not for CANCELLED ones", async () => {
    const { endpoint, submit, advance } = createRig();
    const { url, bodies } = await receive(status(200));
    submit({ op: "fail", message: "no" }, { webhook: url });
    submit({ op: "sleep", ms: 9_000 }, { webhook: url, policy: { executionTimeout: 5_000 } });
    endpoint.apply(submit({ op: "echo" }, { webhook: url }), "cancel");

    await advance(5_000);

    expect(bodies).toMatchObject([
      { status: "FAILED", error: "no" },
      { status: "TIMED_OUT", executionTime: 5_000 },
    ]);
  });

  test("keeps its message when the job is retried between two attempts", async () => {
    const { endpoint, submit, advance } = createRig();
    const { url, bodies } = await receive((attempt, response) =>
      status(attempt === 0 ? 500 : 200)(attempt, response),
    );
    const job = submit({ op: "flaky", failures: 1, value: 3 }, { webhook: url });
    await advance(0);
    endpoint.apply(job, "retry");
    await advance(20_000);

    expect(bodies).toMatchObject([
      { status: "FAILED" },
      { status: "COMPLETED", output: { attempt: 2 } },
      { status: "FAILED" },
    ]);
  });

  test("goes no further once its endpoint is closed", async () => {
    const { endpoint, submit, advance } = createRig();
    const { url, bodies } = await receive(status(500));
    submit({ op: "echo" }, { webhook: url });
    await advance(0);
    endpoint.close();
    await advance(60_000);
    expect(bodies.length).toBe(1);
  });
});
