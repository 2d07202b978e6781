/** Ends a check without a verdict: the reason says what could not be brought about or known. */
export class Undecided extends Error {
  override readonly name = "Undecided";
}

/**
 * Ends a check that this target can never decide for this machine: it was tried as far as it can be.
 * The reason says what was measured or is missing, and what would show it.
 */
export class Undecidable extends Undecided {}

/** What a request needs first may be refused, too: then run, tried by itself, tells of it. */
export async function unlessUndecided<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}
