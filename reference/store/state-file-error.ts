/** A state file that cannot be used; `hint` says what to do about it. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
  readonly code = "STATE_FILE";
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}

export function damagedError(path: string, cause: unknown): StateFileError {
  return new StateFileError(
    `the state file ${path} is damaged: ${messageOf(cause)}`,
    "Put a copy of it back, or give --state another path to start with nothing.",
    cause,
  );
}

export function unwrittenError(path: string, cause: unknown): StateFileError {
  return new StateFileError(
    `the state file ${path} could not be written: ${messageOf(cause)}`,
    "Look whether the file was moved or removed, and whether the disk is full. What was answered before is kept.",
    cause,
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
