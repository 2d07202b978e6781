import { changed, type Behaviour } from "./behaviour.ts";
import type { ReferenceDialect } from "./dialect.ts";
import { runpod } from "./dialects/runpod.ts";

const spec: ReferenceDialect = { name: "spec", change: () => ({}) };

/** What the reference can speak; the suite has a dialect of the same name for each. */
export const referenceDialects: readonly ReferenceDialect[] = [spec, runpod];

/** `behaviour` in the dialect of this name; undefined where the reference does not speak it. */
export function inDialect(name: string, behaviour: Behaviour): Behaviour | undefined {
  const dialect = referenceDialects.find((each) => each.name === name);
  return dialect === undefined ? undefined : changed(behaviour, dialect.change(behaviour));
}
