import type { OperationName } from "../../../openapi/operations.ts";
import type { Job } from "../../../reference/job.ts";
import { all, given } from "./compose.ts";
import { except, result, type Change } from "./member.ts";

/** Keeps jobs for twice their retention, but shows them in the second half only where `isMeant` holds. */
export function keepLongerFor(isMeant: (job: Job, operation: OperationName) => boolean): Change {
  return given(({ retention }) =>
    all(
      except(
        "retention.shows",
        (job, operation, nowMs) =>
          !isMeant(job, operation) && isExpired(job, nowMs, retention.keptMs(job)),
      ),
      result("retention.keptMs", (keptMs) => 2 * keptMs),
    ),
  );
}

function isExpired({ finishedAtMs }: Job, nowMs: number, keptMs: number): boolean {
  return finishedAtMs !== undefined && nowMs >= finishedAtMs + keptMs;
}
