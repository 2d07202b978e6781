import { requirements } from "../openapi/index.ts";
import type { Capability, RequirementId } from "../openapi/index.ts";
import type { EndpointOptions } from "../client/index.ts";
import type { CheckContext } from "./check-context.ts";

/** What can be read of a check, of a contract or of load, without running it. */
export interface CheckHeader {
  /** Area and name, unique and stable: `cancel/queued-job-never-starts`. */
  readonly name: string;
  /** One sentence about the target, in the present tense. */
  readonly title: string;
  /** The first one is what an expectation is about when it names none. */
  readonly covers: readonly [RequirementId, ...RequirementId[]];
  /** Absent: what the covered requirements need. */
  readonly needs?: readonly Capability[];
  /** How long a slow job of its owner's has to work at least, in milliseconds; absent: 2 s. */
  readonly slowMs?: number;
  /** What it takes on a real clock. Absent: the longest time of the covered requirements. */
  readonly realTimeMs?: number;
}

/** One unit of the suite: a header, and one function. */
export interface Check extends CheckHeader {
  /** It counts or empties things that other checks on the same endpoint would disturb. */
  readonly exclusive?: boolean;
  /** Its jobs wait while no worker is free: on a shared endpoint together with those of other such checks. */
  readonly stalls?: boolean;
  /** How long a stall may last that it shares, in milliseconds. Absent: as long as any of those checks needs it. */
  readonly stallMsMax?: number;
  /** How many times it purges the queue: its turn comes when the limit on purge-queue has room for that. */
  readonly purges?: number;
  /** Whether an operation answers in time is what it is about: it asks also one that the run asks no more. */
  readonly insists?: boolean;
  /**
   * How many megabytes it moves at once: no other such check does so meanwhile, and the largest comes first, for the
   * memory of this process and the target's.
   */
  readonly megabytes?: number;
  /** It waits for the target's own time also where the endpoint's is virtual: for a receiver that says nothing. */
  readonly waitsForTarget?: boolean;
  /** It asks nothing itself and judges what the other checks were answered: it comes last. */
  readonly observes?: boolean;
  /** How its fresh endpoint is made, where fresh endpoints can be made. */
  readonly endpoint?: EndpointOptions;
  readonly run: (context: CheckContext) => Promise<void>;
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
