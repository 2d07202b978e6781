import { describe, expect, test } from "vitest";

import { changed, specified, type Behaviour } from "../../behaviour.ts";
import { createJob } from "../../job.ts";
import { all, remembering, withCounts } from "./compose.ts";
import { is } from "./conditions.ts";
import { onEvent } from "./events.ts";
import { also, except, instead, result, type Change } from "./member.ts";

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
