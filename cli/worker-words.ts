import { shellWord } from "../client/shell-word.ts";
import { requirements } from "../openapi/requirements.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { notSelectedReason } from "../reports/not-run.ts";
import type { RepeatLineOf, Report } from "../reports/model.ts";
import { alignedRows } from "./aligned-rows.ts";
import { workerColumns, workerRows, workerSentences } from "../reports/worker.ts";
import { countText, durationText, listText } from "../reports/words.ts";
import type { WorkerOutcome } from "../traffic/workers/judge-worker.ts";
import { besidesJobMs, isWanted, jobsOf, besideJobs } from "../traffic/workers/worker-plan.ts";
import type { WorkerTrial } from "../traffic/workers/worker-plan.ts";
import { memoryRuns } from "../traffic/workers/whole-rules.ts";
import type { Io } from "./io.ts";
import { oneLine } from "./progress/one-line.ts";
import type { WorkerSettings } from "./settings/worker.ts";

/** What a worker is put through, and how long that takes where its jobs take milliseconds. */
export function planText(
  { given, command, runs, once }: WorkerSettings,
  plan: WorkerTrial,
): string {
  const { tests, badInputs } = plan;
  const parts = [
    `${countText(tests.length, "test")} of ${given.file}, ${runs === 1 ? "once" : `${runs} times each`}${once.size === 0 ? "" : ` (${[...once].join(", ")} once)`}`,
    ...(badInputs.length > 0
      ? [`${countText(badInputs.length, "input")} that a handler may be unable to take`]
      : []),
    ...(isWanted(plan, "beside") ? [`${besideJobs} jobs at the same time`] : []),
    ...(isWanted(plan, "memory") ? [`${memoryRuns} runs of the quickest test`] : []),
    ...(isWanted(plan, "stop") ? ["SIGTERM"] : []),
  ];
  const jobs = jobsOf(plan);
  const words = oneLine(command.map(shellWord).join(" "));
  return `${listText(parts)}: at most ${countText(jobs, "job")}, about ${durationText(besidesJobMs * jobs)} where a job takes milliseconds: ${words}`;
}

/** What decided nothing of an entry, and what would. */
export function notShownReason(
  id: RequirementId,
  {
    settings,
    plan,
    outcome,
    isStopped,
  }: {
    readonly settings: WorkerSettings;
    readonly plan: WorkerTrial;
    readonly outcome: WorkerOutcome;
    readonly isStopped: boolean;
  },
): string {
  if (!settings.only.has(id)) return notSelectedReason;
  if (isStopped) return "the run was stopped before";
  if (outcome.figures === undefined) return "the worker never asked for a job (WORK-01)";
  if (outcome.isOutOfTime) return "the run had taken 1.5 times what it was estimated to take";
  return lackingReason(id, plan) ?? "no job came so far as to show it";
}

/** What the tests lack of what an entry needs. */
function lackingReason(id: RequirementId, { once, badInputs }: WorkerTrial): string | undefined {
  const needed = requirements[id].testsNeeded ?? [];
  const heavy =
    once.size === 0 ? "" : ` and may run more than once (--once: ${[...once].join(", ")})`;
  if (needed.includes("slow")) return `it needs a test that takes more than 6 s${heavy}`;
  if (needed.includes("streaming")) return "it needs a test whose handler streams (a generator)";
  if (needed.length > 0) return `it needs ${needed.join(" and ")}`;
  if (id === "WORK-12") return `it needs a test that works${heavy}, and --runs of at least 2`;
  if (id === "WORK-20" && badInputs.length === 0) {
    return "no input that the handler cannot take was tried: --no-bad-inputs, or no test to make one of";
  }
  if (id === "WORK-22") return "no job failed: a test that is meant to fail would show it";
  return undefined;
}

/** The line that judges one entry again. */
export function repeatLineOf(settings: WorkerSettings): RepeatLineOf {
  const { given, command, workers, runs, hasBadInputs } = settings;
  const options = [
    `--tests ${shellWord(given.file)}`,
    ...(workers === 1 ? [] : [`--workers ${workers}`]),
    ...(runs === 2 ? [] : [`--runs ${runs}`]),
    ...(hasBadInputs ? [] : ["--no-bad-inputs"]),
  ].join(" ");
  const words = command.map(shellWord).join(" ");
  return (id) => `npx queueproof worker ${options} --only ${id} -- ${words}`;
}

/** The figures of each test, as the last thing that a run prints. */
export function tableText({ worker }: Report, io: Io): string {
  if (worker === undefined) return "";
  const rows = [workerColumns, ...workerRows(worker)].map((row) => row.map(oneLine));
  return `\n${alignedRows(rows, io)}\n${workerSentences(worker).join("\n")}\n`;
}
