import { isSubmission } from "../../openapi/operations.ts";
import { finalStates } from "../../harness/record.ts";
import { show } from "../../harness/show.ts";
import { memberOf } from "../recording/recorded-exchange.ts";
import type { SeenExchange } from "./seen-exchange.ts";
import type { SeenRequirements } from "./seen.ts";

// What several answers about one job show together (docs/specification.md#states-and-transitions, #limits).

/** What is known of a job. Times are the bounds between which something happened. */
interface KnownJob {
  readonly submittedBy: "run" | "runsync" | undefined;
  readonly submittedAnsweredMs: number;
  readonly executionTimeoutMs: number | undefined;
  readonly ttlMs: number | undefined;
  /** The last request that still showed it unfinished. */
  unfinishedSentMs: number;
  /** The first answer that showed it IN_PROGRESS. */
  inProgressAnsweredMs: number | undefined;
  /** Its final state, as first shown since the last retry. */
  final: { readonly status: string; readonly answeredMs: number } | undefined;
  retriedMs: number | undefined;
}

const jobsKept = 100_000;
const retentionMs = { run: 30 * 60_000, runsync: 60_000 } as const;
/** What clocks of two machines and the network may differ by. */
const slackMs = 10_000;

/** Follows jobs through a recording. */
export class KnownJobs {
  readonly #requirements: SeenRequirements;
  readonly #isSoleClient: boolean;
  readonly #jobs = new Map<string, KnownJob>();

  /** @param isSoleClient whether nobody else can have retried a job unseen, so that its times began anew */
  constructor(requirements: SeenRequirements, isSoleClient: boolean) {
    this.#requirements = requirements;
    this.#isSoleClient = isSoleClient;
  }

  observe(seen: SeenExchange): void {
    const { operation } = seen;
    if (isSubmission(operation)) this.#submitted(seen);
    if (seen.jobId === undefined) return;
    const job = this.#jobs.get(keyOf(seen));
    if (operation === "cancel") this.#cancelled(seen, job);
    else if (operation === "retry") this.#retried(seen, job);
    else if (operation === "status" && job !== undefined) this.#read(seen, job);
  }

