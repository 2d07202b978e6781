import { describe, expect, test } from "vitest";

import { changed, specified, type Behaviour } from "../../../reference/behaviour.ts";
import { createJob } from "../../../reference/job.ts";
import type { Job } from "../../../reference/job.ts";
import { all, remembering, withCounts } from "./compose.ts";
import { is } from "./conditions.ts";
import { miscounting } from "./answers.ts";
import { atEvent, onEvent, refuseEvent } from "./events.ts";
import { afterEvent } from "./marks.ts";
import { also, except, instead, result, withArguments, type Change } from "./member.ts";

const job = createJob({
  id: "a-job",
  submittedBy: "run",
  submission: { input: {}, policy: {} },
  waitMs: 0,
  nowMs: 0,
});

/** A behaviour with the change, as one server gets it. */
function withChange(change: Change): Behaviour {
  return changed(specified, change(specified));
}

describe("the builders of faults", () => {
  test("change an answer where the condition holds, and nowhere else", () => {
    const change = instead("retention.keptMs", 5, ({ submittedBy }) => submittedBy === "run");
    const { keptMs } = withChange(change).retention;
    expect(keptMs(job)).toBe(5);
    expect(keptMs({ ...job, submittedBy: "runsync" })).toBe(60_000);
  });

  test("answer what is different alone", () => {
    expect(Object.keys(result("lifecycle.ttlMs", (ms) => ms - 1)(specified))).toEqual([
      "lifecycle",
    ]);
  });

  test("answer what is different alone, also where it is several members", () => {
    const change = all(
      except("webhook.isCalledFor", is("FAILED")),
      [except("lifecycle.stopsHandler", is("FAILED"))],
      onEvent("cancel", "FAILED"),
    );
    expect(
      Object.entries(change(specified)).map(([group, made]) => [group, Object.keys(made)]),
    ).toEqual([
      ["webhook", ["isCalledFor"]],
      ["lifecycle", ["stopsHandler", "next"]],
    ]);
  });

  test("call a member with other arguments", () => {
    const change = withArguments("lifecycle.ttlMs", (each) => [
      { ...each, submission: { input: {}, policy: { ttl: 7 } } },
    ]);
    expect(withChange(change).lifecycle.ttlMs(job)).toBe(7);
  });

  test("know the jobs to which something happened, also where another change answers for it", () => {
    const { lifecycle, operations } = withChange(
      afterEvent("cancel", is("IN_QUEUE"), (wasCancelled) => [
        refuseEvent("cancel"),
        except("operations.purges", wasCancelled),
      ]),
    );
    expect(operations.purges(job)).toBe(true);
    const other = { ...job, status: "IN_PROGRESS" as Job["status"] };
    expect(lifecycle.next(other, "cancel")).toBeUndefined();
    other.status = "IN_QUEUE";
    expect(operations.purges(other)).toBe(true);
    expect(lifecycle.next(job, "cancel")).toBeUndefined();
    expect(operations.purges(job)).toBe(false);
  });

  test.each([
    { by: 1, shown: 2 },
    { by: -1, shown: 0 },
  ] as const)("count wrong by $by each time, and not below 0", ({ by, shown }) => {
    const { lifecycle, operations } = withChange(
      miscounting("failed", by, (count) => atEvent("worker-died", count)),
    );
    lifecycle.next(job, "worker-died");
    lifecycle.next(job, "worker-died");
    const counts = { completed: 0, failed: 0, retried: 0, inProgress: 0, inQueue: 0 };
    const answer = operations.healthAnswer({ ...counts, workersBusy: 0, workersTotal: 0 });
    expect(answer["jobs"]).toMatchObject({ failed: shown });
  });

  test("make several changes, each of what the ones before it left", () => {
    const { next, stopsHandler } = withChange(
      all(
        onEvent("cancel", "FAILED", is("IN_QUEUE")),
        except("lifecycle.stopsHandler", () => true),
        also("lifecycle.stopsHandler", (_job, event) => event === "cancel"),
      ),
    ).lifecycle;
    expect(next(job, "cancel")).toBe("FAILED");
    expect(next(job, "worker-took")).toBe("IN_PROGRESS");
    expect([stopsHandler(job, "cancel"), stopsHandler(job, "purge")]).toEqual([true, false]);
  });

  test.each([
    remembering({ count: 0 }, (memory) => result("retention.keptMs", () => (memory.count += 1))),
    withCounts((counts) => result("retention.keptMs", (_keptMs, each) => counts.add(each))),
  ])("begin with an empty memory in each server", (change) => {
    for (const { retention } of [withChange(change), withChange(change)]) {
      expect([retention.keptMs(job), retention.keptMs(job)]).toEqual([1, 2]);
    }
  });
});
