import { requirementIds, requirements } from "../../openapi/requirements.ts";
import type { Area, RequirementId } from "../../openapi/requirements.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { Deviations, Lackable } from "./schema.ts";

/** The requirements about one operation, or about webhooks: its own area, and entries of other areas. None is about a state alone. */
const spokenOf: { readonly [Name in Lackable]: readonly (Area | RequirementId)[] } = {
  run: ["run", "RATE-02", "CONC-02"],
  runsync: ["runsync", "RATE-01", "CONC-01"],
  status: ["status", "RATE-03", "CONC-03"],
  stream: ["stream", "RATE-04", "CONC-04"],
  cancel: ["cancel", "RATE-05", "CONC-05"],
  retry: ["retry"],
  "purge-queue": ["purge", "RATE-06"],
  health: ["health"],
  openai: ["RATE-07", "CONC-06"],
  requests: ["RATE-08", "CONC-07"],
  webhook: ["webhook", "SUBM-06"],
  IN_PROGRESS: [],
};

/** The requirements that a service cannot fulfil, each with what it is known to lack. */
export function lackingOf(deviations: Deviations): ReadonlyMap<RequirementId, string> {
  const { lacks = [], basePath, authorization, lacksRequirements = {} } = deviations;
  const reasons = new Map<RequirementId, string>();
  for (const name of lacks) {
    for (const id of idsOf(name)) reasons.set(id, absenceOf(name));
  }
  if (basePath !== undefined && !basePath.includes(endpointMark)) {
    for (const id of ["ENDP-01", "ENDP-02"] as const) {
      reasons.set(id, "paths do not name an endpoint");
    }
  }
  if (authorization === "none") reasons.set("AUTH-06", "no authorization is asked for");
  for (const id of requirementIds) {
    const why = lacksRequirements[id];
    if (why !== undefined) reasons.set(id, why);
  }
  return reasons;
}

/** Says that the target lacks an operation, webhooks, or a state. */
export function absenceOf(name: Lackable): string {
  if (name === "IN_PROGRESS") return "no job is shown IN_PROGRESS";
  return name === "webhook" ? "no webhook is called" : `there is no ${name}`;
}

/** Stands for the endpoint's id in a base path. */
export const endpointMark = "{endpointId}";

/** Whether a requirement speaks of one operation alone. */
export function isAbout(id: RequirementId, name: OperationName): boolean {
  return idsOf(name).includes(id);
}

function idsOf(name: Lackable): readonly RequirementId[] {
  const of = new Set<string>(spokenOf[name]);
  return requirementIds.filter((id) => of.has(id) || of.has(requirements[id].area));
}
