import { authentication, type AuthenticationBehaviour } from "./behaviour/authentication.ts";
import { lifecycle, type LifecycleBehaviour } from "./behaviour/lifecycle.ts";
import { limits, type LimitsBehaviour } from "./behaviour/limits.ts";
import { operations, type OperationsBehaviour } from "./behaviour/operations.ts";
import { origin, type OriginBehaviour } from "./behaviour/origin.ts";
import { retention, type RetentionBehaviour } from "./behaviour/retention.ts";
import { stream, type StreamBehaviour } from "./behaviour/stream.ts";
import { surface, type SurfaceBehaviour } from "./behaviour/surface.ts";
import { submission, type SubmissionBehaviour } from "./behaviour/submission.ts";
import { transport, type TransportBehaviour } from "./behaviour/transport.ts";
import { webhook, type WebhookBehaviour } from "./behaviour/webhook.ts";

/**
 * Every number of the API and every decision somebody could get wrong. The rest of this folder only
 * interprets it, so that a fault is a change of one or two members and nothing else.
 */
export interface Behaviour {
  readonly authentication: AuthenticationBehaviour;
  readonly submission: SubmissionBehaviour;
  readonly lifecycle: LifecycleBehaviour;
  readonly retention: RetentionBehaviour;
  readonly operations: OperationsBehaviour;
  readonly stream: StreamBehaviour;
  readonly webhook: WebhookBehaviour;
  readonly limits: LimitsBehaviour;
  readonly transport: TransportBehaviour;
  readonly surface: SurfaceBehaviour;
  readonly origin: OriginBehaviour;
}

/** What the specification wants, with the readings of docs/decisions where it is silent. */
export const specified: Behaviour = {
  authentication,
  submission,
  lifecycle,
  retention,
  operations,
  stream,
  webhook,
  limits,
  transport,
  surface,
  origin,
};

/** Members of some groups, each to take the place of the one of the same name. */
export type BehaviourChange = {
  readonly [Group in keyof Behaviour]?: Partial<Behaviour[Group]>;
};

/** `behaviour` with the members of `change` in place of its own. */
export function changed(behaviour: Behaviour, change: BehaviourChange): Behaviour {
  return {
    authentication: { ...behaviour.authentication, ...change.authentication },
    submission: { ...behaviour.submission, ...change.submission },
    lifecycle: { ...behaviour.lifecycle, ...change.lifecycle },
    retention: { ...behaviour.retention, ...change.retention },
    operations: { ...behaviour.operations, ...change.operations },
    stream: { ...behaviour.stream, ...change.stream },
    webhook: { ...behaviour.webhook, ...change.webhook },
    limits: { ...behaviour.limits, ...change.limits },
    transport: { ...behaviour.transport, ...change.transport },
    surface: { ...behaviour.surface, ...change.surface },
    origin: { ...behaviour.origin, ...change.origin },
  };
}
