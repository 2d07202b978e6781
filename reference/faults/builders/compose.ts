import { changed, type Behaviour, type BehaviourChange } from "../../behaviour.ts";
import type { Job } from "../../job.ts";
import { Counts } from "./counts.ts";
import type { Change } from "./member.ts";

/** Makes one change of several; each of them changes the result of those before it. */
export function all(...changes: readonly Change[]): Change {
  return (right) =>
    changes.reduce<BehaviourChange>(
      (made, change) => changed(made, change(changed(right, made))),
      {},
    );
}

/** A change with a memory, which begins as a copy of `first` in each server. */
export function remembering<Memory>(
  first: Memory,
  use: (memory: Memory) => Change | readonly Change[],
): Change {
  return (right) => all(...[use(structuredClone(first))].flat())(right);
}

/** A change that counts what happens to jobs; each server counts from 0. */
export function withCounts(use: (counts: Counts<Job>) => Change | readonly Change[]): Change {
  return (right) => all(...[use(new Counts<Job>())].flat())(right);
}

/** A change that has to read the behaviour that it changes. */
export function given(use: (right: Behaviour) => Change): Change {
  return (right) => use(right)(right);
}
