import type { OperationName } from "../openapi/operations.ts";
import type { RequirementId } from "../openapi/requirements.ts";

/** Ends a check at once: what comes after the mismatch just recorded would have no meaning. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** Ends a check without a verdict on the target: the reason says what could not be brought about or known. */
export class Inconclusive extends Error {
  override readonly name: string = "Inconclusive";
  /** The requirements whose own checks judge what kept this one from its end. */
  readonly judgedBy: readonly RequirementId[];

  constructor(message: string, judgedBy: readonly RequirementId[] = [], options?: ErrorOptions) {
    super(message, options);
    this.judgedBy = judgedBy;
  }
}

/** Ends a check whose job is in another state than it needs: that is for the checks of that state to judge. */
export class StateMissed extends Inconclusive {
  override readonly name = "StateMissed";
  readonly needed: string;
  readonly got: string;

  constructor(needed: string, got: string) {
    super(`the job this check needs is ${got}, not ${needed}`);
    this.needed = needed;
    this.got = got;
  }
}

/** Ends a check in which a request got no answer, however often it was sent. */
export class Unanswered extends Inconclusive {
  override readonly name = "Unanswered";
  readonly operation: OperationName;

  constructor(operation: OperationName, message: string) {
    super(message);
    this.operation = operation;
  }
}

/**
 * Ends a check that this target can never decide: it is known not to have what the check asks for, or it was tried as
 * far as it can be. The reason says what is missing or was measured, and what would show it.
 */
export class Unsupported extends Inconclusive {
  override readonly name = "Unsupported";
  /** The id of the cause that was learned for it; undefined where the user said so, or it was measured. */
  readonly causeId: string | undefined;

  constructor(message: string, causeId?: string) {
    super(message);
    this.causeId = causeId;
  }
}

/** Why a run was stopped: the text that its signal was aborted with, or a general one where it has none. */
export function stopReason({ reason }: AbortSignal): string {
  return typeof reason === "string" ? reason : "the run was stopped";
}

/** Why a check that was stopped is not decided. */
export const stoppedReason = "the run was stopped before it was decided";

const failedFastReason = "the run ended at its first failure, as --fail-fast asks";

/** The reason with which a run is aborted at its first failure. */
export function firstFailure(): DOMException {
  return new DOMException(failedFastReason, "AbortError");
}

/** Why a check is not decided when this signal has stopped its run. */
export function reasonOfStop(signal: AbortSignal | undefined): string {
  if (signal === undefined) return stoppedReason;
  const reason: unknown = signal.reason;
  const isFailure = reason instanceof DOMException && reason.message === failedFastReason;
  return isFailure ? failedFastReason : `${stopReason(signal)} before it was decided`;
}

/** Who has to act: the person at the command line, the target's operator, or this project's developers. */
export type HarnessErrorCode =
  | "TARGET_UNREACHABLE"
  | "KEY_REFUSED"
  | "ENDPOINT_UNKNOWN"
  | "ENDPOINTS_DIFFER"
  | "HARNESS_BROKE"
  | "NOTHING_SELECTED";

/** An error of the run as a whole, with what to do next. */
export class HarnessError extends Error {
  override readonly name = "HarnessError";
  readonly code: HarnessErrorCode;
  /** What the reader can do next, as one imperative sentence. */
  readonly hint: string | undefined;

  constructor(code: HarnessErrorCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
