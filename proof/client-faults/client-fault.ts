import type { RequirementId } from "../../openapi/requirements.ts";

/** A bug that somebody would write, as a change of the example's text. */
export interface ProgramFault {
  readonly name: string;
  readonly caughtBy: RequirementId;
  /** In job-client.ts, or in main.ts where that is named; the first text is there exactly once. */
  readonly changes: readonly (readonly [from: string, to: string])[];
}

/** One change. */
export function fault(
  caughtBy: RequirementId,
  name: string,
  from: string,
  to: string,
): ProgramFault {
  return { name, caughtBy, changes: [[from, to]] };
}
