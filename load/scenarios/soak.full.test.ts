import { describe, expect, test } from "vitest";

import { statedLimits } from "../../scenarios/scenario.ts";
import { soak } from "../../scenarios/data/soak.ts";
import { realK6 } from "../../test/load/senders.ts";
import type { ScenarioFinding } from "./judge.ts";
import { runScenario } from "./run-scenario.ts";
import { startAging } from "../../test/load/start-aging.ts";
import type { Ageing } from "../../test/load/start-aging.ts";

const { k6, reason } = await realK6();

const durationMs = 12_000;
/** From the middle of the first quarter to the middle of the last. */
const agedSeconds = (durationMs * 0.75) / 1_000;

describe.skipIf(k6 === undefined)(`a soak of a real process${reason && ` (${reason})`}`, () => {
  test.concurrent("is answered yes where it stays as it was", async ({ skip }) => {
    const finding = await soaked({ keepsMegabytesPerSecond: 0, slowsMsPerSecond: 0 });

    skip(isLate(finding), finding.reason);
    expect([finding.verdict, finding.reason]).toEqual(["pass", undefined]);
    expect(finding.figures).toMatchObject({ "jobs lost": 0, refused: 0, "5xx": 0 });
    expect(finding.figures["jobs"]).toBeGreaterThanOrEqual(240);
    expect(grownMegabytes(finding)).toBeLessThan(40);
  });

  test.concurrent("is answered no where it keeps memory", async ({ skip }) => {
    const keepsMegabytesPerSecond = 20;
    const finding = await soaked({ keepsMegabytesPerSecond, slowsMsPerSecond: 0 });

    skip(isLate(finding), finding.reason);
    expect(finding.verdict).toBe("fail");
    expect(finding.reason).toMatch(/^[\d.]+ MB it grew beyond 20 KB for each job, at most 64$/);
    const grown = keepsMegabytesPerSecond * agedSeconds;
    expect(grownMegabytes(finding)).toBeGreaterThan(grown * 0.7);
    expect(grownMegabytes(finding)).toBeLessThan(grown * 1.5);
    expect(finding.answer).toMatch(/its memory went from \d+ to \d+ MB/);
    expect(finding.checks.filter(({ verdict }) => verdict === "fail")).toEqual([]);
  });

  test.concurrent("is answered no where it gets slower", async ({ skip }) => {
    const slowsMsPerSecond = 10;
    const finding = await soaked({ keepsMegabytesPerSecond: 0, slowsMsPerSecond });

    skip(isLate(finding), finding.reason);
    expect(finding.verdict).toBe("fail");
    expect(finding.reason).toMatch(/ms by which the last quarter's median is over twice/);
    const slower = (last: string): number => Number(finding.figures[`latency ms p50 ${last}`]);
    const grewMs = slower("last quarter") - slower("first quarter");
    expect(grewMs).toBeGreaterThan(slowsMsPerSecond * agedSeconds * 0.7);
    expect(grewMs).toBeLessThan(slowsMsPerSecond * agedSeconds * 1.5);
  });
});

async function soaked(ageing: Ageing): Promise<ScenarioFinding> {
  const { baseUrl, stop } = await startAging(ageing);
  try {
    return await runScenario(soak, {
      k6: { path: k6?.path ?? "" },
      environment: process.env,
      durationMs,
      // Shorter windows, so that the endpoint need not rest for long before.
      limits: { windowMs: 1_000, of: (operation) => statedLimits.of(operation) / 10 },
      target: { baseUrl, endpointId: "e", apiKey: "k", capabilities: ["handler", "load"] },
    });
  } finally {
    await stop();
  }
}

function grownMegabytes({ figures }: ScenarioFinding): number {
  return Number(figures["memory MB last"]) - Number(figures["memory MB first"]);
}

/** On a machine that is too busy k6 decides nothing. */
function isLate({ verdict, reason: why = "" }: ScenarioFinding): boolean {
  return verdict === "inconclusive" && /(begun in|late in|grew late)/.test(why);
}
