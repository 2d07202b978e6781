import { isDeepStrictEqual } from "node:util";

import { isFinal, lastingFields } from "../../harness/record.ts";
import { countText, durationText } from "../../reports/words.ts";
import { firstEnd, lastSeen } from "../open-loop/job-book.ts";
import type { ToldExecution } from "../open-loop/callback-receiver.ts";
import type { FaultJob, FaultObservation } from "./observation.ts";
import { breachOf, statementOf } from "./statement.ts";
import type { StatementBreach, Statement } from "./statement.ts";

/** What an acknowledgement that was lost at the fault may bring again, in ms before the fault. */
const lostAnswerMs = 1_000;

/** How long a result is kept at least, in ms: 30 minutes of run, a minute of runsync; some seconds are margin. */
const keptMs = { run: 1_790_000, runsync: 55_000 } as const;

/** Every job whose submission was answered is there afterwards, and ends. */
export function judgeThere(seen: FaultObservation): Statement {
  const accepted = seen.jobs.filter((job) => job.id !== undefined && !isDead(job, seen.endedMs));
  // A runsync answer that shows the end is the result; it need not be kept for longer than a minute.
  const looked = accepted.filter((job) => job.operation === "run" || firstEnd(job) === undefined);
  const unread = looked.filter((job) => lastSeen(job) === undefined).length;
  const breaches = looked.flatMap((job): StatementBreach[] => {
    const last = lastSeen(job);
    if (last === undefined) return [];
    const { record } = last;
    if (record === undefined) {
      const isOld = last.atMs - job.sentMs > keptMs[job.operation];
      return isOld ? [] : [breachOf(job, "is not there any more (404)")];
    }
    if (isFinal(record) || (seen.isDraining && record.status === "IN_QUEUE")) return [];
    const waited = durationText(Math.round((last.atMs - job.sentMs) / 1_000) * 1_000);
    return [breachOf(job, `is still ${record.status} after ${waited}`)];
  });
  const undecided = [
    ...(unread > 0 ? [`${countText(unread, "job")} could not be read afterwards`] : []),
    ...(seen.isDraining
      ? ["jobs were still ending when looking ended; a smaller --scale leaves fewer in the queue"]
      : []),
  ].join("; ");
  return statementOf(
    {
      id: "there-and-ended",
      text: "Every job whose submission was answered is there afterwards, and has ended.",
      by: "records",
    },
    { breaches, looked: looked.length, undecided },
  );
}

/** Whether a job is not to be processed any more: cancelled, purged, or expired in the queue (`judgeTimers`). */
function isDead({ role, cancelledMs = Infinity }: FaultJob, beforeMs: number): boolean {
  return role === "purged" || role === "expired" || role === "waiting" || cancelledMs < beforeMs;
}

/** No job is processed to the end twice after its first result was acknowledged. */
export function judgeOnce(seen: FaultObservation): Statement {
  const { executions, faultMs } = seen;
  const [fromMs, toMs] = faultMs;
  const jobs = seen.jobs.filter(({ id, retriedMs }) => id !== undefined && retriedMs.length === 0);
  const told = executions === undefined ? undefined : executionsByNumber(executions);
  const breaches = jobs.flatMap((job): StatementBreach[] => {
    const end = firstEnd(job);
    const again = job.sightings.find(
      ({ sentMs, record }) =>
        end !== undefined && sentMs > end.atMs && record !== undefined && !isFinal(record),
    );
    if (again?.record !== undefined) {
      return [breachOf(job, `had ended, and is ${again.record.status} again`)];
    }
    const own = told?.get(job.number) ?? [];
    // A result whose acknowledgement was lost at the fault may come again: it is told among the figures.
    const ends = own.filter(
      ({ event, atMs }) => event === "end" && (atMs < fromMs - lostAnswerMs || atMs > toMs),
    );
    if (ends.length > 1) return [breachOf(job, `was processed to its end ${ends.length} times`)];
    const late = own.find(
      ({ event, atMs }) =>
        event === "start" && end !== undefined && atMs > Math.max(end.atMs, toMs),
    );
    return late === undefined ? [] : [breachOf(job, "was begun again after its result was read")];
  });
  return statementOf(
    {
      id: "processed-once",
      text: "No job is processed to the end again once its result was acknowledged.",
      by: told === undefined ? "records" : "ledger",
    },
    { breaches, looked: jobs.length },
  );
}

