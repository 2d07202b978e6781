import { isDeepStrictEqual } from "node:util";

import { parseJson } from "../../client/parse-json.ts";
import { isSubmission } from "../../openapi/operations.ts";
import { finalStates } from "../../harness/record.ts";
import { show } from "../../harness/show.ts";
import type { Evidence } from "../../reports/model.ts";
import { jsonOf, memberOf } from "../recording/recorded-exchange.ts";
import type { RecordedExchange } from "../recording/recorded-exchange.ts";
import type { SeenExchange } from "./seen-exchange.ts";
import type { SeenRequirements, ShownRequirement } from "./seen.ts";

// What the calls of webhooks show, where a recording has them (docs/specification.md#events).

/** A call, and what its receiver answered: no status where the connection was dropped. */
interface WebhookCall {
  readonly recorded: RecordedExchange;
  readonly status: number | undefined;
}

/** A job that named a webhook, and has not been retried. */
interface CalledJob {
  /** Path and query of the webhook: behind a proxy its host is another one. */
  readonly target: string;
  /** The record that a call has to carry, as status or runsync first showed it after the job's end. */
  record?: { readonly value: unknown; readonly answeredMs: number };
  readonly calls: WebhookCall[];
}

const jobsKept = 10_000;
const attemptsMax = 3;
const spacingMs = 10_000;
/** What clocks of two machines and the network may differ by, and a busy server may be late. */
const slackMs = 10_000;
/** A call that is due has come after so long, if it comes. */
const dueWithinMs = spacingMs + slackMs;
const members = ["id", "status", "output", "delayTime", "executionTime"];

/** How calls of webhooks are read. */
interface ReadsWebhooks {
  readonly evidenceOf: (recorded: RecordedExchange) => Evidence;
  /** The body of a call in the specification's terms. */
  readonly translated: (text: string) => string;
  /**
   * Whether nobody else used the endpoints: else a job that failed may have been retried unseen, and a call that is not in
   * the recording may have come.
   */
  readonly isSoleClient: boolean;
}

/** Follows the calls of webhooks whose jobs were submitted in the recording. */
export class KnownWebhooks {
  readonly #requirements: SeenRequirements;
  readonly #reading: ReadsWebhooks;
  readonly #jobs = new Map<string, CalledJob>();
  /** When calls were recorded, first and last: only between is a call that did not come a missing one. */
  #recorded: { readonly fromMs: number; toMs: number } | undefined;

  constructor(requirements: SeenRequirements, reading: ReadsWebhooks) {
    this.#requirements = requirements;
    this.#reading = reading;
  }

  /** Looks at an exchange of the API: a submission with a webhook, and what is told of its job. */
  observe(seen: SeenExchange): void {
    if (!seen.isSuccess) return;
    const id = memberOf(seen.got, "id");
    if (typeof id !== "string") return;
    if (isSubmission(seen.operation)) this.#submitted(id, seen.sent);
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    // What is due after another end may still be that of the first.
    if (seen.operation === "retry") this.#jobs.delete(id);
    else if (seen.operation === "status" || seen.operation === "runsync") this.#shown(job, seen);
  }

