import type { Capability } from "../openapi/capabilities.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { Fact } from "../reports/model.ts";
import type { HeldMs } from "./endpoint/endpoint-lease.ts";
import type { EndpointSharing } from "./endpoint/shared-endpoints.ts";
import type { SeenWork } from "./inputs/own-jobs.ts";
import type { RequirementResult } from "./judge.ts";

/** The header of a check, as it is listed and shown while it runs. */
export interface CheckSummary {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly needs: readonly Capability[];
  readonly realTimeMs: number;
}

/**
 * What happens during a run, in order. A check that covers two requirements finishes with two results; one that is not
 * tried finishes without having been planned.
 */
export type RunEvent =
  /** How many checks are to be tried; sent once for the contract and once for load. */
  | {
      readonly type: "planned";
      readonly checks: number;
      /** The checks to be tried and how they share endpoints, where they do. */
      readonly sharing?: EndpointSharing & { readonly names: readonly string[] };
    }
  /** What was learned of the target before anything is judged, and by how many requests. */
  | {
      readonly type: "learned";
      readonly facts: readonly Fact[];
      readonly requests: number;
      readonly tookMs: number;
    }
  /** Something that was learned of the target while it was judged. */
  | { readonly type: "learned-later"; readonly fact: Fact }
  /** The target refused what came faster: the whole run slows down to so many requests a second. */
  | { readonly type: "slowed"; readonly perSecond: number }
  /** The jobs of a jobs file were tried, and took so long. */
  | { readonly type: "tried-jobs"; readonly seen: SeenWork }
  /** Until when the run may last, in milliseconds since 1970; sent again when more is known. */
  | { readonly type: "bounded"; readonly untilMs: number }
  /** A check that was planned is not tried after all. */
  | { readonly type: "left-out"; readonly check: string }
  | { readonly type: "started"; readonly check: CheckSummary }
  /** A running check does nothing until `untilMs`, in milliseconds since 1970. */
  | { readonly type: "waiting"; readonly check: string; readonly untilMs: number }
  | {
      readonly type: "ended";
      readonly check: string;
      readonly attempt: number;
      /** Whether it is run again, by itself, once all others have ended. */
      readonly isToRepeat: boolean;
      readonly heldMs: HeldMs;
    }
  | { readonly type: "finished"; readonly result: RequirementResult };

/** Who watches a run, and what stops it. */
export interface RunHooks {
  readonly onEvent?: (event: RunEvent) => void;
  readonly signal?: AbortSignal;
}
