import { ControlError } from "../client/control-client.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import {
  Inconclusive,
  StateMissed,
  Stopped,
  Unanswered,
  Unsupported,
  stoppedReason,
} from "./outcome.ts";
import type { Verdict } from "../reports/verdict.ts";

/** How a check's function ended early; empty where it did not, or where it has recorded why. */
export interface EarlyEnd {
  /** The request that got no answer, which ended it. */
  readonly unanswered?: Unanswered;
  /** The state that its job was not in, which ended it. */
  readonly missed?: StateMissed;
  /** Why it ended early without a verdict. */
  readonly undecided?: string;
  /** The requirements whose own checks judge that. */
  readonly judgedBy?: readonly RequirementId[];
  /** Why the target can never decide it. */
  readonly lacking?: string;
  /** The id of the cause of that, where it was learned. */
  readonly cause?: string | undefined;
  readonly broke?: string;
}

/** Runs a task and sorts what it throws into "cannot know" and "the harness broke". */
export async function catchEarlyEnd(task: () => Promise<void>): Promise<EarlyEnd> {
  try {
    await task();
    return {};
  } catch (error) {
    if (error instanceof Stopped) return {};
    if (error instanceof Unanswered) return { undecided: error.message, unanswered: error };
    if (error instanceof StateMissed) return { undecided: error.message, missed: error };
    if (error instanceof Unsupported) return { lacking: error.message, cause: error.causeId };
    if (error instanceof Inconclusive) {
      return { undecided: error.message, judgedBy: error.judgedBy };
    }
    if (error instanceof ControlError) return { undecided: error.message };
    if (error instanceof Error && error.name === "AbortError") {
      return { undecided: stoppedReason };
    }
    return { broke: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** What is said of one requirement, and why. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly reason?: string;
  /** The id of the cause that was learned for it. */
  readonly cause?: string | undefined;
  /** The requirements whose own checks judge why it could not be decided. */
  readonly judgedBy?: readonly RequirementId[];
  /** The harness itself broke: the run as a whole cannot be trusted. */
  readonly harnessError?: string;
}

/** A check that has ended, as far as its verdict on one requirement depends on it. */
export interface EndedCheck {
  readonly requirement: RequirementId;
  readonly end: EarlyEnd;
  /** The judgement of the differences that it saw; absent where it saw none. */
  readonly difference?: Judgement | undefined;
  /** How often it compared something. */
  readonly comparisons: number;
  /** The judgement where it compared nothing. Absent: that is an error of the harness. */
  readonly nothingCompared?: Judgement | undefined;
}

/** The verdict of a check that has ended. A difference counts also if the check ended early after it. */
export function verdictOf(ended: EndedCheck): Judgement {
  const { undecided, judgedBy = [], lacking, broke, cause } = ended.end;
  if (broke !== undefined) {
    return { verdict: "inconclusive", reason: `the harness broke: ${broke}`, harnessError: broke };
  }
  if (ended.difference !== undefined) return ended.difference;
  if (lacking !== undefined) {
    return { verdict: "not-run", reason: lacking, ...(cause !== undefined && { cause }) };
  }
  if (undecided !== undefined) {
    const reason = { verdict: "inconclusive", reason: undecided } as const;
    return judgedBy.length === 0 ? reason : { ...reason, judgedBy };
  }
  if (ended.comparisons > 0) return { verdict: "pass" };
  if (ended.nothingCompared !== undefined) return ended.nothingCompared;
  const harnessError = `the check compared nothing of ${ended.requirement}`;
  return { verdict: "inconclusive", reason: harnessError, harnessError };
}
