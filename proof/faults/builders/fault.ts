import type { RequirementId } from "../../../openapi/requirements.ts";
import type { Fault } from "../../../reference/faults.ts";

/** Makes a row of a table of faults: its name, the requirements it breaks, what is wrong, and the change. */
export function fault(
  name: `${string}/${string}`,
  breaks: readonly RequirementId[],
  { describe, change }: Pick<Fault, "describe" | "change">,
): Fault {
  return { name, breaks, describe, change };
}
