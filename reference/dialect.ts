import type { Behaviour, BehaviourChange } from "./behaviour.ts";

/** How a service that is not ours speaks: a change of behaviour, unlike a variation not all of it conforms. */
export interface ReferenceDialect {
  readonly name: string;
  readonly change: (behaviour: Behaviour) => BehaviourChange;
}
