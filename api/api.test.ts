import { onTestFinished, describe, expect, test } from "vitest";

import { changed, faultNamed, specified } from "../reference/index.ts";
import { createReport, exitCodeOf, runContract, startReference } from "./index.ts";
import type { Reference, ReferenceOptions } from "./index.ts";

async function referenceFor(options?: ReferenceOptions): Promise<Reference> {
  const reference = await startReference(options);
  onTestFinished(async () => reference.stop());
  return reference;
}

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
