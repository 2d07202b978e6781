import { isSubmission } from "../../openapi/operations.ts";
import { cutText } from "../../reports/bounded.ts";
import { durationText } from "../../reports/words.ts";
import type { LoadResult, LoadSamples } from "../../reports/model.ts";
import { nearestRank } from "../../reports/load/time-spread.ts";
import { columnsOf } from "../open-loop/samples.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import { headOf, notAnswered } from "../open-loop/judged-load.ts";
import type { ToldExecution } from "../open-loop/callback-receiver.ts";
import { faultScenarioName } from "./fault-scenario.ts";
import type { FaultScenario } from "./fault-scenario.ts";
import { judgeDead, judgeIds, judgeOnce, judgeResults, judgeThere } from "./judge-jobs.ts";
import { judgeCounts, judgeWebhooks } from "./judge-outside.ts";
import { judgeRetention, judgeTimers } from "./judge-time.ts";
import type { FaultObservation } from "./observation.ts";
import { backMsMax } from "./run-fault-scenario.ts";
import type { FaultOutcome } from "./run-fault-scenario.ts";
import type { Statement } from "./statement.ts";

/** Every sentence about what a fault may not do, with its verdict. */
export function judgeFault(observation: FaultObservation): readonly Statement[] {
  return [
    judgeThere,
    judgeOnce,
    judgeDead,
    judgeIds,
    judgeResults,
    judgeTimers,
    judgeRetention,
    judgeWebhooks,
    judgeCounts,
  ].map((judge) => judge(observation));
}

/** The answer is one sentence; the statements tell all of it. */
const answerMax = 400;

/** A generator that is later than this has not sent what was planned. */
const lateMsMax = 1_000;

/** The entry of a scenario with a fault in the report. */
export function faultFinding(scenario: FaultScenario, outcome: FaultOutcome): JudgedLoad {
  const { observation, hooks } = outcome;
  const statements =
    outcome.undecided === undefined && observation.backMs !== undefined
      ? judgeFault(observation).map((each) => sinceStart(each, outcome))
      : [];
  const undecided = outcome.undecided ?? lateReason(outcome);
  const broken = statements.filter(({ verdict }) => verdict === "fail");
  const figures = figuresOf(outcome);
  const common = {
    ...headOf({ entry: faultScenarioName(scenario), question: scenario.question }),
    figures,
    ...(statements.length > 0 && { statements }),
    ...(hooks.length > 0 && { hooks }),
    samples: [samplesOf(outcome, statements)],
  } as const;
  if (outcome.undecided === undefined && observation.backMs === undefined) {
    const reason = `the target did not answer within ${durationText(backMsMax)} of the end of the fault`;
    return { ...common, verdict: "fail", reason, answer: `No: ${reason}.` };
  }
  if (broken.length > 0) {
    const reason = reasonsOf(broken);
    const answer = `No. ${cutText(reason, answerMax)}. ${goneText(outcome)}`;
    return { ...common, verdict: "fail", reason, answer };
  }
  const why = undecided ?? openReason(statements);
  if (why !== undefined) return { ...common, ...notAnswered("inconclusive", why) };
  return {
    ...common,
    verdict: "pass",
    answer: `Yes: of ${jobsText(observation)} nothing is lost, repeated or changed. ${goneText(outcome)}`,
  };
}

/** Why sentences of which none is broken are not all decided; undefined where they are. */
function openReason(statements: readonly Statement[]): string | undefined {
  const open = statements.filter(({ verdict }) => verdict === "inconclusive");
  if (open.length > 0) return reasonsOf(open);
  const isLooked = statements.some(({ verdict }) => verdict === "pass");
  return isLooked ? undefined : "no job was accepted, so nothing was looked at";
}

function reasonsOf(statements: readonly Statement[]): string {
  return statements
    .map(({ text, reason = "" }) => `${text.replace(/\.$/, "")}: ${reason}`)
    .join("; ");
}

function jobsText({ jobs }: FaultObservation): string {
  return `${jobs.filter(({ id }) => id !== undefined).length} jobs`;
}

function lateP95(lateMs: readonly number[]): number {
  return nearestRank(Float64Array.from(lateMs).toSorted(), 0.95) ?? 0;
}

function lateReason({ lateness: { lateMs } }: FaultOutcome): string | undefined {
  const late = lateP95(lateMs);
  if (late <= lateMsMax) return undefined;
  return `the load was late: 5 % of its requests were sent ${Math.round(late)} ms after their moment or later; a machine at rest, or a smaller --scale, keeps it up`;
}

function goneText(outcome: FaultOutcome): string {
  const silent = silenceMs(outcome);
  const rate = formerRateMs(outcome);
  const { jobs } = outcome.observation;
  const lost = jobs.filter(({ answeredMs }) => answeredMs === undefined).length;
  return [
    `No submission was accepted for ${durationText(roundedMs(silent))}`,
    rate === undefined
      ? "the former rate was not reached again"
      : `the former rate was reached ${durationText(roundedMs(rate))} after the end of the fault`,
    `${lost} submissions got no answer.`,
  ].join("; ");
}

function roundedMs(ms: number): number {
  return Math.round(ms / 100) * 100;
}