function executionsByNumber(
  executions: readonly ToldExecution[],
): ReadonlyMap<number, readonly ToldExecution[]> {
  const byNumber = new Map<number, ToldExecution[]>();
  for (const each of executions)
    byNumber.set(each.number, [...(byNumber.get(each.number) ?? []), each]);
  return byNumber;
}

/** How long a report of a worker may be under way. */
const reportMs = 500;

/** No job that was cancelled, purged or expired before the fault is processed after it. */
export function judgeDead(seen: FaultObservation): Statement {
  const [fromMs, toMs] = seen.faultMs;
  const dead = seen.jobs.filter(
    (job) => job.id !== undefined && job.role !== "waiting" && isDead(job, fromMs),
  );
  const told = seen.executions === undefined ? undefined : executionsByNumber(seen.executions);
  const breaches = dead.flatMap((job): StatementBreach[] => {
    const what = job.cancelledMs === undefined ? job.role : "cancelled";
    const own = told?.get(job.number);
    const started = own?.find(({ event, atMs }) => event === "start" && atMs > toMs + reportMs);
    if (started !== undefined) {
      return [breachOf(job, `was ${what} before the fault, and begun after it`)];
    }
    const alive = job.sightings.find(
      ({ sentMs, record }) =>
        sentMs > toMs && ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"].includes(record?.status ?? ""),
    );
    if (alive?.record === undefined) return [];
    return [breachOf(job, `was ${what} before the fault, and is ${alive.record.status} after it`)];
  });
  return statementOf(
    {
      id: "ended-stays-ended",
      text: "No job that was cancelled, purged or expired before the fault is processed after it.",
      by: told === undefined ? "records" : "ledger",
    },
    {
      breaches,
      looked: dead.length,
      whyNone: "none was cancelled, purged or expired before the fault",
    },
  );
}

/** No id is given twice. */
export function judgeIds({ jobs }: FaultObservation): Statement {
  const byId = new Map<string, FaultJob[]>();
  for (const job of jobs) {
    if (job.id !== undefined) byId.set(job.id, [...(byId.get(job.id) ?? []), job]);
  }
  const breaches = [...byId].flatMap(([id, same]): StatementBreach[] => {
    if (same.length === 1) return [];
    const numbers = same.map(({ number }) => number).join(", ");
    return [{ job: id, why: `was given to ${same.length} submissions: ${numbers}` }];
  });
  return statementOf(
    { id: "ids-unique", text: "No id is given twice.", by: "records" },
    { breaches, looked: byId.size },
  );
}

/** Results that were read before the fault are the same after it. */
export function judgeResults(seen: FaultObservation): Statement {
  const [fromMs, toMs] = seen.faultMs;
  const read = seen.jobs.flatMap((job) => {
    const before = firstEnd(job);
    const after = lastSeen(job);
    if (job.retriedMs.length > 0 || before === undefined || after === undefined) return [];
    return before.atMs < fromMs && after.sentMs > toMs ? [{ job, before, after }] : [];
  });
  const breaches = read.flatMap(({ job, before, after }): StatementBreach[] => {
    if (before.record === undefined || after.record === undefined) return [];
    const [one, other] = [lastingFields(before.record), lastingFields(after.record)];
    if (isDeepStrictEqual(one, other)) return [];
    return [breachOf(job, differenceOf(one, other))];
  });
  return statementOf(
    {
      id: "results-same",
      text: "Results that were read before the fault are the same after it.",
      by: "records",
    },
    { breaches, looked: read.length, whyNone: "no result was read on both sides of the fault" },
  );
}

function differenceOf(one: object, other: object): string {
  const values = new Map<string, unknown>(Object.entries(other));
  const names = Object.entries(one)
    .filter(([name, value]) => !isDeepStrictEqual(value, values.get(name)))
    .map(([name]) => name);
  return `has another ${names.join(" and ")} than before`;
}
