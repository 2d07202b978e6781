import { scheduleOfUnended } from "../../contracts/expected-time.ts";
import type { EndpointSharing } from "../../harness/endpoint/shared-endpoints.ts";
import type { RunEvent } from "../../harness/run-events.ts";

/** Estimates how long a run on a real clock still takes, from the planned checks that have not ended. */
export class TimeLeft {
  /** When each check began, in milliseconds since 1970; `undefined` where it has not begun. */
  readonly #begunAtMs = new Map<string, number | undefined>();
  /** The expected duration of each check that has started. */
  readonly #realTimeMs = new Map<string, number>();
  readonly #ended = new Set<string>();
  /** The checks that will run again, one after the other. */
  readonly #toRepeat = new Set<string>();
  #sharing: EndpointSharing | undefined;
  #untilMs: number | undefined;

  /** When the run will end, in milliseconds since 1970; `undefined` where that is unknown, or nothing is left. */
  get untilMs(): number | undefined {
    return this.#untilMs;
  }

  /** @param nowMs the time of the event, in milliseconds since 1970 */
  follow(event: RunEvent, nowMs: number): void {
    if (event.type === "planned" && event.sharing !== undefined) {
      for (const name of event.sharing.names) this.#begunAtMs.set(name, undefined);
      this.#sharing = event.sharing;
    } else if (event.type === "tried-jobs" && this.#sharing !== undefined) {
      const own = { ...this.#sharing.own, seen: event.seen };
      this.#sharing = { ...this.#sharing, own };
    } else if (event.type === "started") {
      const { name, realTimeMs } = event.check;
      this.#realTimeMs.set(name, realTimeMs);
      if (this.#begunAtMs.has(name)) this.#begunAtMs.set(name, nowMs);
    } else if (event.type === "ended") {
      this.#begunAtMs.delete(event.check);
      this.#ended.add(event.check);
      if (event.isToRepeat) this.#toRepeat.add(event.check);
      else this.#toRepeat.delete(event.check);
    } else return;
    if (this.#sharing !== undefined) this.#untilMs = this.#endMs(nowMs, this.#sharing);
  }

  #endMs(nowMs: number, sharing: EndpointSharing): number | undefined {
    if (this.#begunAtMs.size + this.#toRepeat.size === 0) return undefined;
    const begunMs = new Map(
      [...this.#begunAtMs].map(([name, at]) => [name, at === undefined ? at : nowMs - at]),
    );
    const repeatedMs = [...this.#toRepeat].map((name) => this.#realTimeMs.get(name) ?? 0);
    return (
      nowMs +
      scheduleOfUnended({ begunMs, ended: this.#ended }, sharing).ms +
      repeatedMs.reduce((sum, ms) => sum + ms, 0)
    );
  }
}
