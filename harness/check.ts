import { requirements } from "../openapi/requirements.ts";
import type { Capability } from "../openapi/capabilities.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { EndpointOptions } from "../client/control-client.ts";
import type { CheckContext, ObservingContext } from "./check-context.ts";
import type { WorkLength } from "./inputs/jobs.ts";

/** What can be read of a check, contract or load, without running it. */
export interface CheckHeader {
  /** Area and name, unique and stable: `cancel/queued-job-never-processed`. */
  readonly name: string;
  /** One sentence about the target, in the present tense. */
  readonly title: string;
  /** An expectation that names no requirement is about the first one. */
  readonly covers: readonly [RequirementId, ...RequirementId[]];
  /** Absent: what the covered requirements need. */
  readonly needs?: readonly Capability[];
  /** How long a slow job of a jobs file has to work at least, in milliseconds; absent: 2000. */
  readonly slowMs?: number;
  /** How long it takes on a real clock, in milliseconds. Absent: the longest time of the covered requirements. */
  readonly realTimeMs?: number;
  /** Whether it sends so many thousand requests that it runs only where the time budget has no limit. */
  readonly thorough?: boolean;
}

/** One unit of the suite: a header, and one function. */
export type Check = ActingCheck | ObservingCheck;

/** A check that asks the target something. */
export interface ActingCheck extends CheckNeeds {
  readonly run: (context: CheckContext) => Promise<void>;
  readonly observe?: undefined;
}

/** A check that sends nothing and judges what the other checks observed: it runs last, also where a run was cut short. */
export interface ObservingCheck extends CheckNeeds {
  readonly observe: (context: ObservingContext) => void;
  readonly run?: undefined;
}

/** What a check asks of the run that it is a part of. */
interface CheckNeeds extends CheckHeader {
  /** Whether it needs the endpoint alone: it counts or empties things that other checks would disturb. */
  readonly exclusive?: boolean;
  /** Whether it stalls the workers, so that its jobs wait. On a shared endpoint such checks share a stall. */
  readonly stalls?: boolean;
  /** How long a shared stall may last, in milliseconds. Absent: as long as any of the checks that share it needs. */
  readonly stallMsMax?: number;
  /** How often it purges the queue. On a shared endpoint it starts when the limit on purge-queue allows so many. */
  readonly purges?: number;
  /** Whether it tests that operations answer in time: it also calls those that the run no longer calls. */
  readonly insists?: boolean;
  /**
   * How many megabytes it moves at once. Where checks have endpoints of their own, only one such check runs at a time,
   * the largest first, to save memory of this process and of the target.
   */
  readonly megabytes?: number;
  /** Whether it takes the target's own time on a virtual clock, too: the target waits for a silent webhook receiver. */
  readonly waitsForTarget?: boolean;
  /** The options of its fresh endpoint, where the target makes fresh ones. */
  readonly endpoint?: EndpointOptions;
}

/** The capabilities without which the check cannot be run, sorted, each once. */
export function needsOf(check: CheckHeader): readonly Capability[] {
  if (check.needs !== undefined) return check.needs;
  const all = check.covers.flatMap((id) => requirements[id].needs);
  return [...new Set(all)].toSorted();
}

const slowMsDefault = 2000;

/** How long a slow job has to work for the check; undefined where it needs none. */
export function slowMsOf(check: CheckHeader): number | undefined {
  return needsOf(check).includes("slow") ? (check.slowMs ?? slowMsDefault) : undefined;
}

/** How long the check takes on a real clock, in milliseconds. */
export function realTimeOf(check: CheckHeader): number {
  return check.realTimeMs ?? Math.max(...check.covers.map((id) => requirements[id].realTimeMs));
}

/** A check that takes this long on a real clock counts as long. */
const longCheckMs = 5000;

/**
 * Whether the check keeps a worker busy for long on a real clock, unless it only waits: by its own time, or by a slow
 * job of a jobs file.
 * @param slow how long such a job works; undefined where jobs do as the check asks
 */
export function isLong(check: CheckHeader, slow: WorkLength | undefined): boolean {
  if (realTimeOf(check) >= longCheckMs) return true;
  return slowMsOf(check) !== undefined && slow !== undefined && slow.atMostMs >= longCheckMs;
}
