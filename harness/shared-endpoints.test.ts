import { describe, expect, onTestFinished, test } from "vitest";

import { startReference } from "../reference/start-reference.ts";
import type { ActingCheck, Check } from "./check.ts";
import type { CheckContext } from "./check-context.ts";
import { runSync } from "./jobs/endings.ts";
import { submitJob, waitForEnd } from "./jobs/fixtures.ts";
import { stateOf } from "./record.ts";
import { runChecks } from "./run.ts";
import type { RunOutcome, RunSettings } from "./run.ts";

const apiKey = "the-key-of-both-endpoints";

/** Runs checks on the endpoints a and, if wanted, b of a server on a real clock without control. */
async function runOnRealClock(
  checks: readonly Check[],
  settings: Partial<RunSettings> = {},
): Promise<RunOutcome> {
  const endpoints = ["a", "b"].map((id) => ({ id, apiKey, workers: 2, clock: "real" as const }));
  const reference = await startReference({ endpoints, control: false });
  onTestFinished(async () => reference.stop());
  const where = {
    baseUrl: reference.baseUrl,
    endpointId: "a",
    apiKey,
    capabilities: ["handler"] as const,
  };
  return runChecks(checks, { ...where, timeBudgetMs: 60_000, seed: 1, ...settings });
}

function checkOf(name: string, run: ActingCheck["run"], header: Partial<ActingCheck> = {}): Check {
  const covers = ["CANC-01"] as const;
  return { name, title: name, covers, needs: [], realTimeMs: 0, run, ...header };
}

/** Submits a job while the workers are stalled, and demands that it waits then and completes later. */
async function waitThenComplete(context: CheckContext): Promise<void> {
  const job = await context.workers.whileStalled(async () => {
    const waiting = await submitJob(context, context.jobs.quick("waiting"));
    const state = stateOf(await context.api.status(waiting.id));
    context.expect.equal(state, "IN_QUEUE", "while no worker is free");
    return waiting;
  });
  const { record } = await waitForEnd(context, job);
  context.expect.equal(record.status, "COMPLETED", "once workers are free");
}

/** Has a job purged with those of two other checks. */
async function purgeTogether(context: CheckContext): Promise<void> {
  const job = await context.workers.whileStalled(async () => {
    const waiting = await submitJob(context, context.jobs.quick("purged"));
    await context.endpoint.purge();
    return waiting;
  });
  const state = stateOf(await context.api.status(job.id));
  context.expect.that(state !== "COMPLETED", { at: "a purged job", expected: "", got: state });
  const purges = context.recorder.exchanges.filter((each) => each.operation === "purge-queue");
  context.expect.equal(purges.length, 1, "purges that its evidence shows");
  const body: unknown = JSON.parse(purges[0]?.answer?.rawText() ?? "{}");
  context.expect.equal(body, { removed: 3, status: "completed" }, "what the purge answered");
}

/** Has a runsync job wait for longer than its wait, behind those of others. */
async function runBehindOthers(context: CheckContext): Promise<void> {
  const { jobs } = context;
  for (const at of ["one worker", "the other"]) await submitJob(context, jobs.slow(2500, at));
  const { record } = await runSync(context, jobs.quick("later"), { wait: 1000 });
  const answer = context.recorder.exchanges.find((each) => each.operation === "runsync");
  if (answer !== undefined) context.expect.equal(stateOf(answer), "IN_QUEUE", "runsync");
  context.expect.equal(record.status, "COMPLETED", "its end");
}

function verdictsOf({ results }: RunOutcome): readonly string[] {
  return results.map(({ name, verdict }) => `${name} ${verdict}`);
}

