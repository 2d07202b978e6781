import { isDeepStrictEqual } from "node:util";
import { show } from "../../harness/show.ts";
import { breach, holds, reads, unseen } from "../decision.ts";
import type { Decision } from "../decision.ts";
import { jsonOf, memberOf } from "../recording/recorded-exchange.ts";
import { deathText } from "./hints.ts";
import { exchangeOf, outcomeText } from "./run-rules.ts";
import type { JobRequest } from "./worker-call.ts";
import type { WorkerProcess } from "./worker-processes.ts";
import { isAsExpected, workedMs } from "./worker-test.ts";
import type { JobRun } from "./worker-test.ts";

// What several jobs show together.

/** WORK-12: the same input again gives a result again. */
export function againDecision(run: JobRun, first: JobRun, before: JobRun | undefined): Decision {
  if (!isAsExpected(first)) return unseen("the first run of the test did not end as it should");
  if (isAsExpected(run)) return holds;
  const after = before === undefined ? "" : `, after ${JSON.stringify(before.name)}`;
  const at = `the job of ${JSON.stringify(run.name)}${after}`;
  const expected = `${outcomeText(first)}, as the first time`;
  return breach(at, expected, outcomeText(run), exchangeOf(run));
}

/** WORK-22: after a job that failed the next is taken and done. */
export function nextDecision(failed: JobRun, next: JobRun): Decision {
  if (next.end.kind === "told") return holds;
  const at = `the job of ${JSON.stringify(next.name)}, after the failed one of ${JSON.stringify(failed.name)}`;
  return breach(at, "taken, and done", outcomeText(next), exchangeOf(next));
}

/** WORK-13: each job has the output of its own input. Of two tests at least the outputs have to differ and to repeat. */
export function ownOutputDecision(runs: readonly JobRun[], first: JobRun): Decision {
  const other = runs.find(
    (run) => isAsExpected(run) && !isDeepStrictEqual(run.record["output"], first.record["output"]),
  );
  if (other === undefined) return holds;
  const at = `the job of ${JSON.stringify(other.name)}`;
  const expected = `the output of its own input, ${show(first.record["output"])}`;
  return breach(at, expected, show(other.record["output"]), exchangeOf(other));
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

/** WORK-51: how many jobs a process takes at once. */
export function takenAtOnce(requests: readonly JobRequest[]): Decision {
  const most = Math.max(1, ...requests.map(({ size }) => size));
  const isBusyTaker = requests.some(({ isIdle }) => !isIdle);
  return reads(most > 1 || isBusyTaker ? "as many as it declares" : "one");
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
  return breach(`the job of ${JSON.stringify(run.name)}`, expected, got);
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

/** WORK-33: told to stop while idle, it ends within 30 s. */
export function stopDecision(stoppedAfterMs: number | undefined): Decision {
  return stoppedAfterMs === undefined
    ? breach("SIGTERM to the idle worker", "its end within 30 s", "it still runs")
    : holds;
}
