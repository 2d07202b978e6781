import type { RequirementResult } from "../../harness/judge.ts";
import type { CheckSummary, RunEvent } from "../../harness/run.ts";
import { TimeLeft } from "./time-left.ts";

/** A check that does nothing until a moment. Both in milliseconds since 1970. */
export interface Wait {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** What a run is at. */
export interface RunState {
  readonly planned: number;
  /** Names: a check finishes once for each requirement it covers. */
  readonly finished: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  readonly running: ReadonlyMap<string, CheckSummary>;
  /** By the name of the check; a wait whose moment has come is over. */
  readonly waits: ReadonlyMap<string, Wait>;
  /** When it ends, in milliseconds since 1970, where that can be known. */
  readonly untilMs: number | undefined;
}

/** Follows the events of a run. */
export class RunFollower {
  readonly #finished = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #running = new Map<string, CheckSummary>();
  readonly #waits = new Map<string, Wait>();
  readonly #timeLeft = new TimeLeft();
  #planned = 0;

  get state(): RunState {
    return {
      planned: this.#planned,
      finished: this.#finished,
      failed: this.#failed,
      running: this.#running,
      waits: this.#waits,
      untilMs: this.#timeLeft.untilMs,
    };
  }

  /** @param nowMs when it happens, in milliseconds since 1970 */
  follow(event: RunEvent, nowMs: number): void {
    this.#timeLeft.follow(event, nowMs);
    switch (event.type) {
      case "planned":
        // Contract and load plan one after the other.
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
      case "ended":
        return;
      case "finished":
        this.#end(event.result);
    }
  }

  #end({ name, verdict }: RequirementResult): void {
    // What was not tried was not planned, and of a check that was tried one requirement may have been left out.
    if (verdict === "not-run" && !this.#running.has(name)) return;
    this.#running.delete(name);
    this.#waits.delete(name);
    this.#finished.add(name);
    if (verdict === "fail") this.#failed.add(name);
  }
}
