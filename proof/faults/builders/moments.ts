import type { Job } from "../../../reference/job.ts";
import type { TransitionEvent } from "../../../reference/transitions.ts";
import { remembering, type Changes } from "./compose.ts";
import type { JobCondition } from "./conditions.ts";
import { type Change, result } from "./member.ts";

/**
 * Requests within this real time count as simultaneous, whatever the endpoint's clock: long enough for a busy machine.
 */
export const MOMENT_MS = 1_000;

/** A change that shows only within MOMENT_MS after an event that was accepted. */
export function justAfter(
  event: TransitionEvent,
  change: (isRace: JobCondition) => Changes,
): Change {
  return remembering(new Map<Job, number>(), (atMs) => [
    result("lifecycle.next", (destination, job, given) => {
      if (given === event && destination !== undefined) atMs.set(job, performance.now());
      return destination;
    }),
    change((job) => performance.now() - (atMs.get(job) ?? -Infinity) < MOMENT_MS),
  ]);
}

/** Whether a job ran at least until the last millisecond of the time that its input asked for. */
export function hasAllButEnded({ startedAtMs, finishedAtMs, submission }: Job): boolean {
  const ms = submission.input["ms"];
  if (startedAtMs === undefined || finishedAtMs === undefined || typeof ms !== "number")
    return false;
  return finishedAtMs - startedAtMs >= ms - 1;
}
