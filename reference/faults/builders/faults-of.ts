import type { Fault } from "../../fault.ts";

/** Faults by their names. */
type Rows = Readonly<Record<`${string}/${string}`, Omit<Fault, "name">>>;

/** The faults of a table, in its order. */
export function faultsOf(rows: Rows): readonly Fault[] {
  return Object.entries(rows).map(([name, { breaks, describe, change }]) => ({
    name,
    breaks,
    describe,
    change,
  }));
}
