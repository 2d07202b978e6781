import type { RequirementId } from "../../../openapi/index.ts";
import type { Fault } from "../../fault.ts";

/** A row of a table of faults: its name, what it breaks, what is wrong in one sentence, and how. */
export function fault(
  name: `${string}/${string}`,
  breaks: readonly RequirementId[],
  { describe, change }: Pick<Fault, "describe" | "change">,
): Fault {
  return { name, breaks, describe, change };
}
