import type { WebhookOutcome } from "../../../reference/behaviour/webhook.ts";
import type { Job } from "../../../reference/job.ts";
import type { TransitionEvent } from "../../../reference/transitions.ts";
import { remembering, type Changes } from "./compose.ts";
import { always, type JobCondition } from "./conditions.ts";
import { atEvent } from "./events.ts";
import { whenever, type Change } from "./member.ts";

/** What a change makes of the knowledge which jobs are marked. */
type Use = (isMarked: JobCondition) => Changes;

/** A change that knows the jobs that `watch` has marked by then, each while `condition` held of it. */
export function marking(
  watch: (mark: (job: Job) => void) => Change,
  use: Use,
  condition: JobCondition = always,
): Change {
  // The watch comes last, so that no other change of the same member takes a call away from it.
  return remembering(new Set<Job>(), (marked) => [
    use((job) => marked.has(job)),
    watch((job) => void (condition(job) && marked.add(job))),
  ]);
}

/** A change that knows the jobs to which an event happened while `condition` held, also where it was refused. */
export function afterEvent(event: TransitionEvent, condition: JobCondition, use: Use): Change {
  return marking((mark) => atEvent(event, mark), use, condition);
}

/** A change that knows the jobs to which status gave a ttl while `condition` held. */
export function afterTtlOfStatus(condition: JobCondition, use: Use): Change {
  return marking(
    (mark) => whenever("operations.ttlEndsAtMs", (_ttlMs, job) => mark(job)),
    use,
    condition,
  );
}

/** A change that knows the jobs of an endpoint for which `condition` held when its queue was purged. */
export function afterPurge(condition: JobCondition, use: Use): Change {
  return marking((mark) => whenever("operations.purges", mark), use, condition);
}

/** A change that knows the jobs for which `condition` held when the wait of their runsync was over. */
export function afterWait(condition: JobCondition, use: Use): Change {
  return marking((mark) => whenever("operations.waitOverEvent", mark), use, condition);
}

/** A change that knows the jobs of runsync whose client broke off while it waited. */
export function afterBreakingOff(use: Use): Change {
  return marking((mark) => whenever("operations.brokenOffEvent", mark), use);
}

/** A change that knows the jobs of which a webhook call had an outcome for which `condition` holds. */
export function afterCall(condition: (outcome: WebhookOutcome) => boolean, use: Use): Change {
  return marking(
    (mark) =>
      whenever("webhook.acknowledges", (outcome) => {
        if (condition(outcome)) mark(outcome.job);
      }),
    use,
  );
}
