import type { RequestOptions, RequestRules } from "../client/index.ts";
import type { Capability } from "../openapi/index.ts";
import type { Dialect } from "./dialects/index.ts";
import type { OwnJobKinds } from "./inputs/jobs-file.ts";

/** An endpoint that the user named, and how many workers it showed when the run began. */
export interface SeenEndpoint {
  readonly endpointId: string;
  readonly workersSeen: number;
}

/** A target as the run knows it: where it is, how to get in, what it offers. */
export interface Target {
  /** Service address, without `/v2` and without a slash at the end. */
  readonly baseUrl: string;
  /** The endpoint to share; absent where every check makes its own. */
  readonly endpointId?: string;
  readonly apiKey?: string;
  readonly foreignKey?: string;
  readonly controlUrl?: string;
  readonly capabilities: readonly Capability[];
  readonly webhookUrl?: string;
  /** Where the receiver listens; absent: the port of `webhookUrl`, or any free one. */
  readonly webhookPort?: number;
  /** How many workers the shared endpoint showed when the run began. */
  readonly workersSeen?: number;
  /** Endpoints of the same kind, on which checks that need one to themselves run side by side. */
  readonly otherEndpoints?: readonly SeenEndpoint[];
  /** How long one answer may take, 30 s when absent; runsync may use its wait on top of it. */
  readonly timeoutMs?: number;
  /** What it is held to; absent: the specification alone. */
  readonly dialect?: Dialect;
  /** What every request to the target carries, and how it is sent. */
  readonly requests?: RequestOptions;
  /** The rules for all requests, the same for every engine; set once the target was opened. */
  readonly rules?: RequestRules;
  /** What the endpoint's own workers can be asked to do; absent where the conformance handler runs, or nobody knows. */
  readonly jobs?: OwnJobKinds;
}
