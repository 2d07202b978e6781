import type { RequestOptions, RequestRules } from "../client/request-rules.ts";
import type { Capability } from "../openapi/capabilities.ts";
import type { Dialect } from "./dialects/schema.ts";
import type { Discovery } from "./discovery/discovery.ts";
import type { Pace } from "./endpoint/pace.ts";
import type { OwnJobKinds } from "./inputs/jobs-file.ts";

/** Where the target is and what the user says of it. */
export interface TargetSettings {
  /** Service address, without `/v2`. */
  readonly baseUrl: string;
  readonly controlUrl?: string;
  /** The endpoint to share; absent where every check makes its own. */
  readonly endpointId?: string;
  /** More endpoints of the same kind, with the same key. */
  readonly otherEndpointIds?: readonly string[];
  readonly apiKey?: string;
  readonly foreignKey?: string;
  /** What the user declares the target to offer. */
  readonly capabilities: readonly Capability[];
  readonly webhookUrl?: string;
  /** Where the receiver listens; absent: the port of `webhookUrl`, or any free one. */
  readonly webhookPort?: number;
  /** How long one answer may take, 30 s when absent; runsync may use its wait on top of it. */
  readonly timeoutMs?: number;
  /** What the target is held to; absent: the specification alone. */
  readonly dialect?: Dialect;
  /** How many requests a second the target takes; absent: that is found out where it refuses some. */
  readonly requestsPerSecond?: number;
  /** Whether the run adapts to what it learns of the target, true when absent (--no-discovery). */
  readonly discovers?: boolean;
  /** What every request to the target carries, and how it is sent. */
  readonly requests?: RequestOptions;
  /** What the endpoint's own workers can be asked to do; not needed where the conformance handler runs. */
  readonly jobs?: OwnJobKinds;
}

/** An endpoint that the user named, and how many workers it showed when the run began. */
export interface SeenEndpoint {
  readonly endpointId: string;
  readonly workersSeen: number;
}

/**
 * A target as the run knows it. Its address has no slash at the end, its capabilities are all that it offers, and it has
 * jobs only where the conformance handler does not run.
 */
export interface Target extends TargetSettings {
  /** How many workers the shared endpoint showed when the run began. */
  readonly workersSeen?: number;
  /** Endpoints of the same kind, on which checks that need one to themselves run side by side. */
  readonly otherEndpoints?: readonly SeenEndpoint[];
  /** What was learned of it. */
  readonly discovery?: Discovery;
  /** How fast it may be asked. */
  readonly pace?: Pace;
  /** The rules for all requests, the same for every engine; set once the target was opened. */
  readonly rules?: RequestRules;
}

/** A target that was opened, with what a run learns of it. */
export type OpenedTarget = Target & Required<Pick<Target, "discovery" | "pace" | "rules">>;
