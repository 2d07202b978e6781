import type { Capability } from "../../openapi/capabilities.ts";

/** The facts of a target that decide how much a check has to send. */
export interface Situation {
  /** Whether each check gets an endpoint of its own; else all share one. */
  readonly makesEndpoints: boolean;
  offers(capability: Capability): boolean;
}

/** The situation in which most is sent: the target offers everything. */
export const allCapabilitiesOffered: Situation = { makesEndpoints: true, offers: () => true };
