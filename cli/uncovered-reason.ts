import { isOfLoad } from "../openapi/requirements.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { decidedByReason, noCheckReason, notSelectedReason } from "../reports/not-run.ts";
import type { ContractCommandSettings, RunCommand } from "./settings/contract.ts";
import { selectedIds } from "./settings/selection.ts";

/** Returns the reason why a run of this command does not decide a requirement. */
export function uncoveredReason(
  id: RequirementId,
  selection: Pick<ContractCommandSettings, "only" | "skip">,
  command: RunCommand,
): string {
  if (!selectedIds(selection).has(id)) return notSelectedReason;
  const isLoad = isOfLoad(id);
  if (isLoad && command === "load") return "the scenarios that were named do not decide it";
  if (command === "contract" && isLoad) return decidedByReason(["load", "run"]);
  if (command === "load" && !isLoad) return decidedByReason(["contract", "run"]);
  return noCheckReason;
}