/** The longest time around the fault in which no submission was accepted. */
function silenceMs({ observation: { requests, faultMs }, startMs }: FaultOutcome): number {
  const accepted = requests
    .filter(({ operation, status }) => isSubmission(operation) && isAccepted(status))
    .map(({ answeredMs }) => answeredMs)
    .toSorted((one, other) => one - other);
  const before = accepted.findLast((ms) => ms <= faultMs[0]) ?? startMs;
  const after = accepted.filter((ms) => ms >= before && ms <= faultMs[1] + settlingMs);
  const last = accepted.find((ms) => ms > faultMs[1] + settlingMs);
  let [previous, longest] = [before, 0];
  for (const ms of [...after, ...(last === undefined ? [] : [last])]) {
    longest = Math.max(longest, ms - previous);
    previous = ms;
  }
  return longest;
}

const settlingMs = 10_000;
const spanMs = 2_000;

/** When 95 % of what was planned in 2 s was accepted again, in ms after the fault's end. */
function formerRateMs({ observation, startMs, schedule }: FaultOutcome): number | undefined {
  const [, toMs] = observation.faultMs;
  const endMs = startMs + schedule.mixMs;
  const load = observation.requests.filter(
    ({ plannedMs }) => plannedMs >= toMs && plannedMs < endMs,
  );
  for (let fromMs = toMs; fromMs + spanMs <= endMs; fromMs += 100) {
    const planned = load.filter(
      ({ plannedMs }) => plannedMs >= fromMs && plannedMs < fromMs + spanMs,
    );
    const isKept = planned.filter(
      ({ status, answeredMs, plannedMs }) => answered(status) && answeredMs - plannedMs < spanMs,
    );
    if (planned.length > 0 && isKept.length >= 0.95 * planned.length) return fromMs - toMs;
  }
  return undefined;
}

/** Whether there was an answer that is none of a server in trouble. */
function answered(status: number): boolean {
  return status > 0 && status < 500 && status !== 429;
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}

function figuresOf(outcome: FaultOutcome): LoadResult["figures"] {
  const { observation } = outcome;
  const { jobs, requests, faultMs, backMs, calls, executions } = observation;
  const count = (isMeant: (status: number) => boolean): number =>
    requests.filter(({ status }) => isMeant(status)).length;
  const unanswered = jobs.filter(({ answeredMs }) => answeredMs === undefined);
  const rate = formerRateMs(outcome);
  const retried = new Set(
    jobs.filter(({ retriedMs }) => retriedMs.length > 0).map(({ number }) => number),
  );
  return {
    jobs: jobs.filter(({ id }) => id !== undefined).length,
    requests: requests.length,
    accepted: count(isAccepted),
    refused: count((status) => status === 429),
    "5xx": count((status) => status >= 500),
    "without an answer": count((status) => status === 0),
    "submissions without an answer": unanswered.length,
    ...(executions !== undefined && {
      "of these processed": unanswered.filter(({ number }) =>
        executions.some((each) => each.number === number),
      ).length,
      "begun again after the fault": begunAgain(executions, faultMs, retried),
    }),
    ...(Number.isFinite(faultMs[1]) && { "fault ms": Math.round(faultMs[1] - faultMs[0]) }),
    ...(backMs !== undefined && { "answered again after ms": Math.round(backMs - faultMs[1]) }),
    ...(Number.isFinite(faultMs[1]) && {
      "nothing accepted for ms": Math.round(silenceMs(outcome)),
    }),
    ...(rate !== undefined && { "former rate after ms": Math.round(rate) }),
    "webhook calls": calls.length,
    "late ms p95": Math.round(lateP95(outcome.lateness.lateMs)),
  };
}

/** How many jobs were at work at the fault and begun anew after it: that is told, and no breach. */
function begunAgain(
  executions: readonly ToldExecution[],
  [fromMs, toMs]: readonly [number, number],
  retried: ReadonlySet<number>,
): number {
  const starts = executions.filter(({ event }) => event === "start");
  const before = new Set(starts.filter(({ atMs }) => atMs < fromMs).map(({ number }) => number));
  const after = starts.filter(({ atMs, number }) => atMs > toMs && before.has(number));
  return new Set(after.map(({ number }) => number).filter((number) => !retried.has(number))).size;
}

/** A sentence with the times of its jobs from the start of the load. */
function sinceStart({ jobs, ...statement }: Statement, { startMs }: FaultOutcome): Statement {
  if (jobs === undefined) return statement;
  const placed = jobs.map(({ sentMs, ...job }) =>
    sentMs === undefined ? job : { ...job, sentMs: Math.round(sentMs - startMs) },
  );
  return { ...statement, jobs: placed };
}

function samplesOf(
  { observation, startMs }: FaultOutcome,
  statements: readonly Statement[],
): LoadSamples {
  const { requests, faultMs } = observation;
  return {
    name: "all operations",
    ...columnsOf(requests, startMs),
    bands: [
      ...(Number.isFinite(faultMs[0])
        ? [
            {
              name: "the fault",
              fromMs: faultMs[0] - startMs,
              toMs: Math.min(faultMs[1], observation.endedMs) - startMs,
            },
          ]
        : []),
      ...statements.flatMap(({ id, jobs = [] }) =>
        jobs.flatMap(({ sentMs }) =>
          sentMs === undefined
            ? []
            : [{ name: `jobs that break ${id}`, fromMs: sentMs, toMs: sentMs }],
        ),
      ),
    ],
  };
}
