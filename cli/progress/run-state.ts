import type { RequirementResult } from "../../harness/judge.ts";
import type { CheckSummary, RunEvent } from "../../harness/run-events.ts";
import { TimeLeft } from "./time-left.ts";

/** A check that does nothing until a moment. Both times are in milliseconds since 1970. */
export interface Wait {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The current state of a run. */
export interface RunState {
  readonly planned: number;
  /** Names of checks, in a set because a check finishes once for each requirement it covers. */
  readonly finished: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  readonly running: ReadonlyMap<string, CheckSummary>;
  /** Waits by the name of the check; a wait is over at its `untilMs`. */
  readonly waits: ReadonlyMap<string, Wait>;
  /** When the run will end, in milliseconds since 1970, where that is known. */
  readonly untilMs: number | undefined;
  /** Until when it may last at most, in milliseconds since 1970, where that is known. */
  readonly untilMsMax: number | undefined;
}

/** Keeps the state of a run by its events. */
export class RunFollower {
  readonly #finished = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #running = new Map<string, CheckSummary>();
  readonly #waits = new Map<string, Wait>();
  readonly #timeLeft = new TimeLeft();
  #planned = 0;
  #untilMsMax: number | undefined;

  get state(): RunState {
    return {
      planned: this.#planned,
      finished: this.#finished,
      failed: this.#failed,
      running: this.#running,
      waits: this.#waits,
      untilMs: this.#timeLeft.untilMs,
      untilMsMax: this.#untilMsMax,
    };
  }

  /** @param nowMs when it happens, in milliseconds since 1970 */
  follow(event: RunEvent, nowMs: number): void {
    this.#timeLeft.follow(event, nowMs);
    switch (event.type) {
      case "planned":
        // Contract and load each send a plan, so the counts add up.
        this.#planned += event.checks;
        return;
      case "left-out":
        this.#planned -= 1;
        return;
      case "started":
        this.#running.set(event.check.name, event.check);
        return;
      case "waiting":
        this.#waits.set(event.check, { sinceMs: nowMs, untilMs: event.untilMs });
        return;
      case "bounded":
        this.#untilMsMax = event.untilMs;
        return;
      case "learned":
      case "learned-later":
      case "slowed":
      case "tried-jobs":
      case "ended":
        return;
      case "finished":
        this.#end(event.result);
    }
  }

  #end({ name, verdict }: RequirementResult): void {
    // What never started is no check of the plan, such as what was learned of the target. A check may finish more than once.
    const isRunning = this.#running.has(name);
    if (!isRunning && (verdict === "not-run" || !this.#finished.has(name))) return;
    this.#running.delete(name);
    this.#waits.delete(name);
    this.#finished.add(name);
    if (verdict === "fail") this.#failed.add(name);
  }
}