  /** Looks at an exchange that is none of the API: it may be the call of a webhook. */
  observeOther(recorded: RecordedExchange): void {
    const body = this.#bodyOf(recorded);
    const id = memberOf(body, "id");
    const job = typeof id === "string" ? this.#jobs.get(id) : undefined;
    if (job?.target !== recorded.target || !this.#isOfOneEnd(body)) return;
    const isDropped = recorded.brokenOff !== undefined;
    const status = isDropped ? undefined : recorded.answer?.status;
    const before = job.calls.at(-1);
    job.calls.push({ recorded, status });
    this.#recorded ??= { fromMs: recorded.arrivedMs, toMs: recorded.arrivedMs };
    this.#recorded.toMs = Math.max(this.#recorded.toMs, recorded.arrivedMs);
    this.#judgeCall(job, recorded, body);
    if (before !== undefined) this.#judgeRepetition(job, before, recorded);
  }

  /** Judges what only the whole recording shows. */
  end(): void {
    if (!this.#reading.isSoleClient) return;
    for (const job of this.#jobs.values()) this.#judgeEnd(job);
  }

  #submitted(id: string, sent: unknown): void {
    const webhook = memberOf(sent, "webhook");
    if (typeof webhook !== "string" || !URL.canParse(webhook)) return;
    const { pathname, search } = new URL(webhook);
    this.#jobs.set(id, { target: `${pathname}${search}`, calls: [] });
    const [oldest] = this.#jobs;
    if (this.#jobs.size <= jobsKept || oldest === undefined) return;
    if (this.#reading.isSoleClient) this.#judgeEnd(oldest[1]);
    this.#jobs.delete(oldest[0]);
  }

  #shown(job: CalledJob, seen: SeenExchange): void {
    const status = memberOf(seen.got, "status");
    if (typeof status !== "string") return;
    if (finalStates.includes(status)) {
      if (job.record !== undefined || !this.#isOfOneEnd(seen.got)) return;
      job.record = { value: seen.got, answeredMs: seen.answeredAtMs };
      for (const { recorded } of job.calls) this.#judgeBody(job.record.value, recorded);
      return;
    }
    const early = job.calls.find(({ recorded }) => recorded.arrivedMs + slackMs < seen.sentAtMs);
    if (early === undefined) return;
    const got = `${status} when it had been called for ${Math.round(seen.sentAtMs - early.recorded.arrivedMs)} ms`;
    this.#tell(early.recorded, ["HOOK-08", false, "no call before the job's end", got]);
  }

  #judgeCall(job: CalledJob, recorded: RecordedExchange, body: unknown): void {
    const { method } = recorded;
    this.#tell(recorded, ["HOOK-01", method === "POST", "a POST", method]);
    const status = memberOf(body, "status");
    if (typeof status !== "string") {
      this.#tell(recorded, ["HOOK-02", false, "the job's record", show(body)]);
    } else if (!finalStates.includes(status)) {
      this.#tell(recorded, ["HOOK-08", false, "no call before the job's end", status]);
    } else if (job.record !== undefined) {
      this.#judgeBody(job.record.value, recorded);
    }
  }

  #judgeBody(record: unknown, recorded: RecordedExchange): void {
    const body = this.#bodyOf(recorded);
    const first = members.find(
      (name) => !isDeepStrictEqual(memberOf(body, name), memberOf(record, name)),
    );
    const words =
      first === undefined
        ? (["", ""] as const)
        : ([
            `${first} as its status shows it: ${show(memberOf(record, first))}`,
            show(memberOf(body, first)),
          ] as const);
    this.#tell(recorded, ["HOOK-02", first === undefined, ...words]);
  }

  /** The body of a call in the specification's terms. */
  #bodyOf({ body }: RecordedExchange): unknown {
    const told = jsonOf(body);
    return told === undefined
      ? undefined
      : parseJson(this.#reading.translated(body.bytes.toString("utf8")));
  }

  #judgeRepetition(
    { calls }: CalledJob,
    { recorded: earlier, status }: WebhookCall,
    recorded: RecordedExchange,
  ): void {
    const number = calls.length;
    if (status === 200) {
      const id = number === 2 ? "HOOK-03" : "HOOK-06";
      const expected = "no call after one that was answered 200";
      this.#tell(recorded, [id, false, expected, `call ${number} of the job`]);
      return;
    }
    if (number > attemptsMax) {
      this.#tell(recorded, ["HOOK-04", false, `at most ${attemptsMax} calls`, `call ${number}`]);
      return;
    }
    if (status !== undefined) this.#requirements.held("HOOK-07", "run");
    const apartMs = recorded.arrivedMs - earlier.arrivedMs;
    const sinceAnswerMs = recorded.arrivedMs - (earlier.answer?.endedMs ?? earlier.arrivedMs);
    const isLate = this.#reading.isSoleClient && sinceAnswerMs > dueWithinMs;
    const isApart = apartMs >= spacingMs - 1000 && !isLate;
    const got = `call ${number} came ${(apartMs / 1000).toFixed(1)} s after the one before`;
    this.#tell(recorded, ["HOOK-05", isApart, "10 s between calls", got]);
  }

  #judgeEnd({ calls, record }: CalledJob): void {
    const last = calls.at(-1);
    if (last === undefined) return this.#judgeMissing(record);
    const { status, recorded } = last;
    if (!this.#wasRecorded(recorded.arrivedMs, recorded.answer?.endedMs ?? recorded.arrivedMs)) {
      return undefined;
    }
    if (status === 200) {
      return this.#requirements.held(calls.length === 1 ? "HOOK-03" : "HOOK-06", "run");
    }
    if (calls.length >= attemptsMax) return this.#requirements.held("HOOK-04", "run");
    const isRefusal = status !== undefined && status < 400;
    const got = `none within ${dueWithinMs / 1000} s`;
    const answered = status === undefined ? "was dropped" : `was answered ${status}`;
    const expected = `another call: call ${calls.length} ${answered}`;
    return this.#tell(recorded, [isRefusal ? "HOOK-07" : "HOOK-04", false, expected, got]);
  }

  /** Whether what it tells of a job cannot be of another end than what else is told: a job that completed stays so. */
  #isOfOneEnd(record: unknown): boolean {
    return this.#reading.isSoleClient || memberOf(record, "status") === "COMPLETED";
  }

  /** A job that completed, and no call came although calls of others were recorded before and after. */
  #judgeMissing(record: CalledJob["record"]): void {
    if (record === undefined || memberOf(record.value, "status") !== "COMPLETED") return;
    if (!this.#wasRecorded(record.answeredMs, record.answeredMs)) return;
    this.#requirements.broken("HOOK-01", () => ({
      at: `the webhook of job ${String(memberOf(record.value, "id"))}`,
      expected: "a call, since the job is COMPLETED",
      got: `none within ${dueWithinMs / 1000} s`,
      evidence: [],
    }));
  }

  /** Whether what was due after these moments would have been recorded. */
  #wasRecorded(fromMs: number, untilMs: number): boolean {
    const recorded = this.#recorded;
    return (
      recorded !== undefined && recorded.fromMs <= fromMs && recorded.toMs >= untilMs + dueWithinMs
    );
  }

  #tell(recorded: RecordedExchange, shown: ShownRequirement): void {
    const evidence = (): Evidence => this.#reading.evidenceOf(recorded);
    const call = { recorded, operation: "run", evidence } as const;
    this.#requirements.tell(call, shown, ", the call of a webhook");
  }
}
