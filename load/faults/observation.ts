import type { BookedJob, BookedRequest } from "../open-loop/job-book.ts";
import type { ToldExecution, WebhookCall } from "../open-loop/callback-receiver.ts";
import type { ShownCounts } from "../open-loop/health-counts.ts";
import type { FaultScenario } from "./fault-scenario.ts";

/** What jobs are there for, in a scenario with a fault. */
export type FaultRole =
  /** One of the steady load. */
  | "mix"
  /** Completed and read before the fault. */
  | "completed"
  /** Failed and read before the fault. */
  | "failed"
  /** Failed before, and retried again and again by the load. */
  | "retried"
  /** Cancelled before the fault. */
  | "cancelled"
  /** Taken out of the queue by a purge before the fault. */
  | "purged"
  /** Its ttl was over, in the queue, before the fault. */
  | "expired"
  /** At work when the fault happens. */
  | "working"
  /** Keeps the one worker busy, so that others wait. */
  | "occupying"
  /** At work, with an executionTimeout that ends after the fault. */
  | "timed"
  /** In the queue, with a ttl that ends after the fault. */
  | "waiting"
  /** Completed before the fault; its webhook was answered 500 once, so that another call is due. */
  | "called-again"
  /** A result of runsync from before the fault, and one from after it. */
  | "kept-before"
  | "kept-after"
  /** Kills its worker. */
  | "crashing";

export type FaultJob = BookedJob<FaultRole>;

/** Health of one endpoint before the first job and after the last one. */
export interface HealthChange {
  readonly endpointId: string;
  readonly before: ShownCounts | undefined;
  readonly after: ShownCounts | undefined;
}

/** All that was seen of one scenario with a fault. Times are milliseconds of the monotonic clock. */
export interface FaultObservation {
  readonly scenario: Pick<FaultScenario, "losesWork">;
  readonly jobs: readonly FaultJob[];
  readonly requests: readonly BookedRequest[];
  /** From when the fault was begun to when it had been ended. */
  readonly faultMs: readonly [number, number];
  /** The first answer after the end of the fault; undefined where none came. */
  readonly backMs: number | undefined;
  /** When looking ended. */
  readonly endedMs: number;
  readonly calls: readonly WebhookCall[];
  /** Absent where workers do not tell what they process. */
  readonly executions: readonly ToldExecution[] | undefined;
  readonly health: readonly HealthChange[];
  /** Whether jobs were still ending, one after the other, when looking ended. */
  readonly isDraining: boolean;
  /** Whether nobody else can have made jobs. */
  readonly isAlone: boolean;
  /** The endpoint of jobs whose time is looked at, with its policies; absent where there is none, and why. */
  readonly timers: { readonly executionTimeoutMs: number; readonly ttlMs: number } | undefined;
  /** Why there are no such jobs. */
  readonly noTimers?: string;
}
