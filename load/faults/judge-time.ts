import { isFinal } from "../../harness/record.ts";
import { durationText } from "../../reports/words.ts";
import { firstEnd } from "../open-loop/job-book.ts";
import type { FaultJob, FaultObservation } from "./observation.ts";
import { breachOf, notLooked, statementOf } from "./statement.ts";
import type { StatementBreach, Statement } from "./statement.ts";

/** By how much a timer may be late on a real clock, and on a server that has just started. */
const lateMsMax = 3_000;

/** ttl and time-outs go on by the clock. */
export function judgeTimers(seen: FaultObservation): Statement {
  return judgedBy(
    {
      id: "timers-go-on",
      text: "ttl and executionTimeout go on by the clock, whatever the server does.",
      by: seen.executions === undefined ? "records" : "ledger",
    },
    timedParts(seen),
  );
}

/** Retention goes on by the clock. */
export function judgeRetention(seen: FaultObservation): Statement {
  return judgedBy(
    {
      id: "retention-goes-on",
      text: "A result from before the fault is kept as long as one from after it.",
      by: "records",
    },
    [keptPart(seen)],
  );
}

const notPlaced = "no worker of the second endpoint could be freed for it";

function judgedBy(
  header: Pick<Statement, "id" | "text" | "by">,
  parts: readonly Part[],
): Statement {
  const looked = parts.reduce((sum, part) => sum + part.looked, 0);
  const breaches = parts.flatMap((part) => part.breaches);
  const undecided = parts.flatMap((part) => part.undecided ?? []).join("; ");
  if (looked === 0) return notLooked(header, undecided === "" ? notPlaced : undecided);
  return statementOf(header, { breaches, looked, undecided });
}

interface Part {
  readonly looked: number;
  readonly breaches: readonly StatementBreach[];
  readonly undecided?: string;
}

/** What was looked at and holds. */
const kept: Part = { looked: 1, breaches: [] };

/** What could not be looked at. */
function open(why: string): Part {
  return { looked: 0, breaches: [], undecided: why };
}

function broken(job: FaultJob, why: string): Part {
  return { looked: 1, breaches: [breachOf(job, why)] };
}

function timedParts(seen: FaultObservation): readonly Part[] {
  const { timers, noTimers = "no jobs were placed for it" } = seen;
  if (timers === undefined) return [open(noTimers)];
  const of = (role: FaultJob["role"]): readonly FaultJob[] =>
    seen.jobs.filter((job) => job.role === role && job.id !== undefined);
  return [
    ...of("timed").map((job) => timedPart(job, timers.executionTimeoutMs, seen)),
    ...of("waiting").map((job) => waitingPart(job, timers.ttlMs, seen)),
  ];
}

/** A job that works for longer than its executionTimeout, which ends after the fault. */
function timedPart(job: FaultJob, timeoutMs: number, seen: FaultObservation): Part {
  const end = firstEnd(job);
  const status = end?.record?.status;
  const timeout = `executionTimeout of ${durationText(timeoutMs)}`;
  if (status === "COMPLETED")
    return broken(job, `completed, although it works for longer than its ${timeout}`);
  // A job that was at work when its worker or server went away may fail, or begin anew.
  if (status === "FAILED" && seen.scenario.losesWork) return kept;
  if (end !== undefined && end.atMs < job.sentMs + timeoutMs) {
    return broken(job, `ended ${status ?? ""} before its ${timeout} was over`);
  }
  return endedInTime(job, { endedMs: end?.sentMs ?? seen.endedMs, timeoutMs, timeout }, seen);
}

interface TimedEnd {
  readonly endedMs: number;
  readonly timeoutMs: number;
  readonly timeout: string;
}

/** Whether a time-out came when it was due: after the beginning of the work, or of its last one. */
function endedInTime(
  job: FaultJob,
  { endedMs, timeoutMs, timeout }: TimedEnd,
  seen: FaultObservation,
): Part {
  const [fromMs, toMs] = seen.faultMs;
  const atWork = job.sightings.find(({ record }) => record?.status === "IN_PROGRESS");
  const startedMs = beganMs(job, seen) ?? atWork?.atMs;
  if (startedMs === undefined) return open("executionTimeout: the job was not seen at work");
  const isLateSince = (startMs: number): boolean =>
    lateBy(startMs + timeoutMs, endedMs, seen) > lateMsMax;
  const again = seen.executions?.findLast(
    ({ number, event, atMs }) => number === job.number && event === "start" && atMs > fromMs,
  );
  if (again === undefined && !isLateSince(startedMs)) return kept;
  if (isLateSince(again?.atMs ?? toMs))
    return broken(job, `its ${timeout} came too late, or never`);
  if (again !== undefined) return kept;
  return begunAnew(job, timeout, seen);
}

