import type { Exchange } from "../../client/exchange.ts";
import { createDeferred } from "../deferred.ts";
import type { Deferred } from "../deferred.ts";

/** Keeps every worker of an endpoint busy; resolves with a function that frees them again. */
export type Occupy = (unfinished: () => number) => Promise<() => Promise<void>>;

/** A check whose jobs wait while the workers are stalled. */
export interface StallMember {
  /** The jobs it submitted that were not seen to have ended. */
  readonly unfinished: readonly string[];
}

/** One purge for all members. */
interface Purge {
  readonly send: () => Promise<Exchange>;
  readonly due: Deferred;
  sent?: Promise<Exchange>;
}

/**
 * One stall that several checks share, each with jobs of its own: the workers are kept busy once, and are freed when
 * the last check no longer needs the stall.
 */
export class StallGroup {
  readonly #members = new Set<StallMember>();
  readonly #allEnded = createDeferred();
  readonly #readyToPurge = new Set<StallMember>();
  #purge: Purge | undefined;
  #occupied: ReturnType<Occupy> | undefined;
  #freed: Promise<void> | undefined;
  /** How many checks have shared it, those that have left included. */
  size = 0;

  join(member: StallMember): void {
    this.#members.add(member);
    this.size += 1;
  }

  /** Resolves when every worker is busy; the first member to call it makes them busy. */
  async begin(occupy: Occupy): Promise<void> {
    this.#occupied ??= occupy(() =>
      [...this.#members].reduce((sum, { unfinished }) => sum + unfinished.length, 0),
    );
    await this.#occupied;
  }

  /** Resolves with the one purge of the group, which is sent when every member has asked for it. */
  async purge(member: StallMember, send: () => Promise<Exchange>): Promise<Exchange> {
    this.#readyToPurge.add(member);
    this.#purge ??= { send, due: createDeferred() };
    const purge = this.#purge;
    this.#purgeWhenReady();
    await purge.due.promise;
    return purge.sent ?? purge.send();
  }

  #purgeWhenReady(): void {
    const purge = this.#purge;
    if (purge === undefined || this.#readyToPurge.size < this.#members.size) return;
    this.#purge = undefined;
    this.#readyToPurge.clear();
    purge.sent = purge.send();
    // Every member that waits gets the error by itself.
    purge.sent.catch(() => undefined);
    purge.due.resolve();
  }

  /** To be called when a member no longer needs the stall. Resolves when no member does and the workers are free. */
  async end(member: StallMember): Promise<void> {
    this.leave(member);
    await this.#allEnded.promise;
    await this.#freed;
  }

  /** Removes a member, which does not wait for the others. The last one to leave frees the workers. */
  leave(member: StallMember): void {
    if (!this.#members.delete(member)) return;
    this.#readyToPurge.delete(member);
    this.#purgeWhenReady();
    if (this.#members.size > 0) return;
    this.#freed = this.#free();
    // Members that wait in `end` get the error; there may be none.
    this.#freed.catch(() => undefined);
    this.#allEnded.resolve();
  }

  async #free(): Promise<void> {
    const free = await this.#occupied?.catch(() => undefined);
    await free?.();
  }
}
