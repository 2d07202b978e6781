import type { Exchange } from "../../client/exchange.ts";
import type { Interval } from "../interval.ts";

/** A moment for which a check waited, on the endpoint's clock. */
export interface AwaitedMoment {
  readonly jobId: string;
  readonly due: Interval;
  readonly afterMs: number;
}

interface Move {
  /** When it was asked for and when it was done, on the clock of the exchanges. */
  readonly asked: Interval;
  readonly toMs: number;
}

/** Far more than any check needs. */
const entriesMax = 10_000;

/** Records how the time of one endpoint passed, and for which moments its check waited. */
export class TimeLog {
  readonly awaited: AwaitedMoment[] = [];
  readonly #moves: Move[] = [];
  readonly #beganMs: number | undefined;

  /** @param beganMs what a virtual clock showed at first; absent: a real clock */
  constructor(beganMs?: number) {
    this.#beganMs = beganMs;
  }

  get clock(): "real" | "virtual" {
    return this.#beganMs === undefined ? "real" : "virtual";
  }

  /** Records that a virtual clock was moved. */
  moved(asked: Interval, toMs: number): void {
    if (this.#moves.length < entriesMax) this.#moves.push({ asked, toMs });
  }

  /** Records that a job was looked at because `since` was to be `afterMs` old. */
  waitedFor(since: Interval, afterMs: number, { request: { jobId } }: Exchange): void {
    if (jobId === undefined || this.awaited.length >= entriesMax) return;
    const due = {
      earliestMs: since.earliestMs + afterMs,
      latestMs: since.latestMs + afterMs,
    };
    this.awaited.push({ jobId, due, afterMs });
  }

  /** Converts a span of the exchanges' clock into one of the endpoint's clock. */
  readAt({ earliestMs, latestMs }: Interval): Interval {
    if (this.#beganMs === undefined) return { earliestMs, latestMs };
    const done = this.#moves.filter(({ asked }) => asked.latestMs <= earliestMs);
    const begun = this.#moves.filter(({ asked }) => asked.earliestMs < latestMs);
    return {
      earliestMs: done.at(-1)?.toMs ?? this.#beganMs,
      latestMs: begun.at(-1)?.toMs ?? this.#beganMs,
    };
  }
}
