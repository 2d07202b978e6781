import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { startReceiver, startRig, type HttpRig, type RigReceiver } from "../test/rig.ts";

describe("a job whose input names a ledger", () => {
  let rig: HttpRig;
  let ledger: RigReceiver;
  beforeEach(async () => {
    ledger = await startReceiver((_attempt, response) => void response.writeHead(500).end());
    rig = await startRig();
  });
  afterEach(async () => {
    await rig.reference.stop();
    await ledger.stop();
  });

  async function submit(input: object): Promise<string> {
    const { body } = await rig.call("POST", "/run", { input: { ...input, ledger: ledger.url } });
    return String(body["id"]);
  }

  async function statusOf(id: string): Promise<unknown> {
    return (await rig.call("GET", `/status/${id}`)).body["status"];
  }

  test("is reported when it begins and before it ends, whatever the answers are", async () => {
    const id = await submit({ op: "sleep", ms: 1000 });
    await rig.advance(999);
    const start = { jobId: id, attempt: 1, worker: "worker-1", event: "start", atMs: 0 };
    expect(ledger.bodies).toEqual([start]);
    await rig.advance(1);
    expect(ledger.bodies).toEqual([start, { ...start, event: "end", atMs: 1000 }]);
    expect(await statusOf(id)).toBe("COMPLETED");
  });

  test("is reported anew for each attempt", async () => {
    const id = await submit({ op: "fail", message: "m" });
    await rig.advance(0);
    expect(await statusOf(id)).toBe("FAILED");
    await rig.call("POST", `/retry/${id}`);
    await rig.advance(0);
    expect(ledger.bodies).toMatchObject(
      [1, 1, 2, 2].map((attempt, at) => ({ attempt, event: at % 2 === 0 ? "start" : "end" })),
    );
  });

  test("is not reported as ended where its worker died, nor where it was stopped", async () => {
    await submit({ op: "crash" });
    await rig.advance(0);
    const id = await submit({ op: "sleep", ms: 1000 });
    await rig.advance(500);
    await rig.call("POST", `/cancel/${id}`);
    await rig.advance(1000);
    // A crash hands its job to one more worker.
    expect(ledger.bodies).toMatchObject([1, 2, 3].map(() => ({ event: "start" })));
  });

  test("ends although nobody listens", async () => {
    await ledger.stop();
    const id = await submit({ op: "echo", value: 1 });
    await rig.advance(0);
    expect(await statusOf(id)).toBe("COMPLETED");
  });
});
