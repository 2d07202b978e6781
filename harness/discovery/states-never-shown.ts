import { isSubmission } from "../../openapi/operations.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { StateMissed } from "../outcome.ts";
import { countsNoneWaiting } from "../read.ts";
import { isFinal, isProcessed, recordShownBy } from "../record.ts";
import type { LooseRecord } from "../record.ts";
import type { Discovery } from "./discovery.ts";
import { learnThatNoneTimesOut } from "./ignored-limits.ts";
import type { StatesShown } from "./seen-of-jobs.ts";
import { isAnswerTo } from "./shown-by.ts";

/** The id of the cause that no job is shown IN_PROGRESS. */
export const neverInProgress = "never-in-progress";

/** So many checks needed a job in a state, and so many jobs were shown in another one: it is no matter of one job. */
const checksMin = 3;
const jobsMin = 3;

/** A job that worked for less may have been shown as it was a moment before, in milliseconds. */
const workedMsMin = 500;

/** How a job comes into a state, and what says that it does. */
const ways: { readonly [State in string]?: { readonly of: string; readonly own: RequirementId } } =
  {
    FAILED: { of: "a job whose handler raises an error", own: "LIFE-04" },
    TIMED_OUT: { of: "a job that takes longer than its executionTimeout", own: "POLI-04" },
  };

/** Notes the states that an answer shows. To be called with what came, in the specification's terms. */
export function noteStates({ seenOfJobs: { statesShown } }: Discovery, exchange: Exchange): void {
  const record = recordShownBy(exchange);
  if (record !== undefined) statesShown.names.add(record.status);
}

/**
 * Learns that a job is shown IN_QUEUE while a worker processes it. Either its record tells in the end for how long it was
 * at work, and it was shown in the queue within that time; or health counted none that waits in between. To be called
 * with what came of a target on a real clock.
 */
export function learnWorkedQueued(discovery: Discovery, exchange: Exchange): void {
  const { statesShown } = discovery.seenOfJobs;
  if (statesShown.names.has("IN_PROGRESS")) return;
  if (countsNoneWaiting(exchange)) statesShown.noneWaits = exchange;
  const record = recordShownBy(exchange);
  if (record === undefined) return;
  const { workedQueued } = statesShown;
  if (exchange.operation === "status") noteQueued(record, exchange, statesShown);
  if (workedQueued.size < jobsMin || !hasEndedSince(record, exchange, statesShown)) return;
  const isRead = isAnswerTo(["status", "stream", "cancel"], (code) => code === 200);
  discovery.learn({
    id: neverInProgress,
    topic: "states",
    text: "no job is shown IN_PROGRESS: one that a worker processes is shown IN_QUEUE",
    adapted: "what needs a job in progress is not run",
    breaks: ["LIFE-01"],
    expected: "the job to have been shown IN_PROGRESS while it was processed",
    got: "IN_QUEUE, later than its executionTime before its end, or while health counted none in the queue",
    excuses: ({ expected, got }, evidence) =>
      isRead(evidence) && expected.includes("IN_PROGRESS") && got.includes("IN_QUEUE"),
    excusesReason: (reason) => /\bis (still )?IN_QUEUE\b/.test(reason),
    deviations: { lacks: ["IN_PROGRESS"] },
    seen: [...workedQueued.values()],
  });
}

function noteQueued(record: LooseRecord, exchange: Exchange, shown: StatesShown): void {
  if (workedMeanwhile(record, exchange, shown)) shown.workedQueued.set(record.id, exchange);
  if (record.status === "IN_QUEUE") shown.queued.set(record.id, exchange);
  else shown.queued.delete(record.id);
}

/**
 * Whether a record shows that a job was processed that is one of those that worked in the queue, or was submitted after
 * them. Where the workers have died, a job stays in the queue, too, and health may count it as one at work.
 */
function hasEndedSince(record: LooseRecord, exchange: Exchange, shown: StatesShown): boolean {
  const { workedQueued, submittedSince } = shown;
  const [first] = workedQueued.values();
  if (
    isSubmission(exchange.operation) &&
    first !== undefined &&
    exchange.sentAtMs >= first.answeredAtMs
  ) {
    submittedSince.add(record.id);
  }
  return isProcessed(record) && (workedQueued.has(record.id) || submittedSince.has(record.id));
}

/** Whether a record shows that its job was at work when it was last shown IN_QUEUE. */
function workedMeanwhile(
  record: LooseRecord,
  exchange: Exchange,
  { queued, noneWaits }: StatesShown,
): boolean {
  const before = queued.get(record.id);
  const { executionTime } = record;
  if (before === undefined) return false;
  if (record.status === "IN_QUEUE") {
    return (
      noneWaits !== undefined &&
      before.answeredAtMs <= noneWaits.sentAtMs &&
      noneWaits.answeredAtMs <= exchange.sentAtMs
    );
  }
  return (
    isFinal(record) &&
    typeof executionTime === "number" &&
    executionTime >= workedMsMin &&
    before.sentAtMs > exchange.answeredAtMs - executionTime
  );
}

/**
 * Learns that no job comes into a state, where some checks needed one in it and were given another: the jobs of a handler
 * that raises an error are COMPLETED, for instance.
 * @param seen the last exchange of the check, which shows it
 */
export function learnMissed(
  discovery: Discovery,
  check: string,
  { missed: { needed, got }, seen }: { readonly missed: StateMissed; readonly seen: Exchange },
): void {
  const way = ways[needed];
  const { names, missedBy } = discovery.seenOfJobs.statesShown;
  if (way === undefined || names.has(needed) || got === "CANCELLED") return;
  const checks = missedBy.get(needed) ?? new Set();
  missedBy.set(needed, checks.add(check));
  if (checks.size < checksMin) return;
  if (needed === "TIMED_OUT" && got === "COMPLETED") {
    learnThatNoneTimesOut(discovery, [seen]);
    return;
  }
  const isSo = (told: { readonly expected: string; readonly got: string }): boolean =>
    told.expected.includes(needed) && told.got.includes(got);
  discovery.learn({
    id: `never-${needed.toLowerCase().replace("_", "-")}`,
    topic: "states",
    text: `no job is shown ${needed}: ${way.of} is ${got}`,
    adapted: `what needs a job that is ${needed} is not run`,
    breaks: [way.own],
    expected: `${way.of} to be ${needed}`,
    explains: ({ requirement }) => requirement === way.own,
    excuses: isSo,
    excusesReason: (reason) => reason.endsWith(`is ${got}, not ${needed}`),
    seen: [seen],
  });
}
