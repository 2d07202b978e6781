import { describe, expect, onTestFinished, test } from "vitest";

import { specified, startReference } from "../../reference/index.ts";
import { runRequirements } from "./run-requirements.ts";
import { notPassed, resultsOn } from "./testing/on-virtual-clock.ts";

describe("runRequirements", () => {
  test("reads jobs whatever characters their ids are of", async () => {
    const found = await resultsOn({ submission: { jobId: (_by, id) => `a/b ${id}?c=%2F#d` } }, [
      "RATE-05",
      "RATE-13",
      "CONC-05",
    ]);
    expect(notPassed(found)).toEqual([]);
  });

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

  test("does not pass a client that was never refused", async () => {
    const limits = { requestsPerWindow: () => Number.POSITIVE_INFINITY };
    const [result] = await resultsOn({ limits }, ["RATE-15"]);
    expect(result).toMatchObject({ verdict: "inconclusive" });
  });

  test("does not run what the target does not offer", async () => {
    const reference = await startReference();
    onTestFinished(() => reference.stop());
    const run = await runRequirements({
      target: { ...reference, controlUrl: "", capabilities: ["load"] },
      requirements: new Set(["RATE-11", "CONC-03"]),
      timeBudgetMs: 1,
    });
    expect(run.results.map(({ verdict }) => verdict)).toEqual(["not-run", "not-run"]);
    expect(run.sent).toBe(0);
  });
});
