/** Ends a check without a verdict: the reason says what could not be brought about or known. */
export class Inconclusive extends Error {
  override readonly name = "Undecided";
}

/**
 * Ends a check that this target can never decide for this machine: it was tried as far as it can be.
 * The reason says what was measured or is missing, and what would show it.
 */
export class Undecidable extends Inconclusive {}

/** What a request needs first may be refused, too: then run, tried by itself, tells of it. */
export async function unlessInconclusive<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof Inconclusive) return undefined;
    throw error;
  }
}
