import { oneLine } from "./progress/one-line.ts";

/** The exit code for each error code (docs/options.md#exit-codes). It says who has to act. */
export const exitCodeOfError = {
  WRONG_USAGE: 2,
  NOTHING_SELECTED: 2,
  REPORT_DIRECTORY: 2,
  TARGET_UNREACHABLE: 3,
  KEY_REFUSED: 3,
  ENDPOINT_UNKNOWN: 3,
  ENDPOINTS_DIFFER: 3,
  PORT_IN_USE: 3,
  CANNOT_LISTEN: 3,
  STATE_FILE: 3,
  REPORT_FILE: 3,
  K6_MISSING: 3,
  HARNESS_BROKE: 3,
} as const;

export type ErrorCode = keyof typeof exitCodeOfError;

export interface CommandErrorDetails {
  /** What the user can do next, as one imperative sentence. */
  readonly hint?: string;
  /** One line each: where, what was expected, what was found. */
  readonly problems?: readonly string[];
  readonly cause?: unknown;
}

/** An error that ends the command line, with one message, its problems, and what to do next. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly problems: readonly string[];

  constructor(code: ErrorCode, message: string, details: CommandErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.problems = details.problems ?? [];
  }
}

/** Makes an error of wrong usage that another error has shown; the message of that error is its problem. */
export function wrongUsageBy(cause: unknown, message: string, hint: string): CommandError {
  return new CommandError("WRONG_USAGE", message, { problems: [messageOf(cause)], hint, cause });
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of an error of Node, such as ENOENT; undefined where it has none. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

export interface DescribedError {
  /** Lines for standard error, the first beginning with `error:`. */
  readonly lines: readonly string[];
  readonly exitCode: number;
}

/**
 * Turns an error into text. Errors of other modules are recognised by their `code` (a key of `exitCodeOfError`) and
 * `hint`; any other error is a fault of the harness itself, with exit code 3.
 */
export function describeError(error: unknown): DescribedError {
  const { message, code, hint, problems } = partsOf(error);
  const lines = [`error: ${message}`, ...problems.map((problem) => `         ${problem}`)];
  if (hint !== undefined) lines.push(`hint:  ${hint}`);
  return { lines: lines.map(withoutControls), exitCode: exitCodeOfError[code] };
}

/** Removes control characters, since a message may quote what a target sent. Line breaks, as in a stack, stay. */
function withoutControls(text: string): string {
  return text.split("\n").map(oneLine).join("\n");
}

interface ErrorParts {
  readonly message: string;
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly problems: readonly string[];
}

function partsOf(error: unknown): ErrorParts {
  if (error instanceof CommandError) return error;
  if (!(error instanceof Error)) return broken(String(error));

  const code = codeOf(error);
  if (!isErrorCode(code)) return broken(error.stack ?? error.message);
  const hint = "hint" in error && typeof error.hint === "string" ? error.hint : undefined;
  return { message: error.message, code, hint, problems: [] };
}

function broken(message: string): ErrorParts {
  return {
    message: `queueproof itself broke: ${message}`,
    code: "HARNESS_BROKE",
    hint: "Report this with the command line that led to it.",
    problems: [],
  };
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(exitCodeOfError, code);
}
