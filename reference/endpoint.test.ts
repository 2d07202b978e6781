import { describe, expect, test } from "vitest";

import { createRig } from "../test/rig.ts";

describe("retention", () => {
  test.each([
    { by: "run", keptMs: 1_800_000 },
    { by: "runsync", keptMs: 60_000 },
  ] as const)("a $by job is kept $keptMs ms from its completion", async ({ by, keptMs }) => {
    const { endpoint, submit, advance } = createRig();
    const job = submit({ op: "sleep", ms: 5_000 }, { policy: { ttl: 10_000 } }, by);
    await advance(5_000);

    await advance(keptMs - 1);
    expect(endpoint.find(job.id, "status")).toBe(job);
    await advance(1);
    expect(endpoint.find(job.id, "status")).toBeUndefined();
  });

  test("nothing is left of jobs that are gone", async () => {
    const { endpoint, clock, submit, advance } = createRig();
    for (let index = 0; index < 100; index += 1) submit({ op: "echo" });
    expect(clock.scheduledCount).toBe(100);

    await advance(1_800_000);

    expect([clock.scheduledCount, endpoint.listJobs(100).length]).toEqual([0, 0]);
  });
});

describe("time limits", () => {
  test("a job past its executionTimeout is TIMED_OUT and its worker is free", async () => {
    const { endpoint, submit, advance } = createRig();
    const job = submit({ op: "sleep", ms: 60_000 }, { policy: { executionTimeout: 5_000 } });
    const waiting = submit({ op: "echo" });

    await advance(4_999);
    expect(job.status).toBe("IN_PROGRESS");
    await advance(1);
    expect([job.status, waiting.status]).toEqual(["TIMED_OUT", "COMPLETED"]);
    await advance(60_000);
    expect([job.status, job.output, endpoint.counts().workersBusy]).toEqual([
      "TIMED_OUT",
      undefined,
      0,
    ]);
  });

  test("the endpoint's default holds where the job has none, 10 minutes where neither has", async () => {
    const withDefault = createRig({ executionTimeoutMs: 1_000 });
    const job = withDefault.submit({ op: "sleep", ms: 2_000 });
    await withDefault.advance(1_000);
    expect(job.status).toBe("TIMED_OUT");

    const without = createRig();
    const long = without.submit({ op: "sleep", ms: 700_000 });
    await without.advance(599_999);
    expect(long.status).toBe("IN_PROGRESS");
    await without.advance(1);
    expect(long.status).toBe("TIMED_OUT");
  });

  test.each([0, 1])("a job whose ttl runs out with %d workers is gone", async (workers) => {
    const { endpoint, submit, advance } = createRig({ workers });
    const job = submit({ op: "sleep", ms: 20_000 }, { policy: { ttl: 10_000 } });
    await advance(9_999);
    expect(endpoint.find(job.id, "status")).toBe(job);
    await advance(1);
    expect(endpoint.find(job.id, "status")).toBeUndefined();
    expect(endpoint.counts()).toMatchObject({ inQueue: 0, inProgress: 0, workersBusy: 0 });
  });
});

describe("a crash", () => {
  test("hands the job to another worker once, then fails it", () => {
    const { endpoint, submit } = createRig();
    const job = submit({ op: "crash" });
    expect([job.status, job.dispatches, job.attempt]).toEqual(["FAILED", 2, 1]);
    expect(endpoint.counts()).toMatchObject({
      failed: 1,
      retried: 0,
      workersTotal: 1,
      workersBusy: 0,
    });
  });
});

describe("retry", () => {
  test("gives a job a new attempt with everything anew", async () => {
    const { endpoint, submit, advance } = createRig();
    const job = submit({ op: "flaky", failures: 1, value: 7 });
    expect([job.status, typeof job.error]).toEqual(["FAILED", "string"]);
    await advance(1_700_000);

    expect(endpoint.apply(job, "retry")).toBe(true);
    expect([job.status, job.output, job.error]).toEqual([
      "COMPLETED",
      { value: 7, attempt: 2 },
      undefined,
    ]);

    await advance(1_700_000);
    expect(endpoint.find(job.id, "status")).toBe(job);
    expect(endpoint.counts()).toMatchObject({ completed: 1, failed: 1, retried: 1 });
  });

  test("is accepted once where two race", () => {
    const { endpoint, submit } = createRig();
    const job = submit({ op: "fail", message: "no" });
    endpoint.setWorkers(0);
    expect([endpoint.apply(job, "retry"), endpoint.apply(job, "retry")]).toEqual([true, false]);
    expect(endpoint.counts()).toMatchObject({ inQueue: 1, retried: 1 });
  });
});

describe("purge and cancel", () => {
  test("a purge removes what waits and nothing else", async () => {
    const { endpoint, submit, advance } = createRig();
    const running = submit({ op: "sleep", ms: 100 });
    const waiting = [submit({ op: "echo" }), submit({ op: "echo" })];

    expect(endpoint.purge()).toEqual(waiting);
    await advance(100);

    expect(running.status).toBe("COMPLETED");
    expect(waiting.map(({ output }) => output)).toEqual([undefined, undefined]);
    expect(endpoint.counts()).toMatchObject({ completed: 1, inQueue: 0 });
  });

  test("a cancelled job stops, stays cancelled and frees its worker", async () => {
    const { endpoint, submit, advance } = createRig();
    const running = submit({ op: "sleep", ms: 100 });
    const queued = submit({ op: "echo" });
    const last = submit({ op: "echo" });

    expect(endpoint.apply(queued, "cancel")).toBe(true);
    expect(endpoint.apply(running, "cancel")).toBe(true);
    expect(endpoint.apply(running, "cancel")).toBe(false);
    await advance(1_000);

    expect([running.status, queued.status, last.status]).toEqual([
      "CANCELLED",
      "CANCELLED",
      "COMPLETED",
    ]);
    expect(running.output).toBeUndefined();
  });
});