/** A time-out that is late, unless the job was begun anew: then it counts from there. */
function begunAnew(
  job: FaultJob,
  timeout: string,
  { scenario, executions }: FaultObservation,
): Part {
  if (!scenario.losesWork || executions !== undefined) {
    return broken(job, `its ${timeout} began anew after the fault`);
  }
  return open("executionTimeout: the job may have been begun anew, and no ledger tells");
}

/** When a worker told that it began a job, before the fault. */
function beganMs(
  job: FaultJob,
  { executions, faultMs: [fromMs] }: FaultObservation,
): number | undefined {
  return executions?.find(
    ({ number, event, atMs }) => number === job.number && event === "start" && atMs <= fromMs,
  )?.atMs;
}

function waitingPart(job: FaultJob, ttlMs: number, seen: FaultObservation): Part {
  const dueMs = (job.answeredMs ?? job.sentMs) + ttlMs;
  const begun = job.sightings.find(({ record }) =>
    ["IN_PROGRESS", "COMPLETED"].includes(record?.status ?? ""),
  );
  const told = seen.executions?.find(
    ({ number, event }) => number === job.number && event === "start",
  );
  const begunMs = Math.min(begun?.sentMs ?? Infinity, told?.atMs ?? Infinity);
  if (begunMs < dueMs) return open("ttl: a worker was free before it was over");
  if (begunMs < Infinity && begunMs > dueMs + lateMsMax)
    return broken(job, `was begun after its ttl of ${durationText(ttlMs)} was over`);
  const waiting = job.sightings.find(
    ({ sentMs, record }) =>
      record !== undefined && !isFinal(record) && lateBy(dueMs, sentMs, seen) > lateMsMax,
  );
  if (waiting?.record !== undefined) {
    return broken(
      job,
      `is ${waiting.record.status} after its ttl of ${durationText(ttlMs)} was over`,
    );
  }
  return kept;
}

/** By how many ms something is later than it was due, where the target could have done it. */
function lateBy(dueMs: number, atMs: number, { backMs, faultMs }: FaultObservation): number {
  const backAgainMs = backMs ?? faultMs[1];
  const isDueInFault = dueMs > faultMs[0] && dueMs < backAgainMs;
  return atMs - (isDueInFault ? backAgainMs : dueMs);
}

/** By how much two times of keeping may differ that were seen by reads a second apart. */
const keptDifferenceMs = 2_500;

/** A result of runsync from before the fault is kept as long as one from after it. */
function keptPart(seen: FaultObservation): Part {
  const [before, after] = (["kept-before", "kept-after"] as const).map((role) =>
    seen.jobs.find((job) => job.role === role && firstEnd(job) !== undefined),
  );
  if (before === undefined || after === undefined) {
    return open("no result of runsync on both sides of the fault");
  }
  const [one, other] = [keptMs(before), keptMs(after)];
  if (one === undefined && other === undefined) {
    return open("results of runsync are kept for longer than was looked");
  }
  if (one !== undefined && other !== undefined && distanceOf(one, other) <= keptDifferenceMs) {
    return kept;
  }
  const [oneText, otherText] = [one, other].map((each) =>
    each === undefined
      ? "longer than was looked"
      : durationText(Math.round(each[1] / 1_000) * 1_000),
  );
  return broken(
    before,
    `was kept for ${oneText ?? ""}; one from after the fault for ${otherText ?? ""}`,
  );
}

type Interval = readonly [number, number];

/** How far apart two intervals are at least; 0 where they overlap. */
function distanceOf([oneFrom, oneTo]: Interval, [otherFrom, otherTo]: Interval): number {
  return Math.max(0, oneFrom - otherTo, otherFrom - oneTo);
}

/** How long a result could be read after its end, at least and at most. */
function keptMs(job: FaultJob): Interval | undefined {
  const end = firstEnd(job);
  const goneAt = job.sightings.findIndex(
    ({ record, sentMs }) => record === undefined && sentMs > (end?.atMs ?? 0),
  );
  const [gone, lastThere] = [job.sightings[goneAt], job.sightings[goneAt - 1]];
  if (end === undefined || gone === undefined || lastThere === undefined) return undefined;
  const before = job.sightings.findLast(
    ({ atMs, record }) => atMs < end.sentMs && record !== undefined && !isFinal(record),
  );
  return [lastThere.sentMs - end.atMs, gone.atMs - (before?.sentMs ?? job.sentMs)];
}