describe("checks that stall the workers of a shared endpoint", () => {
  test("do so together: the workers are kept busy once", async () => {
    const sleepers = new Set<string>();
    const watching = async (context: CheckContext): Promise<void> => {
      await waitThenComplete(context);
      for (const exchange of context.recorder.exchanges) {
        if (exchange.request.body?.includes('"op":"sleep"') !== true) continue;
        sleepers.add(exchange.answer?.rawText() ?? "");
      }
    };
    const names = ["one", "two", "three"];
    const outcome = await runOnRealClock(
      names.map((name) => checkOf(name, watching, { stalls: true })),
    );
    expect(verdictsOf(outcome)).toEqual(names.map((name) => `${name} pass`));
    expect(sleepers.size).toBe(2);
  });

  test("are run again, each by itself, where they failed beside others", async () => {
    let runs = 0;
    const failing = async (context: CheckContext): Promise<void> => {
      runs += 1;
      await waitThenComplete(context);
      context.expect.equal(runs === 1 ? "another's job" : "alone", "alone", "what was seen");
    };
    const outcome = await runOnRealClock([
      checkOf("disturbed", failing, { stalls: true }),
      checkOf("beside it", waitThenComplete, { stalls: true }),
    ]);
    expect(verdictsOf(outcome)).toEqual(["disturbed pass", "beside it pass"]);
    expect(outcome.results[0]?.attempts).toHaveLength(1);
  });

  test("fail where they fail by themselves, too", async () => {
    const failing = async (context: CheckContext): Promise<void> => {
      await waitThenComplete(context);
      context.expect.equal("wrong", "right", "what was seen");
    };
    const outcome = await runOnRealClock([
      checkOf("wrong", failing, { stalls: true }),
      checkOf("beside it", waitThenComplete, { stalls: true }),
    ]);
    expect(verdictsOf(outcome)).toEqual(["wrong fail", "beside it pass"]);
  });

  test("have the endpoint to themselves where a job of theirs has not ended", async () => {
    const withJobAtWork = async (context: CheckContext): Promise<void> => {
      await submitJob(context, context.jobs.slow(500));
      await waitThenComplete(context);
    };
    const outcome = await runOnRealClock([
      checkOf("a job at work", withJobAtWork, { stalls: true }),
      checkOf("beside it", waitThenComplete, { stalls: true }),
    ]);
    expect(verdictsOf(outcome)).toEqual(["a job at work pass", "beside it pass"]);
    expect(outcome.results.every(({ attempts }) => attempts === undefined)).toBe(true);
  });

  test("share one purge, and each shows the exchange", async () => {
    const names = ["one", "two", "three"];
    const outcome = await runOnRealClock(
      names.map((name) => checkOf(name, purgeTogether, { stalls: true, purges: 1 })),
    );
    expect(verdictsOf(outcome)).toEqual(names.map((name) => `${name} pass`));
    expect(outcome.results.every(({ attempts }) => attempts === undefined)).toBe(true);
  });
});

test("a runsync job that waits behind others for longer than its wait is waited for", async () => {
  const outcome = await runOnRealClock([checkOf("behind others", runBehindOthers)]);
  expect(verdictsOf(outcome)).toEqual(["behind others pass"]);
});

/** Keeps both workers busy for a second and a half, with a third job behind. */
async function keepWorkersBusy(context: CheckContext): Promise<void> {
  const jobs = [];
  for (const value of ["one", "two", "three"]) {
    jobs.push(await submitJob(context, context.jobs.slow(1500, value)));
  }
  for (const job of jobs) {
    const { record } = await waitForEnd(context, job, 3000);
    context.expect.equal(record.status, "COMPLETED", "its end");
  }
}

/** Demands that a job has ended soon after it was submitted. */
async function demandEndSoon(context: CheckContext): Promise<void> {
  const { api, jobs, time } = context;
  await time.pass(300);
  const { id } = await submitJob(context, jobs.quick("soon"));
  await time.pass(700);
  context.expect.equal(stateOf(await api.status(id)), "COMPLETED", "soon");
}

test("a check whose job waited for those of others is run again by itself", async () => {
  const outcome = await runOnRealClock([
    checkOf("busy", keepWorkersBusy),
    checkOf("hurried", demandEndSoon),
  ]);
  expect(verdictsOf(outcome)).toEqual(["busy pass", "hurried pass"]);
});

