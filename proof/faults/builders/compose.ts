import type { RequirementId } from "../../../openapi/requirements.ts";
import { changed, type Behaviour, type BehaviourChange } from "../../../reference/behaviour.ts";
import type { Fault } from "../../../reference/faults.ts";
import type { Job } from "../../../reference/job.ts";
import type { Change } from "./member.ts";

/** Makes a row of a table of faults: its name, the requirements it breaks, what is wrong, and the change. */
export function fault(
  name: `${string}/${string}`,
  breaks: readonly RequirementId[],
  { describe, change }: Pick<Fault, "describe" | "change">,
): Fault {
  return { name, breaks, describe, change };
}

/** Counts how often something happened to each key, for faults that show at the n-th time. */
class Counts<Key> {
  readonly #counts = new Map<Key, number>();

  /** Adds one to the count of a key and returns the new count. */
  add(key: Key): number {
    const count = this.of(key) + 1;
    this.#counts.set(key, count);
    return count;
  }

  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }
}

/** A change, or several that are made one after another. */
export type Changes = Change | readonly Changes[];

/** Makes one change of several; each of them changes the result of those before it. */
export function all(...changes: readonly Changes[]): Change {
  return (right) =>
    changes.reduce<BehaviourChange>((made, one) => {
      const change = typeof one === "function" ? one : all(...one);
      return changed(made, change(changed(right, made)));
    }, {});
}

/** A change with a memory, which begins as a copy of `first` in each server. */
export function remembering<Memory>(first: Memory, use: (memory: Memory) => Changes): Change {
  return (right) => all(use(structuredClone(first)))(right);
}

/** A change that counts what happens to jobs, or to other things; each server counts from 0. */
export function withCounts<Key = Job>(use: (counts: Counts<Key>) => Changes): Change {
  return (right) => all(use(new Counts<Key>()))(right);
}

/** A change that has to read the behaviour that it changes. */
export function given(use: (right: Behaviour) => Change): Change {
  return (right) => use(right)(right);
}
