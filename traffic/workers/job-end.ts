import type { RecordedExchange } from "../recording/recorded-exchange.ts";
import type { WorkerProcess } from "./worker-processes.ts";
import type { JobEnd } from "./worker-test.ts";
import type { WorkerWatch } from "./worker-watch.ts";

/**
 * What has become of a job that was taken, as far as it can be told: its result is there, its process has ended, or its
 * worker says that it works on nothing. Undefined while it may still work.
 */
export function jobEndOf(
  jobId: string,
  watch: Pick<WorkerWatch, "calls" | "requests">,
  processes: readonly WorkerProcess[],
): JobEnd | undefined {
  const calls = watch.calls.filter(({ jobIds }) => jobIds.includes(jobId));
  const results = calls.filter(({ kind }) => kind === "result");
  const told = results.find(({ exchange }) => exchange.answer?.status === 200);
  if (told !== undefined) return { kind: "told", call: told };
  const taken = calls.find(({ kind }) => kind === "take");
  if (taken === undefined) return undefined;
  const process = processes.find(({ id }) => id === taken.workerId);
  if (process?.end !== undefined) return { kind: "died", process };
  const isBack = watch.requests.some(
    ({ workerId, isIdle, atMs }) =>
      isIdle && workerId === taken.workerId && atMs > endOf(taken.exchange),
  );
  if (!isBack) return undefined;
  const refused = results.at(-1);
  return refused === undefined ? { kind: "untold" } : { kind: "refused", call: refused };
}

/** When the answer of an exchange was handed to the network; of one without, when it came. */
export function endOf({ answer, arrivedMs }: RecordedExchange): number {
  return answer?.endedMs ?? arrivedMs;
}
