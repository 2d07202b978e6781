/** A state file that cannot be used, with what to do about it. Nothing of the file has been changed. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
  readonly code = "STATE_FILE";
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}
