import type { Job } from "../../../reference/job.ts";
import type { Destination, TransitionEvent } from "../../../reference/transitions.ts";
import { always, at, type JobCondition } from "./conditions.ts";
import { instead, whenever, withArguments, type Change } from "./member.ts";

/** Lets an event move jobs for which `condition` holds to `destination`. */
export function onEvent(
  event: TransitionEvent,
  destination: Destination,
  condition: JobCondition = always,
): Change {
  return instead("lifecycle.next", destination, at(event, condition));
}

/** Refuses an event for jobs for which `condition` holds. */
export function refuseEvent(event: TransitionEvent, condition: JobCondition = always): Change {
  return instead("lifecycle.next", undefined, at(event, condition));
}

/** Treats an event as another one for jobs for which `condition` holds. */
export function takeEventAs(
  event: TransitionEvent,
  other: TransitionEvent,
  condition: JobCondition = always,
): Change {
  const isTaken = at(event, condition);
  return withArguments("lifecycle.next", (job, given) => [
    job,
    isTaken(job, given) ? other : given,
  ]);
}

/** Runs `effect` on a job just before an event is decided, whether the event is refused or not. */
export function atEvent(
  event: TransitionEvent,
  effect: (job: Job) => void,
  condition: JobCondition = always,
): Change {
  const isMeant = at(event, condition);
  return whenever("lifecycle.next", (job, given) => {
    if (isMeant(job, given)) effect(job);
  });
}

/** Runs the handler again, after each of the delays, when an event happens to jobs for which `condition` holds. */
export function runningAgain(
  event: TransitionEvent,
  delaysMs: readonly number[],
  condition: JobCondition = always,
): Change {
  return instead("lifecycle.unseenRuns", delaysMs, at(event, condition));
}
