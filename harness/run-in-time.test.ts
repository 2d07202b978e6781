import { expect, test } from "vitest";

import type { ActingCheck, Check, ObservingCheck } from "./check.ts";
import { runChecks } from "./run.ts";
import type { RunSettings } from "./run.ts";
import { scriptedServer } from "../test/harness/scripted-server.ts";

const health = {
  jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
  workers: { idle: 1, running: 0 },
};

function checkOf(name: string, run: ActingCheck["run"]): Check {
  return { name, title: name, covers: ["HLTH-01"], needs: [], realTimeMs: 0, run };
}

const decided = checkOf("kit/decided", async ({ api, expect: demand }) => {
  demand.accepted(await api.health());
});
const waiting = checkOf("kit/waits-in-vain", async ({ api, expect: demand, time }) => {
  demand.accepted(await api.health());
  await time.pass(600_000);
});

function observing(observe: ObservingCheck["observe"]): Check {
  return { name: "kit/observes", title: "observes", covers: ["STAT-01"], needs: [], observe };
}

async function settingsFor(): Promise<RunSettings> {
  const baseUrl = await scriptedServer((request) =>
    request.endsWith("/health") ? [200, health] : [404, {}],
  );
  const key = { endpointId: "e", apiKey: "key-of-e", capabilities: [] };
  return { baseUrl, ...key, timeBudgetMs: 1000, seed: 1 };
}

test("a run ends at its time limit with what was decided, and neither passes nor fails the rest", async () => {
  const settings = { ...(await settingsFor()), discovers: false, timeLimitMs: 1500 };
  const { results, interrupted } = await runChecks([decided, waiting], settings);
  expect(results).toMatchObject([
    { name: "kit/decided", verdict: "pass" },
    { name: "kit/waits-in-vain", verdict: "inconclusive" },
  ]);
  expect(results[1]?.reason).toMatch(/^the run was ended after 1\.5 s, its time limit: it was/);
  expect(results[1]?.attempts).toBeUndefined();
  expect(interrupted).toBe(false);
});

test.each([
  { what: "a fault", expected: "another", verdict: "fail" },
  { what: "none", expected: "answers", verdict: "not-run" },
])("what a run saw until it was cut short is judged, and shows $what: $verdict", async (row) => {
  const settings = { ...(await settingsFor()), discovers: false, timeLimitMs: 1500 };
  const judging = observing(({ expect: demand, history }) => {
    const { length } = history.answerTimes.all();
    demand.equal(length > 0 ? "answers" : "nothing", row.expected, "what was seen");
  });
  const { results } = await runChecks([waiting, judging], settings);
  const [, judged] = results;
  expect(judged).toMatchObject({ name: "kit/observes", verdict: row.verdict });
  expect(judged?.reason).toMatch(
    row.verdict === "fail" ? /^what was seen/ : /^the run was ended after 1\.5 s/,
  );
});
