import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { rulesFor } from "../../client/request-rules.ts";
import type { HeldLimits, Scenario, ScenarioPlan } from "../../scenarios/scenario.ts";
import { scenarios } from "../../scenarios/scenarios.ts";
import { joinedSeries } from "../distributed/append-points.ts";
import { K6Points } from "../k6/points.ts";
import type { Series } from "../k6/points.ts";
import { summaryOfPoints } from "../distributed/summary-of-points.ts";
import { k6Script } from "../k6/rate.ts";
import { runK6 } from "../k6/run.ts";
import type { K6Run } from "../k6/run.ts";
import { countOf } from "../k6/summary.ts";
import { realK6 } from "../../test/load/senders.ts";
import { planOf } from "./run-scenario.ts";
import { scenarioSettings } from "./settings.ts";
import { instantServer } from "../../test/load/instant-server.ts";

const { k6, reason } = await realK6();

const windowMs = 1_000;
const limits: HeldLimits = {
  windowMs,
  // Less than one request in the whole test: k6 sends one all the same.
  of: (operation) => (operation === "purge-queue" ? 0.5 : 40),
};

/** Jobs that each process makes for itself before it begins: to read, to stream, to retry. */
const prepared: Readonly<Record<string, number>> = {
  "steady-mix": 2,
  climb: 2,
  spike: 1,
  "mix-k6": 3,
};

/** As short as k6 takes a phase, which is a second. */
const durationsMs: Readonly<Record<string, number>> = { climb: 5_000, soak: 4_000 };

/** Shorter times for what a scenario would only wait for. */
const hurried: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "stream-readers": { pollMs: 10 },
  "retention-churn": { stepMs: 20, rounds: 3 },
};

const shared = scenarios
  .filter(({ unshared }) => unshared?.segment === undefined)
  .map((scenario) => ({ name: scenario.name, scenario }));

// Each running k6 listens for the end of this process.
process.setMaxListeners(40);

describe.skipIf(k6 === undefined)(`a scenario shared by real k6${reason && ` (${reason})`}`, () => {
  test.concurrent.each(shared)(
    "$name: three send together exactly what one sends",
    // A k6 that gets no processor time at the end of a phase leaves some requests out without a word.
    { retry: 2 },
    async ({ name, scenario }) => {
      const plan = planFor(scenario);
      const [alone, together] = await Promise.all([
        sentBy(scenario, plan, 1),
        sentBy(scenario, plan, 3),
      ]);

      const { "POST /run": runs = 0, ...others } = together.atServer;
      const { "POST /run": runsOfOne = 0, ...othersOfOne } = alone.atServer;
      const own = prepared[name] ?? 0;
      expect(runs - 3 * own).toBe(runsOfOne - own);
      expect(others).toEqual(othersOfOne);
      expect(together.counted).toEqual(alone.counted);
      expect(alone.counted["iterations_begun"]).toBe(begunOf(plan));
    },
  );
});

function planFor(scenario: Scenario): ScenarioPlan {
  const target = { capabilities: ["handler", "webhook", "openai", "requests"] as const };
  const plan = planOf(scenario, {
    durationMs: durationsMs[scenario.name] ?? 1_500,
    scale: 0.2,
    limits,
    target,
  });
  return { ...plan, values: { ...plan.values, ...hurried[scenario.name] } };
}

function begunOf({ phases }: ScenarioPlan): number {
  return phases
    .map((each) =>
      each.kind === "virtual-users"
        ? each.users
        : Math.max(1, Math.floor((each.perWindow * each.durationMs) / each.windowMs)),
    )
    .reduce((sum, count) => sum + count, 0);
}

interface Sent {
  readonly atServer: Readonly<Record<string, number>>;
  readonly counted: Readonly<Record<string, number>>;
}

/** All counters from the points of `processes` processes, and what the server saw. */
async function sentBy(scenario: Scenario, plan: ScenarioPlan, processes: number): Promise<Sent> {
  const server = await instantServer();
  const folder = await mkdtemp(join(tmpdir(), "queueproof-shared-"));
  const run = { ...runOf(scenario, plan, server.url), startAtMs: Date.now() + 1_000 };
  try {
    const numbers = Array.from({ length: processes }, (_, at) => at + 1);
    const parts = await Promise.all(
      numbers.map(async (index) => {
        const pointsFile = join(folder, `${index}.json.gz`);
        const share = processes === 1 ? {} : { segment: { index, of: processes } };
        const { undecided } = await runK6({ ...run, ...share, pointsFile });
        expect(undecided).toBeUndefined();
        const points = new K6Points();
        await points.add(pointsFile);
        return points.series;
      }),
    );
    return { atServer: server.counts, counted: countersIn(joinedSeries(parts).series) };
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The script's own counters: those of k6 count what is prepared, too. */
function countersIn(series: ReadonlyMap<string, Series>): Readonly<Record<string, number>> {
  const summary = summaryOfPoints(series);
  const own = [...series].flatMap(([name, { type }]) => (type === "counter" ? [name] : []));
  return Object.fromEntries(
    own
      .filter((name) => !/^(http_|data_|iterations$)/.test(name))
      .map((name) => [name, countOf(summary, name)]),
  );
}

function runOf(scenario: Scenario, plan: ScenarioPlan, url: string): K6Run {
  const addresses = { endpoint: { url, authorization: "key" }, isPart: true };
  return {
    k6: { path: k6?.path ?? "" },
    rules: rulesFor({ baseUrl: url }),
    script: k6Script(scenario.name),
    settings: scenarioSettings(plan, { ...addresses, webhookUrl: "http://127.0.0.1:9" }),
    timeLimitMs: 40_000,
    environment: process.env,
  };
}
