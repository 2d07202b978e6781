import { describe, expect, test } from "vitest";

import { changedTarget, runEnginesOn, verdictsOf } from "../test/load/on-virtual-clock.ts";

describe("the engines", () => {
  test("go on without k6, and say why it is missing", async () => {
    const run = await runEnginesOn(await changedTarget(), ["RATE-06", "RATE-08"]);

    expect(verdictsOf(run)).toEqual({
      "load/autocannon/burst-purge-queue": "pass",
      "load/autocannon/burst-requests": "pass",
      "load/k6/rate-purge-queue": "not-run",
      "load/k6/rate-requests": "not-run",
    });
    expect(run.results.find(({ verdict }) => verdict === "not-run")?.reason).toContain("no k6 on");
    expect(run.load.map(({ engine }) => engine)).toEqual(["autocannon", "autocannon"]);
  });

  test("try again what they could not decide, and keep why", async () => {
    const target = await changedTarget({ transport: { refuses: () => 503 } });
    const run = await runEnginesOn(target, ["RATE-08"]);

    const burst = run.results.find(({ name }) => name === "load/autocannon/burst-requests");
    expect(burst).toMatchObject({ verdict: "inconclusive" });
    const attempt = { reason: "none of 11 was accepted: 11 with 503" };
    expect(burst?.attempts).toMatchObject([attempt, attempt]);
  });

  test("are not run where the target lacks the operation", async () => {
    const target = { ...(await changedTarget()), capabilities: ["endpoints"] as const };
    const run = await runEnginesOn(target, ["RATE-07"]);

    expect(run.results.map((result) => result.reason)).toEqual(
      Array.from({ length: 2 }, () => "the target does not offer openai"),
    );
  });

  test("are not run where there is no endpoint to send to", async () => {
    const target = { baseUrl: "http://127.0.0.1:1", capabilities: [] };
    const run = await runEnginesOn(target, ["RATE-02"]);

    expect(new Set(Object.values(verdictsOf(run)))).toEqual(new Set(["not-run"]));
  });
});
