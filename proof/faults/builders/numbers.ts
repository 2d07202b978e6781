import type { Job } from "../../../reference/job.ts";
import { remembering, type Changes } from "./compose.ts";
import type { JobCondition } from "./conditions.ts";
import { type Change, result } from "./member.ts";

/** A change that knows the number of each job within its endpoint, counted from 1. */
export function withSequence(use: (sequenceOf: (job: Job) => number) => Changes): Change {
  return remembering(new Map<string, number>(), (numbers) => [
    result("submission.jobId", (id, _operation, _uuid, sequence) => {
      numbers.set(id, sequence);
      return id;
    }),
    use((job) => numbers.get(job.id) ?? 0),
  ]);
}

/** A change that concerns every `count`-th job of an endpoint. */
export function ofEvery(count: number, use: (isMeant: JobCondition) => Changes): Change {
  return withSequence((sequenceOf) => use((job) => sequenceOf(job) % count === 0));
}

/** A change that concerns the jobs of an endpoint after the first `count`. */
export function ofThoseAfter(count: number, use: (isMeant: JobCondition) => Changes): Change {
  return withSequence((sequenceOf) => use((job) => sequenceOf(job) > count));
}

/** A change that knows the endpoint of each job. */
export function withHomes(use: (homeOf: (job: Job) => string) => Changes): Change {
  return remembering(new Map<string, string>(), (homes) => [
    result("submission.jobId", (id, ...[, , , endpointId]) => {
      homes.set(id, endpointId);
      return id;
    }),
    use((job) => homes.get(job.id) ?? ""),
  ]);
}
