import type { Fault } from "../../reference/faults.ts";
import { tell } from "../../reference/job.ts";
import type { Job } from "../../reference/job.ts";
import { fault, remembering } from "./builders/compose.ts";
import { isRunsync } from "./builders/jobs.ts";
import { type Change, override, result, whenever } from "./builders/member.ts";
import { withHomes } from "./builders/numbers.ts";

/** Bugs by which one request of runsync has to do with the wait of another. */
export const runsyncWaitFaults: readonly Fault[] = [
  fault("runsync/default-wait-is-the-one-before", ["SYNC-05"], {
    describe: "Without wait runsync waits for as long as the request before it asked for.",
    change: remembering<{ lastMs?: number | undefined }>({}, (memory) =>
      override("submission.waitMs", (waitMs) => (givenMs) => {
        memory.lastMs = givenMs ?? memory.lastMs;
        return waitMs(memory.lastMs);
      }),
    ),
  }),
  fault("runsync/wait-is-that-of-the-first-that-waits", ["SYNC-04"], {
    describe: "While a request of runsync waits, further ones wait for as long as it asked for.",
    change: withWaiting((waitingBeside) =>
      result("operations.waitsForMs", (waitMs, job) => waitingBeside(job)[0]?.waitMs ?? waitMs),
    ),
  }),
  fault("runsync/end-of-a-wait-ends-all", ["SYNC-04"], {
    describe: "When the wait of one request is over, all that wait are answered.",
    change: withWaiting((waitingBeside) =>
      whenever("operations.waitOverEvent", (job) => {
        for (const { waiters } of waitingBeside(job)) tell(waiters);
      }),
    ),
  }),
];

/** A change that knows the jobs of a job's endpoint whose requests wait beside it, the first one first. */
function withWaiting(use: (waitingBeside: (job: Job) => readonly Job[]) => Change): Change {
  return withHomes((homeOf) =>
    remembering(new Set<Job>(), (jobs) => [
      whenever("operations.waitsForJob", (job) => void (isRunsync(job) && jobs.add(job))),
      use((job) =>
        [...jobs].filter(
          (other) => other !== job && other.waiters.size > 0 && homeOf(other) === homeOf(job),
        ),
      ),
    ]),
  );
}