  #submitted(seen: SeenExchange): void {
    const id = memberOf(seen.got, "id");
    if (!seen.isSuccess || typeof id !== "string") return;
    const policy = memberOf(seen.sent, "policy");
    const job: KnownJob = {
      submittedBy: seen.operation === "run" ? "run" : "runsync",
      submittedAnsweredMs: seen.answeredAtMs,
      executionTimeoutMs: numberIn(policy, "executionTimeout"),
      ttlMs: numberIn(policy, "ttl"),
      unfinishedSentMs: seen.sentAtMs,
      inProgressAnsweredMs: undefined,
      final: undefined,
      retriedMs: undefined,
    };
    this.#jobs.set(`${seen.endpointId} ${id}`, job);
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= jobsKept) break;
      this.#jobs.delete(oldest);
    }
    this.#shown(seen, job);
  }

  #read(seen: SeenExchange, job: KnownJob): void {
    if (seen.isSuccess) {
      if (this.#isSoleClient) this.#judgeTimes(seen, job);
      this.#shown(seen, job);
      this.#judgeKept(seen, job);
    } else if (seen.status === 404) {
      this.#judgeGone(seen, job);
    }
  }

  #shown(seen: SeenExchange, job: KnownJob): void {
    const status = memberOf(seen.got, "status");
    if (typeof status !== "string") return;
    if (finalStates.includes(status)) {
      job.final ??= { status, answeredMs: seen.answeredAtMs };
      const { executionTimeoutMs } = job;
      if (status === "TIMED_OUT" && executionTimeoutMs !== undefined) {
        this.#requirements.held("POLI-04", seen.operation);
      }
      return;
    }
    job.unfinishedSentMs = Math.max(job.unfinishedSentMs, seen.sentAtMs);
    if (status === "IN_PROGRESS") job.inProgressAnsweredMs ??= seen.answeredAtMs;
    if (job.retriedMs !== undefined && status === "IN_QUEUE") {
      const hasOutput = (memberOf(seen.got, "output") ?? null) !== null;
      this.#requirements.tell(seen, [
        "RETR-04",
        !hasOutput,
        "no output after a retry",
        "an output",
      ]);
    }
  }

  /** Timeouts that had surely run out when the request was sent. */
  #judgeTimes(seen: SeenExchange, job: KnownJob): void {
    const status = memberOf(seen.got, "status");
    const { executionTimeoutMs, ttlMs, inProgressAnsweredMs, retriedMs } = job;
    const isInProgress = status === "IN_PROGRESS";
    if (isInProgress && executionTimeoutMs !== undefined && inProgressAnsweredMs !== undefined) {
      const overMs = seen.sentAtMs - inProgressAnsweredMs - executionTimeoutMs;
      if (overMs > slackMs && retriedMs === undefined) {
        const expected = `its end ${executionTimeoutMs} ms after it was taken`;
        this.#requirements.tell(seen, [
          "POLI-04",
          false,
          expected,
          `IN_PROGRESS ${overMs} ms later`,
        ]);
      }
    }
    if (ttlMs === undefined || retriedMs !== undefined) return;
    const overMs = Math.round(seen.sentAtMs - job.submittedAnsweredMs - ttlMs);
    const expected = `its end ${ttlMs} ms after it was submitted`;
    if (overMs <= slackMs) return;
    if (status === "IN_QUEUE") {
      this.#requirements.tell(seen, ["POLI-08", false, expected, `IN_QUEUE ${overMs} ms later`]);
    } else if (isInProgress) {
      this.#requirements.tell(seen, ["POLI-09", false, expected, `IN_PROGRESS ${overMs} ms later`]);
    }
  }

  /** A result that is gone before its time. */
  #judgeGone(seen: SeenExchange, { submittedBy, final, unfinishedSentMs }: KnownJob): void {
    if (submittedBy === undefined || final?.status !== "COMPLETED") return;
    // It completed after it was last seen unfinished, so this is the earliest end of its retention.
    const keptMs = seen.answeredAtMs - unfinishedSentMs;
    const mustMs = retentionMs[submittedBy];
    if (keptMs >= mustMs) return;
    const id = submittedBy === "run" ? "RUNA-04" : "SYNC-07";
    const got = `404 at most ${Math.round(keptMs / 1000)} s after its end`;
    this.#requirements.tell(seen, [
      id,
      false,
      `the result for ${mustMs / 1000} s after completion`,
      got,
    ]);
  }

  /** A result that is there still. */
  #judgeKept(seen: SeenExchange, { submittedBy, final }: KnownJob): void {
    if (submittedBy === undefined || final?.status !== "COMPLETED") return;
    const sinceMs = seen.sentAtMs - final.answeredMs;
    const mustMs = retentionMs[submittedBy];
    if (sinceMs >= mustMs * 0.9 && sinceMs < mustMs) {
      this.#requirements.held(submittedBy === "run" ? "RUNA-04" : "SYNC-07", seen.operation);
    }
    if (submittedBy === "run" && sinceMs > mustMs + 60_000) {
      const got = `it was there ${Math.round(sinceMs / 1000)} s after its end`;
      this.#requirements.tell(seen, ["RUNA-05", false, "no job any more after 30 minutes", got]);
    }
  }

  #cancelled(seen: SeenExchange, job: KnownJob | undefined): void {
    const before = job?.final;
    const status = memberOf(seen.got, "status");
    if (!seen.isSuccess || before !== undefined) return;
    // It may have ended unseen, and then any answer is right that leaves it as it was.
    if (typeof status === "string" && status !== "CANCELLED" && finalStates.includes(status))
      return;
    const isRight = status === "CANCELLED" && memberOf(seen.got, "id") === seen.jobId;
    const id = job?.inProgressAnsweredMs === undefined ? "CANC-01" : "CANC-02";
    this.#requirements.tell(seen, [id, isRight, "its id and CANCELLED", show(seen.got)]);
    if (job !== undefined && isRight) {
      job.final = { status: "CANCELLED", answeredMs: seen.answeredAtMs };
    }
  }

  #retried(seen: SeenExchange, job: KnownJob | undefined): void {
    const before = job?.final?.status;
    if (before !== undefined && seen.status !== 429) this.#judgeRetry(seen, before);
    if (job === undefined || !seen.isSuccess) return;
    job.final = undefined;
    job.inProgressAnsweredMs = undefined;
    job.retriedMs = seen.sentAtMs;
    job.unfinishedSentMs = seen.sentAtMs;
  }

  #judgeRetry(seen: SeenExchange, before: string): void {
    if (before === "COMPLETED" || before === "CANCELLED") {
      const isRefused = seen.status >= 400 && seen.status < 500;
      this.#requirements.tell(seen, [
        "RETR-05",
        isRefused,
        `a refusal: it is ${before}`,
        String(seen.status),
      ]);
    } else if (seen.isSuccess) {
      const isQueued = memberOf(seen.got, "status") === "IN_QUEUE";
      const isRight = isQueued && memberOf(seen.got, "id") === seen.jobId;
      const id = before === "FAILED" ? "RETR-01" : "RETR-02";
      this.#requirements.tell(seen, [id, isRight, "the same id and IN_QUEUE", show(seen.got)]);
    }
  }
}

function keyOf({ endpointId, jobId = "" }: SeenExchange): string {
  return `${endpointId} ${jobId}`;
}

function numberIn(value: unknown, name: string): number | undefined {
  const found = memberOf(value, name);
  return typeof found === "number" ? found : undefined;
}
