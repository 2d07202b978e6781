import type { RequirementId } from "../../openapi/requirements.ts";
import type { Behaviour, BehaviourChange } from "../../reference/behaviour.ts";

/** A way in which a server may differ from this one and still keep the specification. */
export interface Variation {
  /** `topic/what-is-different`, unique and kept for ever. */
  readonly name: string;
  /** The difference in one sentence. */
  readonly describe: string;
  /** The readings of open requirements that a suite has to see where this difference is. */
  readonly shows?: { readonly [Id in RequirementId]?: string };
  /** Called anew for each server, as the change of a fault is. */
  readonly change: (behaviour: Behaviour) => BehaviourChange;
}

/** Makes a row of a table of variations. */
export function variation(name: `${string}/${string}`, row: Omit<Variation, "name">): Variation {
  return { name, ...row };
}
