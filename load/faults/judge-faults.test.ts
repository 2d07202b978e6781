import { describe, expect, test } from "vitest";

import type { LooseRecord } from "../../harness/record.ts";
import type { BookedSighting } from "../open-loop/job-book.ts";
import { judgeFault } from "./finding.ts";
import type { FaultJob, FaultObservation } from "./observation.ts";

/** The fault lasts from 10 s to 15 s; looking ends at 100 s. */
const [fromMs, toMs, endedMs] = [10_000, 15_000, 100_000];

function at(ms: number, record: Partial<LooseRecord> | undefined): BookedSighting {
  return {
    sentMs: ms,
    atMs: ms + 1,
    record: record === undefined ? undefined : { id: "a", status: "COMPLETED", ...record },
  };
}

function job(changes: Partial<FaultJob>): FaultJob {
  return {
    number: 1,
    role: "mix",
    operation: "run",
    endpointId: "e",
    hasWebhook: false,
    streams: false,
    sentMs: 1_000,
    answeredMs: 1_001,
    id: "a",
    sightings: [at(2_000, { output: 1 }), at(20_000, { output: 1 })],
    retriedMs: [],
    ...changes,
  };
}

function seen(changes: Partial<FaultObservation>): FaultObservation {
  return {
    scenario: { losesWork: true },
    jobs: [job({})],
    requests: [],
    faultMs: [fromMs, toMs],
    backMs: toMs + 10,
    endedMs,
    calls: [],
    executions: undefined,
    health: [],
    isDraining: false,
    isAlone: true,
    timers: { executionTimeoutMs: 14_000, ttlMs: 10_000 },
    ...changes,
  };
}

function broken(changes: Partial<FaultObservation>): readonly string[] {
  return judgeFault(seen(changes))
    .filter(({ verdict }) => verdict === "fail")
    .map(({ id, reason = "" }) => `${id}: ${reason}`);
}

const waiting = at(2_000, { status: "IN_QUEUE" });

function told(...ms: readonly number[]): FaultObservation["executions"] {
  return ms.map((atMs) => ({ number: 1, jobId: "a", worker: "w", event: "end", atMs }));
}

function called(...ms: readonly number[]): Partial<FaultObservation> {
  return {
    jobs: [job({ hasWebhook: true })],
    calls: ms.map((atMs) => ({ number: 1, atMs, answered: 200, record: undefined })),
  };
}

function health(before: number, after: number): Partial<FaultObservation> {
  return {
    health: [
      {
        endpointId: "e",
        before: { completed: before, inProgress: 0, inQueue: 0 },
        after: { completed: after, inProgress: 0, inQueue: 0 },
      },
    ],
  };
}

