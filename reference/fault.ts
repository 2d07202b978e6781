import type { RequirementId } from "../openapi/index.ts";
import type { Behaviour, BehaviourChange } from "./behaviour.ts";

/** A bug somebody could ship, as data. */
export interface Fault {
  /** `area/what-is-wrong`, unique and kept for ever. */
  readonly name: string;
  /** The requirements that no longer hold; a suite has to find at least one of them. */
  readonly breaks: readonly RequirementId[];
  /** The bug in one sentence. */
  readonly describe: string;
  /**
   * What the bug changes of a behaviour that keeps the specification. It is called anew for each
   * server, so what it remembers in a closure belongs to that server alone.
   */
  readonly change: (behaviour: Behaviour) => BehaviourChange;
}
