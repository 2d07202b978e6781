import { isDeepStrictEqual } from "node:util";
import { show } from "../../harness/show.ts";
import { breach, holds, reads, unseen } from "../decision.ts";
import type { Decision } from "../decision.ts";
import { jsonOf, memberOf } from "../recording/recorded-exchange.ts";
import { deathText } from "./hints.ts";
import { exchangeOf, outcomeText, slowMs } from "./run-rules.ts";
import type { JobRequest, WorkerCall } from "./worker-call.ts";
import type { WorkerProcess } from "./worker-processes.ts";
import { atJob, isAsExpected, workedMs } from "./worker-test.ts";
import type { JobRun } from "./worker-test.ts";

// What several jobs show together.

/** WORK-12: the same input again gives a result again. */
export function againDecision(run: JobRun, first: JobRun, before: JobRun | undefined): Decision {
  if (!isAsExpected(first)) return unseen("the first run of the test did not end as it should");
  if (isAsExpected(run)) return holds;
  const after = before === undefined ? "" : `, after ${JSON.stringify(before.name)}`;
  const at = `${atJob(run)}${after}`;
  const expected = `${outcomeText(first)}, as the first time`;
  return breach(at, expected, outcomeText(run), exchangeOf(run));
}

/** WORK-22: after a job that failed the next is taken and done. */
export function nextDecision(failed: JobRun, next: JobRun): Decision {
  if (next.end.kind === "told") return holds;
  const at = `${atJob(next)}, after the failed one of ${JSON.stringify(failed.name)}`;
  return breach(at, "taken, and done", outcomeText(next), exchangeOf(next));
}

/**
 * WORK-13: each job has the result of its own input, also beside others. Of two tests at least the outputs have to differ,
 * and to be the same each time that the test runs alone.
 */
export function ownOutputDecisions(
  runs: readonly JobRun[],
  requests: readonly JobRequest[],
): readonly Decision[] {
  const steady = runs.filter((run) => run.purpose === "first" && isSteady(run, runs));
  if (steady.every((one) => hasOutputOf(one, steady[0] ?? one))) {
    return [unseen("it takes two tests whose outputs differ, and are the same each time")];
  }
  const areBeside = runs.some(({ purpose }) => purpose === "beside");
  if (takesSeveral(requests) && !areBeside) {
    return [
      unseen("it takes several jobs at once, and none was quick enough to be run beside others"),
    ];
  }
  return steady.map((first) => {
    const beside = runs.filter(({ test, purpose }) => test === first.test && purpose === "beside");
    const other = beside.find((run) => !isAsExpected(run) || !hasOutputOf(run, first));
    return other === undefined ? holds : otherResult(other, first);
  });
}

/** Whether a test's job ended as it should, and had the same output each time that it ran alone again. */
function isSteady(first: JobRun, runs: readonly JobRun[]): boolean {
  const again = runs.filter(({ test, purpose }) => test === first.test && purpose === "again");
  const isSame = again.every((run) => isAsExpected(run) && hasOutputOf(run, first));
  return isAsExpected(first) && !first.test.expectsFailure && again.length > 0 && isSame;
}

/** Whether two jobs have the same output. */
export function hasOutputOf(one: JobRun, other: JobRun): boolean {
  return isDeepStrictEqual(one.record["output"], other.record["output"]);
}

function otherResult(run: JobRun, first: JobRun): Decision {
  const expected = `the output of its own input, ${show(first.record["output"])}`;
  const got = isAsExpected(run) ? show(run.record["output"]) : outcomeText(run);
  return breach(atJob(run), expected, got, exchangeOf(run));
}

/** WORK-02: processes end with a job, which that tells, or as they were configured to. */
export function processesDecision(
  processes: readonly WorkerProcess[],
  runs: readonly JobRun[],
): Decision {
  const withJob = new Set(runs.flatMap(({ end }) => (end.kind === "died" ? [end.process.id] : [])));
  const ended = processes.filter(
    ({ id, end, isEndedHere }) => end !== undefined && isEndedHere !== true && !withJob.has(id),
  );
  const unasked = ended.find(({ id }) => !stopsItsPod(id, runs));
  if (unasked === undefined && runs.every(({ backMs }) => backMs === undefined)) {
    return unseen("no worker asked for another job after one");
  }
  return unasked === undefined
    ? holds
    : breach("a process of the worker", "that it goes on", deathText(unasked, []));
}

/** Whether a worker told with its last result that it is to be started anew (refresh_worker). */
function stopsItsPod(workerId: string, runs: readonly JobRun[]): boolean {
  const last = runs.findLast(({ end }) => end.kind === "told" && end.call.workerId === workerId);
  return (
    last?.end.kind === "told" && memberOf(jsonOf(last.end.call.exchange.body), "stopPod") === true
  );
}

/** The service takes a worker for dead after this silence, as its emulator does by default. */
const silentMsMax = 40_000;
/** Pings in this time after a job show that its worker could ping, and that the machine was busy before. */
const laterMs = 20_000;

/**
 * WORK-32: a slow job is heard of while it works. Its worker was told to ping each second; where the machine is busy, that
 * may be much later, so that only a worker is accused that pings without naming the job, or does not ping at all.
 */