describe("after a fault", () => {
  test("a job that is as it was breaks nothing", () => {
    expect(broken({})).toEqual([]);
  });

  test.each<[string, Partial<FaultJob>, RegExp]>([
    [
      "is gone",
      { sightings: [waiting, at(20_000, undefined)] },
      /^there-and-ended: a is not there/,
    ],
    [
      "has not ended",
      { sightings: [waiting, at(90_000, { status: "IN_PROGRESS" })] },
      /^there-and-ended: a is still IN_PROGRESS after 1 min 29 s/,
    ],
    [
      "works again after its end was read",
      { sightings: [at(2_000, {}), at(20_000, { status: "IN_QUEUE" }), at(30_000, {})] },
      /^processed-once: a had ended, and is IN_QUEUE again/,
    ],
    [
      "completes although it was cancelled",
      { cancelledMs: 5_000, sightings: [at(20_000, {})] },
      /^ended-stays-ended: a was cancelled before the fault, and is COMPLETED after it/,
    ],
    [
      "has another result",
      { sightings: [at(2_000, { output: 1 }), at(20_000, { output: 2 })] },
      /^results-same: a has another output than before/,
    ],
    [
      "is begun after its ttl",
      { role: "waiting", sentMs: 6_000, answeredMs: 6_001, sightings: [at(30_000, {})] },
      /^timers-go-on: a \(waiting\) was begun after its ttl of 10 s was over/,
    ],
    [
      "waits on after its ttl",
      {
        role: "waiting",
        sentMs: 6_000,
        answeredMs: 6_001,
        sightings: [at(30_000, { status: "IN_QUEUE" }), at(40_000, undefined)],
      },
      /^timers-go-on: a \(waiting\) is IN_QUEUE after its ttl/,
    ],
    [
      "never times out",
      {
        role: "timed",
        sentMs: 6_000,
        answeredMs: 6_001,
        sightings: [at(8_000, { status: "IN_PROGRESS" }), at(99_000, { status: "IN_PROGRESS" })],
      },
      /timers-go-on: a \(timed\) its executionTimeout of 14 s came too late/,
    ],
    [
      "completed, and its webhook was not called",
      { hasWebhook: true },
      /^webhooks: a completed, and its webhook was not called/,
    ],
  ])("a job that %s is told", (_, changes, expected) => {
    expect(broken({ jobs: [job(changes)] }).join("\n")).toMatch(new RegExp(expected, "m"));
  });

  test("where no job was accepted, nothing is decided", () => {
    const { id: _id, ...refused } = job({ sightings: [] });
    const verdicts = new Set(judgeFault(seen({ jobs: [refused] })).map(({ verdict }) => verdict));
    expect(verdicts).toEqual(new Set(["not-run"]));
  });

  test("a result of runsync need not be kept for longer than a minute", () => {
    const unseen = { operation: "runsync", sentMs: 1_000 } as const;
    expect(broken({ jobs: [job({ ...unseen, sightings: [at(40_000, undefined)] })] })).toHaveLength(
      1,
    );
    expect(broken({ jobs: [job({ ...unseen, sightings: [at(70_000, undefined)] })] })).toEqual([]);
  });

  test("a job that could not be read leaves the sentence undecided", () => {
    const [there] = judgeFault(seen({ jobs: [job({ sightings: [] })] }));
    expect(there).toMatchObject({
      verdict: "inconclusive",
      reason: "1 job could not be read afterwards",
    });
  });

  test("a queue that is still worked off when looking ends is not lost", () => {
    const jobs = [job({ sightings: [waiting, at(90_000, { status: "IN_QUEUE" })] })];
    expect(broken({ jobs })).toHaveLength(1);
    const [there] = judgeFault(seen({ jobs, isDraining: true }));
    expect(there).toMatchObject({ id: "there-and-ended", verdict: "inconclusive" });
  });

  test("an id that two submissions got is told", () => {
    const jobs = [job({}), job({ number: 2 })];
    expect(broken({ jobs })).toEqual(["ids-unique: a was given to 2 submissions: 1, 2"]);
  });

  test("a second end by the ledger is told, and one whose acknowledgement was lost is not", () => {
    expect(broken({ executions: told(2_000, 20_000) })).toEqual([
      "processed-once: a was processed to its end 2 times",
    ]);
    expect(broken({ executions: told(fromMs - 500, 20_000) })).toEqual([]);
  });

  test("a webhook that is called again is told, unless its acknowledgement may have been lost", () => {
    expect(broken(called(3_000, 20_000))).toEqual([
      "webhooks: a its webhook was called again after it had been acknowledged",
    ]);
    expect(broken(called(fromMs - 100, 20_000))).toEqual([]);
  });

  test("counts that begin anew, or too many, are told", () => {
    expect(broken(health(5, 6))).toEqual([]);
    expect(broken(health(5, 1))).toEqual([
      "counts: health of e counts -4 more as completed, where 1 completed",
    ]);
    expect(broken(health(5, 9))).toHaveLength(1);
    expect(broken({ ...health(5, 9), isAlone: false })).toEqual([]);
  });

  test("a submission without an answer may have made a job, or not", () => {
    const { answeredMs: _answered, id: _id, ...unanswered } = job({ number: 2, sightings: [] });
    for (const completed of [1, 2]) {
      expect(broken({ jobs: [job({}), unanswered], ...health(0, completed) })).toEqual([]);
    }
    expect(broken({ jobs: [job({}), unanswered], ...health(0, 3) })).toHaveLength(1);
  });

  test("a result that is kept for longer than one from after the fault is told", () => {
    const kept = (goneAfterMs: number): readonly FaultJob[] => [
      job({
        role: "kept-before",
        operation: "runsync",
        sightings: [at(2_000, {}), at(61_000, {}), at(62_000 + goneAfterMs, undefined)],
      }),
      job({
        number: 2,
        id: "b",
        role: "kept-after",
        operation: "runsync",
        sentMs: 19_000,
        sightings: [at(20_000, {}), at(79_500, {}), at(80_500, undefined)],
      }),
    ];
    expect(broken({ jobs: kept(0) })).toEqual([]);
    const later = kept(8_000);
    later[0]?.sightings.splice(2, 0, at(69_500, {}));
    expect(broken({ jobs: later }).join()).toMatch(
      /^retention-goes-on: a \(kept-before\) was kept for 1 min 9 s/,
    );
  });

  test("nothing is said of time where no jobs were placed for it", () => {
    const time = judgeFault(seen({ timers: undefined, noTimers: "one endpoint" })).find(
      ({ id }) => id === "timers-go-on",
    );
    expect(time).toMatchObject({ verdict: "not-run", looked: 0, reason: "one endpoint" });
  });
});
