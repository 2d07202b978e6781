import { describe, expect, onTestFinished, test } from "vitest";

import { capabilities } from "../../openapi/capabilities.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { runRequirements } from "./run-requirements.ts";
import { resultsOn } from "../../test/load/on-virtual-clock.ts";

describe("runRequirements", () => {
  test("shows the exchanges of a limit that lets one too many through, without the key", async () => {
    const { requestsPerWindow } = specified.limits;
    const limits = {
      requestsPerWindow: (operation: Parameters<typeof requestsPerWindow>[0]) =>
        requestsPerWindow(operation) + 1,
    };
    const [result] = await resultsOn({ limits }, ["RATE-08"]);
    expect(result).toMatchObject({ verdict: "fail", covers: ["RATE-08"] });
    expect(result?.evidence[0]?.request.headers["authorization"]).toBe("***");
  });

  test("decides nothing about a limit where nothing is accepted", async () => {
    const [result] = await resultsOn({ transport: { refuses: () => 503 } }, ["RATE-08"]);
    expect(result).toMatchObject({ verdict: "inconclusive" });
    expect(result?.reason).toContain("none of its requests was accepted: ");
  });

  test("does not pass a client that was never refused, however often it is tried", async () => {
    const limits = { requestsPerWindow: () => Number.POSITIVE_INFINITY };
    const [result] = await resultsOn({ limits }, ["RATE-15"]);
    const reason = "nothing was refused, so no client had to try again";
    expect(result).toMatchObject({
      verdict: "inconclusive",
      attempts: [
        { verdict: "inconclusive", reason },
        { verdict: "inconclusive", reason },
      ],
    });
  });

  test("tries again what could not be decided, and keeps why", async () => {
    let isDown = true;
    const reference = await startReference({
      behaviour: changed(specified, { transport: { refuses: () => (isDown ? 503 : undefined) } }),
    });
    onTestFinished(async () => reference.stop());
    const { baseUrl, controlUrl = "" } = reference;
    const told: string[] = [];
    const run = await runRequirements({
      target: { baseUrl, controlUrl, capabilities },
      requirements: new Set(["RATE-07"]),
      timeBudgetMs: 120_000,
      onFinished: ({ verdict }) => {
        told.push(verdict);
        isDown = false;
      },
    });
    expect(told).toEqual(["inconclusive", "pass"]);
    expect(run.results).toMatchObject([
      { verdict: "pass", attempts: [{ verdict: "inconclusive" }] },
    ]);
    expect(run.results[0]?.attempts?.[0]?.reason).toContain("none of its requests was accepted");
    expect(run.load.map(({ scenario }) => scenario)).toEqual([run.results[0]?.name]);
  });

  test("tries nothing again once it was stopped", async () => {
    const stop = new AbortController();
    const reference = await startReference({
      behaviour: changed(specified, { transport: { refuses: () => 503 } }),
    });
    onTestFinished(async () => reference.stop());
    const { baseUrl, controlUrl = "" } = reference;
    const run = await runRequirements({
      target: { baseUrl, controlUrl, capabilities },
      requirements: new Set(["RATE-07"]),
      timeBudgetMs: 120_000,
      signal: stop.signal,
      onFinished: () => stop.abort(),
    });
    expect(run.results).toMatchObject([{ verdict: "inconclusive" }]);
    expect(run.results[0]).not.toHaveProperty("attempts");
  });

  test("does not run what the target does not offer", async () => {
    const reference = await startReference();
    onTestFinished(() => reference.stop());
    const run = await runRequirements({
      target: { ...reference, controlUrl: "http://127.0.0.1:9/__control", capabilities: ["load"] },
      requirements: new Set(["RATE-11", "CONC-03"]),
      timeBudgetMs: 1,
    });
    expect(run.results.map(({ verdict }) => verdict)).toEqual(["not-run", "not-run"]);
    expect(run.sent).toBe(0);
  });
});