export function heardDecision(
  { takenMs = 0, endedMs, jobId, calls, end, name }: JobRun,
  all: readonly WorkerCall[],
  nowMs: number,
): Decision | undefined {
  if (end.kind !== "told" || endedMs - takenMs < slowMs) return undefined;
  const at = atJob({ name });
  const expected = "pings that name it, each second (RUNPOD_PING_INTERVAL)";
  const heard = calls
    .filter(({ kind }) => kind === "ping" || kind === "chunk" || kind === "progress")
    .map(({ exchange }) => exchange.arrivedMs)
    .filter((atMs) => atMs < endedMs);
  const moments = [takenMs, ...heard, endedMs].toSorted((one, other) => one - other);
  const silentMs = Math.max(...moments.map((atMs, index) => atMs - (moments[index - 1] ?? atMs)));
  if (silentMs > silentMsMax) {
    return breach(at, expected, `nothing for ${Math.round(silentMs / 1000)} s`);
  }
  if (heard.length > 0) return holds;
  const pings = all
    .filter(({ kind, workerId }) => kind === "ping" && workerId === end.call.workerId)
    .map(({ exchange }) => exchange.arrivedMs);
  const during = pings.filter((atMs) => atMs > takenMs && atMs < endedMs).length;
  if (during >= pingsThatTell)
    return breach(at, expected, `${during} pings, and none named ${jobId}`);
  if (pings.some((atMs) => atMs > takenMs) || nowMs - endedMs < laterMs) {
    return unseen("the machine was too busy to tell whether its worker pings");
  }
  const guard =
    'where Python starts processes by spawn, start() has to stand behind if __name__ == "__main__":';
  return breach(at, expected, `no ping at all (${guard})`);
}

const pingsThatTell = 3;

/** WORK-51: how many jobs a process takes at once. */
export function takenAtOnce(requests: readonly JobRequest[]): Decision {
  return reads(takesSeveral(requests) ? "as many as it declares" : "one");
}

/** Whether a process asks for several jobs, or for another while it works. */
function takesSeveral(requests: readonly JobRequest[]): boolean {
  return requests.some(({ size, isIdle }) => size > 1 || !isIdle);
}

/** WORK-31: when the worker of a cancelled job asks for another. */
export function afterCancelDecision(cancelled: JobRun, first: JobRun): Decision {
  const { takenMs, backMs } = cancelled;
  const usualMs = workedMs(first) ?? 0;
  if (takenMs === undefined || backMs === undefined) {
    return unseen("no worker asked for a job after the one that was cancelled");
  }
  return reads(backMs - takenMs < 0.75 * usualMs ? "at once" : "when its handler has ended");
}

/** WORK-30: a worker whose job ran out of its executionTimeout asks for another within the test's time. */
export function afterTimeOutDecision(run: JobRun): Decision {
  const { takenMs, backMs, test } = run;
  if (takenMs === undefined) return unseen("no worker took the job that was to run out of time");
  const afterMs = backMs === undefined ? undefined : backMs - takenMs;
  if (afterMs !== undefined && afterMs <= test.timeoutMs) return holds;
  const got = afterMs === undefined ? "none" : `one after ${Math.round(afterMs / 1000)} s`;
  const expected = `a request for the next job within ${Math.round(test.timeoutMs / 1000)} s`;
  return breach(atJob(run), expected, got);
}

/** How many jobs of the same input show whether memory grows, and how many of the last are compared. */
export const memoryRuns = 20;
const comparedRuns = 10;
const growthBytesMax = 100_000_000;

/** WORK-50: over the last ten of twenty runs of the same input memory is not higher at each, by more than 100 MB in all. */
export function memoryDecision(memoryBytes: readonly number[]): Decision {
  if (memoryBytes.length < memoryRuns) {
    return unseen("it takes twenty runs of one input, and of its processes' memory to be told");
  }
  const last = memoryBytes.slice(-comparedRuns - 1);
  const rises = last.every((bytes, at) => at === 0 || bytes > (last[at - 1] ?? bytes));
  const grown = (last.at(-1) ?? 0) - (last[0] ?? 0);
  if (!rises || grown <= growthBytesMax) return holds;
  const got = `${Math.round(grown / 1e6)} MB more over ten runs of the same input, and more after each`;
  return breach("memory of the worker's processes", "that it stays", got);
}

/** The longest that a worker may take to end when it is told to. */
export const stopWithinMs = 30_000;

/** What became of a job whose worker was told to stop while it worked; undefined where it had ended before. */
export function stopAtWorkText({ test, end, record }: JobRun): string | undefined {
  const told = `Told to stop (SIGTERM) while it works on ${JSON.stringify(test.name)}, the worker`;
  if (end.kind === "died") {
    return `${told} ends and leaves the job: the service gives it to another once this one was silent for long enough.`;
  }
  if (end.kind === "late") return `${told} goes on, and has told nothing of it within 30 s.`;
  if (end.kind !== "told") return undefined;
  return record["status"] === "COMPLETED"
    ? `${told} does it first.`
    : `${told} tells the job as ${String(record["status"])}.`;
}

/** WORK-33: told to stop while idle, it ends within 30 s. */
export function stopDecision(stoppedAfterMs: number | undefined): Decision {
  return stoppedAfterMs === undefined
    ? breach("SIGTERM to the idle worker", "its end within 30 s", "it still runs")
    : holds;
}
