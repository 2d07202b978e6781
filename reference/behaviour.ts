import { authentication } from "./behaviour/authentication.ts";
import { lifecycle } from "./behaviour/lifecycle.ts";
import { limits } from "./behaviour/limits.ts";
import { operations } from "./behaviour/operations.ts";
import { origin } from "./behaviour/origin.ts";
import { retention } from "./behaviour/retention.ts";
import { stream } from "./behaviour/stream.ts";
import { surface } from "./behaviour/surface.ts";
import { submission } from "./behaviour/submission.ts";
import { transport } from "./behaviour/transport.ts";
import { webhook } from "./behaviour/webhook.ts";

/** What the specification wants, with the readings of docs/decisions where it is silent. */
export const specified = {
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

/**
 * Every number of the API and every decision somebody could get wrong. The rest of this folder only
 * interprets it, so that a fault is a change of one or two members and nothing else.
 */
export type Behaviour = {
  readonly [Group in keyof typeof specified]: Readonly<(typeof specified)[Group]>;
};

/** Members of some groups, each to take the place of the one of the same name. */
export type BehaviourChange = {
  readonly [Group in keyof Behaviour]?: Partial<Behaviour[Group]>;
};

/** `behaviour`, or another change, with the members of `change` in place of its own. */
export function changed(behaviour: Behaviour, change: BehaviourChange): Behaviour;
export function changed(behaviour: BehaviourChange, change: BehaviourChange): BehaviourChange;
export function changed(behaviour: object, change: object): object {
  const groups = new Map<string, object>(Object.entries(behaviour));
  for (const [group, members] of new Map<string, object>(Object.entries(change))) {
    groups.set(group, { ...groups.get(group), ...members });
  }
  return Object.fromEntries(groups);
}
