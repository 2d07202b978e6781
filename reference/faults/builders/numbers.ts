import type { Job } from "../../job.ts";
import { remembering } from "./compose.ts";
import type { JobCondition } from "./conditions.ts";
import { type Change, result } from "./member.ts";

/** A change that knows the how many-th job of its endpoint each one is, from 1. */
export function withSequence(
  use: (sequenceOf: (job: Job) => number) => Change | readonly Change[],
): Change {
  return remembering(new Map<string, number>(), (numbers) => [
    result("submission.jobId", (id, _operation, _uuid, sequence) => {
      numbers.set(id, sequence);
      return id;
    }),
    ...[use((job) => numbers.get(job.id) ?? 0)].flat(),
  ]);
}

/** A change of what befalls every so many-th job of an endpoint. */
export function ofEvery(count: number, use: (isMeant: JobCondition) => Change): Change {
  return withSequence((sequenceOf) => use((job) => sequenceOf(job) % count === 0));
}

/** A change of what befalls the jobs of an endpoint after so many. */
export function ofThoseAfter(count: number, use: (isMeant: JobCondition) => Change): Change {
  return withSequence((sequenceOf) => use((job) => sequenceOf(job) > count));
}
