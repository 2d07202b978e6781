import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { onTestFinished, describe, expect, test, vi } from "vitest";

import { changed, specified } from "../reference/behaviour.ts";
import { faultNamed } from "../proof/faults/faults.ts";
import { Control, createReport, exitCodeOf, runContract, startReference } from "./index.ts";
import type { Reference, ReferenceOptions } from "./index.ts";

async function referenceFor(options?: ReferenceOptions): Promise<Reference> {
  const reference = await startReference(options);
  onTestFinished(async () => reference.stop());
  return reference;
}

setFlagsFromString("--expose_gc");

describe("an endpoint of the reference", () => {
  test("has a clock that moves, workers that come and go, and answers that are held", async () => {
    const api = await startReference({ handler: async () => "done" });
    onTestFinished(async () => api.stop());
    const endpoint = await api.endpoint({ workers: 0 });
    const headers = { authorization: endpoint.apiKey };
    const before = await endpoint.nowMs();
    expect(await endpoint.advance(5000)).toBe(before + 5000);

    await endpoint.hold("health");
    let isAnswered = false;
    const health = fetch(`${endpoint.url}/health`, { headers }).then((answer) => {
      isAnswered = true;
      return answer.status;
    });
    const status = await fetch(`${endpoint.url}/status/none`, { headers });
    expect([status.status, isAnswered]).toEqual([404, false]);
    await endpoint.release("health");
    expect(await health).toBe(200);

    const answer = fetch(`${endpoint.url}/runsync`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ input: {} }),
    });
    await endpoint.workers(1);
    expect(await (await answer).json()).toMatchObject({ status: "COMPLETED", output: "done" });
    await endpoint.remove();
    expect((await fetch(`${endpoint.url}/health`, { headers })).status).toBe(401);
  });

  test("cannot be made where the control protocol was left out", async () => {
    const api = await startReference({ control: false });
    onTestFinished(async () => api.stop());
    await expect(api.endpoint()).rejects.toThrow("control: false");
  });

  test("can be made on any server that speaks the control protocol", async () => {
    const { baseUrl, controlUrl = "" } = await referenceFor();
    const control = new Control({ baseUrl, controlUrl });
    onTestFinished(async () => control.close());
    const endpoint = await control.endpoint({ clock: "virtual" });
    expect(endpoint.url).toBe(`${baseUrl}/v2/${endpoint.endpointId}`);
  });
});

describe("runContract", () => {
  test("finds the selected requirements kept, and leaves the others", async () => {
    const { baseUrl, controlUrl } = await referenceFor();
    const seen: string[] = [];
    const outcome = await runContract({
      baseUrl,
      controlUrl,
      only: ["CANC-*"],
      skip: ["CANC-01"],
      onResult: ({ name }) => seen.push(name),
    });
    const report = createReport(outcome);
    const of = (id: string) => report.requirements.find((one) => one.id === id);
    expect(of("CANC-02")?.verdict).toBe("pass");
    expect(of("CANC-01")).toMatchObject({ verdict: "not-run", reason: "not selected" });
    expect(report.summary.requirements.fail).toBe(0);
    expect(exitCodeOf(report)).toBe(0);
    expect(seen.length).toBeGreaterThanOrEqual(outcome.results.length);
  });

  test("fails a server that breaks one", async () => {
    const fault = faultNamed("cancel/answer-tells-the-old-state");
    const behaviour = changed(specified, fault?.change(specified) ?? {});
    const { baseUrl, controlUrl } = await referenceFor({ behaviour });
    const report = createReport(await runContract({ baseUrl, controlUrl, only: ["CANC-01"] }));
    expect(report.summary.requirements.fail).toBeGreaterThan(0);
    expect(exitCodeOf(report)).toBe(1);
  });

  test("keeps nothing of a run that has ended, whose signal lives on", async () => {
    const { baseUrl, controlUrl } = await referenceFor();
    const { signal } = new AbortController();
    const seen: WeakRef<object>[] = [];
    const onResult = (result: object): void => void seen.push(new WeakRef(result));
    await runContract({ baseUrl, controlUrl, only: ["STAT-01"], signal, onResult });
    expect(seen.length).toBeGreaterThan(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await vi.waitFor(
      () => {
        runInNewContext("gc()");
        expect(seen.filter((each) => each.deref() !== undefined)).toEqual([]);
      },
      { timeout: 20_000 },
    );
  }, 60_000);

  test("stops when it is told to, and decides nothing of the rest", async () => {
    const { baseUrl, controlUrl } = await referenceFor();
    const signal = AbortSignal.abort();
    const outcome = await runContract({ baseUrl, controlUrl, only: ["CANC-*"], signal });
    expect(outcome.interrupted).toBe(true);
    expect(outcome.results.filter(({ verdict }) => verdict === "pass")).toEqual([]);
    expect(exitCodeOf(createReport(outcome))).toBe(3);
  });

  test.each([
    [{ only: ["NONE-01"] }, /leave no requirement/],
    [{ baseUrl: "http://127.0.0.1:9", endpointId: "one", apiKey: "key" }, /did not answer/],
    [{ controlUrl: "http://127.0.0.1:9/__control" }, /control protocol .* did not answer/],
  ])("refuses %j", async (options, message) => {
    const { baseUrl, controlUrl } = await referenceFor();
    const given = "endpointId" in options ? options : { baseUrl, controlUrl, ...options };
    await expect(runContract(given)).rejects.toThrow(message);
  });
});
