import type { Capability } from "./capabilities.ts";
import type { Judged, Profile } from "./profiles.ts";
import { type areas, requirementTable } from "./generated/requirements.ts";

export { areas, catalogueIdentities } from "./generated/requirements.ts";

/** The id of an entry of the catalogues of servers, clients and workers. One that does not exist does not compile. */
export type RequirementId = keyof typeof requirementTable;

export type Area = (typeof areas)[number];

/** must: the specification says it; implied: it follows; open: silent or contradictory, so every accepted reading conforms. */
export type Level = (typeof levels)[number];
export const levels = ["must", "implied", "open"] as const;

/** One normative statement of the specification. */
export interface Requirement {
  readonly id: RequirementId;
  readonly area: Area;
  /** Whom it judges. */
  readonly catalogue: Judged;
  readonly profile: Profile;
  /** Whether it is in the extended part of its profile: to show it takes more than a plain server with its owner's jobs. */
  readonly isExtended: boolean;
  readonly level: Level;
  readonly text: string;
  /** The section of docs/specification.md that speaks of it. */
  readonly section: string;
  /** What the target has to offer before it can be decided. */
  readonly needs: readonly Capability[];
  /** How long it takes to check on a real clock, in milliseconds; 0 where that is not worth naming. */
  readonly realTimeMs: number;
  /** The readings of an open requirement that conform; empty otherwise. */
  readonly accepts: readonly string[];
  /** Of a client's: whether requests alone show it, or also what its program made of the answers. */
  readonly decided?: "traffic" | "outcome";
  /** Of a client's: what the program has to be able to do; empty: any of them shows it. */
  readonly tasks?: readonly string[];
  /** Of a worker's: what the user's tests have to offer; empty: any test shows it. */
  readonly testsNeeded?: readonly string[];
}

/** The catalogues, by id. */
export const requirements: { readonly [Id in RequirementId]: Requirement } = requirementTable;

/** Every id of the servers' catalogue, in its order. */
export const requirementIds: readonly RequirementId[] = idsThatJudge("server");

/** Every id of a catalogue, in its order. */
export function idsThatJudge(judged: Judged): readonly RequirementId[] {
  return Object.values(requirements)
    .filter(({ catalogue }) => catalogue === judged)
    .map(({ id }) => id);
}

/** The requirements of a profile, in the order of the catalogue. */
export function idsOfProfile(name: Profile): readonly RequirementId[] {
  return Object.values(requirements)
    .filter(({ profile }) => profile === name)
    .map(({ id }) => id);
}

/** Tells whether a text is the id of an entry. */
export function isRequirementId(text: string): text is RequirementId {
  return Object.hasOwn(requirements, text);
}

/** Whether a requirement is about rate limits or concurrency caps, which only checks of load decide. */
export function isOfLoad(id: RequirementId): boolean {
  const { area } = requirements[id];
  return area === "rate" || area === "concurrency";
}
