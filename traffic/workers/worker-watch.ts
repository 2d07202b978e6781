import { monotonicNowMs } from "../../client/exchange.ts";
import type { RecordedExchange } from "../recording/recorded-exchange.ts";
import type { ArrivedRequest } from "../recording/relay.ts";
import type { WorkerProcess } from "./worker-processes.ts";
import type { JobEnd } from "./worker-test.ts";
import { jobRequestOf, workerCallOf } from "./worker-call.ts";
import type { JobRequest, WorkerCall } from "./worker-call.ts";

/** What workers and we asked of the service, as it came, and a way to wait for something of it. */
export class WorkerWatch {
  readonly exchanges: RecordedExchange[] = [];
  readonly calls: WorkerCall[] = [];
  readonly requests: JobRequest[] = [];
  readonly #waiting = new Set<() => void>();

  /** Takes a request that has come and is not answered yet. */
  arrived(request: ArrivedRequest): void {
    const asked = jobRequestOf(request, monotonicNowMs());
    if (asked === undefined) return;
    this.requests.push(asked);
    this.changed();
  }

  /** Takes an exchange that has ended. The keys of workers are their own, and stay out of it. */
  ended(exchange: RecordedExchange): void {
    const { headers } = exchange;
    const hidden = { ...exchange, headers: { ...headers, authorization: "***" } };
    this.exchanges.push(hidden);
    const call = workerCallOf(hidden);
    if (call !== undefined) this.calls.push(call);
    this.changed();
  }

  /** Has everything that is waited for looked at again. */
  changed(): void {
    for (const look of this.#waiting) look();
  }

  /** Awaits what `look` finds, for so many milliseconds at most; undefined where it found nothing. */
  until<Found>(
    look: () => Found | undefined,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<Found | undefined> {
    return new Promise((resolve) => {
      const end = (found: Found | undefined): void => {
        this.#waiting.delete(again);
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        resolve(found);
      };
      const again = (): void => {
        const found = look();
        if (found !== undefined) end(found);
      };
      const giveUp = (): void => end(undefined);
      const timer = setTimeout(giveUp, limitMs);
      this.#waiting.add(again);
      signal.addEventListener("abort", giveUp);
      if (signal.aborted) giveUp();
      else again();
    });
  }
}

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
