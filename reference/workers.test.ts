import { describe, expect, test } from "vitest";

import { createRig } from "../test/rig.ts";
import { Workers } from "./workers.ts";

describe("the worker count", () => {
  test("falls by idle workers at once and by busy ones when their jobs end", () => {
    const workers = new Workers(4);
    workers.take();
    workers.take();

    workers.setCount(1);
    expect([workers.total, workers.busy, workers.idle]).toEqual([2, 2, 0]);
    workers.release();
    expect([workers.total, workers.busy, workers.idle]).toEqual([1, 1, 0]);
    workers.release();
    expect([workers.total, workers.busy, workers.idle]).toEqual([1, 0, 1]);
  });

  test("forgets a fall that a rise has overtaken", () => {
    const workers = new Workers(2);
    workers.take();
    workers.take();
    workers.setCount(0);
    workers.setCount(2);
    workers.release();
    expect([workers.total, workers.idle]).toEqual([2, 1]);
  });

  test("ends the scaling when it is set", () => {
    const workers = new Workers({ min: 0, max: 5 });
    expect(workers.canGrow).toBe(true);
    workers.setCount(1);
    expect(workers.canGrow).toBe(false);
  });
});

describe("jobs and workers", () => {
  test("a rise takes the waiting jobs at once", () => {
    const { endpoint, submit } = createRig({ workers: 0 });
    const jobs = [submit({ op: "echo" }), submit({ op: "sleep", ms: 10 }), submit({ op: "echo" })];
    expect(jobs.map(({ status }) => status)).toEqual(["IN_QUEUE", "IN_QUEUE", "IN_QUEUE"]);

    endpoint.setWorkers(1);

    expect(jobs.map(({ status }) => status)).toEqual(["COMPLETED", "IN_PROGRESS", "IN_QUEUE"]);
  });

  test("scaling adds a worker for each waiting job up to the maximum, and none for low priority", async () => {
    const { endpoint, submit, advance } = createRig({ workers: { min: 0, max: 2 } });
    const low = submit({ op: "sleep", ms: 10 }, { policy: { lowPriority: true } });
    expect([low.status, endpoint.counts().workersTotal]).toEqual(["IN_QUEUE", 0]);

    const normal = Array.from({ length: 3 }, () => submit({ op: "sleep", ms: 10 }));
    expect(normal.map(({ status }) => status)).toEqual(["IN_PROGRESS", "IN_PROGRESS", "IN_QUEUE"]);
    expect([low.status, endpoint.counts().workersTotal]).toEqual(["IN_QUEUE", 2]);

    await advance(10);
    expect([low.status, normal[2]?.status]).toEqual(["IN_PROGRESS", "IN_PROGRESS"]);
  });

  test("ten thousand queued jobs of no length are worked off in one go", () => {
    const { endpoint, submit } = createRig({ workers: 0 });
    for (let index = 0; index < 10_000; index += 1) submit({ op: "echo", value: index });

    endpoint.setWorkers(1);

    expect(endpoint.counts()).toMatchObject({ completed: 10_000, inQueue: 0, workersBusy: 0 });
  });
});