async function failAfterSoonEnd(context: CheckContext): Promise<void> {
  await demandEndSoon(context);
  context.expect.equal("wrong", "right", "what was seen");
}

test("a check whose job nothing kept waiting is not", async () => {
  const outcome = await runOnRealClock([checkOf("wrong", failAfterSoonEnd)]);
  expect(verdictsOf(outcome)).toEqual(["wrong fail"]);
  expect(outcome.results[0]?.attempts).toBeUndefined();
});

describe("several endpoints", () => {
  test("are used side by side by checks that need one to themselves", async () => {
    const used: string[] = [];
    let side = 0;
    const meeting = async (context: CheckContext): Promise<void> => {
      used.push(context.endpoint.id);
      side += 1;
      // Each waits for the other, which comes only where both run at once.
      const seen = await context.time.until(
        async () => Promise.resolve(side),
        (count) => count === 2,
      );
      context.expect.equal(seen, 2, "checks that run at once");
    };
    const outcome = await runOnRealClock(
      ["one", "two"].map((name) => checkOf(name, meeting, { exclusive: true })),
      { otherEndpointIds: ["b"] },
    );
    expect(verdictsOf(outcome)).toEqual(["one pass", "two pass"]);
    expect(used.toSorted()).toEqual(["a", "b"]);
    expect(outcome.target.endpointId).toBe("a,b");
  });

  test("are refused before anything runs where one of them is unknown", async () => {
    const run = runOnRealClock([checkOf("one", waitThenComplete)], { otherEndpointIds: ["c"] });
    await expect(run).rejects.toThrow(/endpoint c|c answered 404/);
  });
});

describe("the order of a run", () => {
  test("ends at the first failure where that is wanted, and says so of the others", async () => {
    const failing = checkOf("wrong", async ({ api, expect: demand }) => {
      demand.status(await api.health(), 500, "health");
    });
    const later = checkOf("later", waitThenComplete, { exclusive: true });
    const outcome = await runOnRealClock([failing, later], { failFast: true });
    expect(verdictsOf(outcome)).toEqual(["wrong fail", "later not-run"]);
    expect(outcome.results[1]?.reason).toMatch(/ended at its first failure/);
    expect(outcome).toMatchObject({ failedFast: true, interrupted: false });
  });

  test("does not end at a failure of a requirement that was not selected", async () => {
    const failing = checkOf(
      "of two requirements",
      async ({ api, expect: demand }) => {
        demand.of("HLTH-02").status(await api.health(), 500, "health");
        demand.of("CANC-01").equal("right", "right", "of the other");
      },
      { covers: ["CANC-01", "HLTH-02"] },
    );
    const later = checkOf("later", waitThenComplete, { covers: ["CANC-01"], exclusive: true });
    const outcome = await runOnRealClock([failing, later], { failFast: true, only: ["CANC-01"] });
    expect(verdictsOf(outcome)).toEqual(["of two requirements pass", "later pass"]);
    expect(outcome.failedFast).toBeUndefined();
  });

  test("begins with what takes longest", async () => {
    const order: string[] = [];
    const noting = (name: string, header: Partial<ActingCheck> = {}): Check =>
      checkOf(
        name,
        async ({ api, expect: demand }) => {
          order.push(name);
          demand.status(await api.health(), 200, "health");
        },
        header,
      );
    await runOnRealClock([noting("short"), noting("long", { realTimeMs: 10 })]);
    expect(order).toEqual(["long", "short"]);
  });

  test("begins with the checks that are named first", async () => {
    const order: string[] = [];
    const noting = (name: string): Check =>
      checkOf(name, async ({ api, expect: demand }) => {
        order.push(name);
        demand.status(await api.health(), 200, "health");
      });
    await runOnRealClock(["one", "two", "three"].map(noting), { first: ["three"] });
    expect(order[0]).toBe("three");
  });
});
