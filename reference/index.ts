export { changed, specified, type Behaviour, type BehaviourChange } from "./behaviour.ts";
export { inDialect, referenceDialects } from "./dialects.ts";
export type { OwnLimits } from "./limits.ts";
export type { NewEndpoint } from "./service.ts";
export {
  clientFaultNamed,
  clientFaults,
  delaying,
  failing,
  type ClientFault,
} from "./client-faults.ts";
export { servedFaults, type Fault } from "./faults.ts";
export { startReference } from "./start-reference.ts";
export type { Reference, ReferenceOptions } from "./start-reference.ts";
