import type { EndpointOptions } from "../client/control-client.ts";
import type { Capability } from "../openapi/capabilities.ts";
import type { OperationName } from "../openapi/operations.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { Lackable } from "./dialects/schema.ts";
import type { History } from "./history.ts";
import type { TestEndpoint } from "./endpoint/test-endpoint.ts";
import type { Expectations } from "./expect.ts";
import type { Hooks } from "./webhooks/receiver.ts";
import type { Recorder } from "./evidence/recorder.ts";
import type { EndpointHandle } from "./endpoint/clock-modes.ts";
import type { EndpointWorkers } from "./endpoint/workers.ts";
import type { Payloads } from "./jobs/payload.ts";

/** What a check's function receives: the endpoint it works on, and everything it may do there. */
export interface CheckContext extends EndpointHandle, ObservingContext {
  readonly workers: EndpointWorkers;
  readonly endpoint: TestEndpoint;
  /** Makes submissions of megabytes. */
  readonly payloads: Payloads;
  /** Whether the target offers a capability, for a check that can do more where it is there. */
  readonly offers: (capability: Capability) => boolean;
  /** Whether the target is known not to have an operation. */
  readonly lacks: (operation: OperationName) => boolean;
  /** Whether the target is held to a requirement: no dialect, and nothing that was learned, says that it cannot be. */
  readonly isHeldTo: (id: RequirementId) => boolean;
  /** Ends the check where the target is known not to have an operation, or to call no webhook. */
  readonly demand: (what: Lackable) => void;
  /** Another fresh endpoint, freed when the check ends; only where the target offers `endpoints`. */
  readonly anotherEndpoint: (options?: EndpointOptions) => Promise<TestEndpoint>;
  /** The receiver of webhooks; only where the target offers `webhook`. */
  readonly receiver: () => Promise<Hooks>;
  /** Returns a number from 0 to below 1; the run's seed and the check's name determine the sequence. */
  readonly random: () => number;
}

/** What a check's function receives that only judges what others observed. */
export interface ObservingContext {
  readonly expect: Expectations;
  /** Everything that the checks of this run have observed so far. */
  readonly history: History;
  /** What this check did and found; a check may add steps and evidence of its own. */
  readonly recorder: Recorder;
}
