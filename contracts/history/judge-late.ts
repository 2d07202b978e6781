import { lateMsMin, type AnswerTime } from "../../harness/answer-times.ts";
import { judgeClaim, type HistoryJudge } from "./claim.ts";

/** The operations that have nothing to wait for, each with the requirement that its answers are judged under. */
const prompt = [
  { operation: "run", of: "RUNA-01" },
  { operation: "status", of: "STAT-01" },
  { operation: "stream", of: "STRM-01" },
  { operation: "cancel", of: "CANC-03" },
  { operation: "retry", of: "RETR-01" },
  { operation: "purge-queue", of: "PURG-01" },
  { operation: "health", of: "HLTH-01" },
] as const;
type Prompt = (typeof prompt)[number]["operation"];
const promptOperations: ReadonlySet<string> = new Set(prompt.map(({ operation }) => operation));

/** So many answers have to be late, and so large a part of the operation's: single ones are lost on the way. */
const late = { countMin: 3, shareMin: 0.05 };
/** How much more often than the other operations an operation is late that is late by itself. */
const timesAsOften = 5;
/** How many answers beside a late one tell how fast the target is, and how much less time they take. */
const beside = { countMin: 3, timesFaster: 10, shareMin: 0.8 };

/**
 * Judges how long the answers of a run took, each compared with those beside it: an operation is late where a good part
 * of its answers takes seconds, while most of what was asked meanwhile is answered ten times as fast, and where that
 * happens to it much more often than to the other operations.
 */
export function judgeLate(times: readonly AnswerTime[], judge: HistoryJudge): void {
  const asked = times.filter(({ operation }) => promptOperations.has(operation));
  const lateOnes = asked.filter((each) => isLate(each, asked));
  for (const { operation, of } of prompt) {
    const [own, others] = [allOf(asked, operation), without(asked, operation)];
    const ownLate = allOf(lateOnes, operation);
    if (own.length < late.countMin) continue;
    const share = ownLate.length / own.length;
    const shareOfOthers = without(lateOnes, operation).length / Math.max(1, others.length);
    const isLateByItself =
      ownLate.length >= late.countMin &&
      share >= late.shareMin &&
      share >= timesAsOften * shareOfOthers;
    judgeClaim(
      {
        of,
        holds: !isLateByItself,
        at: `${operation}, ${own.length} answers`,
        expected: "all of them about as soon as the answers beside them",
        got: `${ownLate.length} that took ${rangeOf(ownLate)}, while others took milliseconds`,
        seenIn: ownLate.slice(0, 3).flatMap(({ evidence }) => (evidence ? [{ evidence }] : [])),
      },
      judge,
    );
  }
}

function isLate(each: AnswerTime, all: readonly AnswerTime[]): boolean {
  const tookMs = durationMs(each);
  if (tookMs < lateMsMin) return false;
  // A busy server takes new connections in one after the other, however fast it answers on those it has.
  const alike = each.findsNoConnection
    ? all.filter(({ findsNoConnection }) => findsNoConnection)
    : all;
  const meanwhile = alike.filter(
    ({ sentAtMs }) => sentAtMs > each.sentAtMs && sentAtMs < each.answeredAtMs - tookMs / 2,
  );
  const fast = meanwhile.filter((other) => durationMs(other) * beside.timesFaster <= tookMs);
  return fast.length >= beside.countMin && fast.length >= beside.shareMin * meanwhile.length;
}

function allOf(times: readonly AnswerTime[], operation: Prompt): readonly AnswerTime[] {
  return times.filter((each) => each.operation === operation);
}

function without(times: readonly AnswerTime[], operation: Prompt): readonly AnswerTime[] {
  return times.filter((each) => each.operation !== operation);
}

function durationMs({ sentAtMs, answeredAtMs }: AnswerTime): number {
  return answeredAtMs - sentAtMs;
}

function rangeOf(times: readonly AnswerTime[]): string {
  const seconds = times.map((each) => durationMs(each) / 1000);
  return `${Math.min(...seconds).toFixed(1)} to ${Math.max(...seconds).toFixed(1)} s`;
}
