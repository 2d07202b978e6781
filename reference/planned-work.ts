import type { Clock } from "./clock.ts";
import type { Timer } from "./timer-queue.ts";
import type { WorkPlan } from "./handler.ts";
import type { Work, WorkReport } from "./work.ts";

/** Work of the built-in handler: a plan, turned into timers. What takes no time has happened when this returns. */
export function beginPlanned(plan: WorkPlan, clock: Clock, report: WorkReport): Work {
  const startedAtMs = clock.nowMs();
  let step: Pick<Timer, "cancel"> | undefined;
  const end = (): void => report.ended(plan.ending);

  /** Yields every chunk that is due, then waits for the next one or for the end. */
  const proceed = (firstIndex: number): void => {
    const workedMs = clock.nowMs() - startedAtMs;
    let index = firstIndex;
    while (index < plan.chunkCount && (index + 1) * plan.chunkIntervalMs <= workedMs) {
      report.chunk(plan.chunkAt(index), index === plan.chunkCount - 1);
      index += 1;
    }
    if (index < plan.chunkCount) {
      const atMs = startedAtMs + (index + 1) * plan.chunkIntervalMs;
      step = clock.schedule(atMs, () => proceed(index));
    } else if (plan.endsAfterMs > workedMs) {
      step = clock.schedule(startedAtMs + plan.endsAfterMs, end);
    } else {
      end();
    }
  };
  proceed(0);
  return { stop: () => step?.cancel() };
}
