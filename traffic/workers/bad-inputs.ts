import type { JobTest } from "../../harness/inputs/tests-file.ts";

type Input = JobTest["input"];

/** An input that a handler may be unable to take. */
export interface BadInput {
  /** What was changed, as `words without prompt`. */
  readonly name: string;
  readonly input: Input;
  /** The test that it was made of. */
  readonly test: JobTest;
}

/** More would take longer than they tell. */
const badInputsMax = 10;

/**
 * Makes inputs that a handler may be unable to take of its tests: each with one member left out, each with one member of
 * another type; no empty object, which the live service does not pass on. Of each test in turn, ten in all at most.
 */
export function badInputsOf(tests: readonly JobTest[]): readonly BadInput[] {
  const seen = new Set(tests.map(({ input }) => JSON.stringify(input)));
  const lists = tests.map((test) => variantsOf(test));
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const inTurn = Array.from({ length: longest }, (_, at) =>
    lists.flatMap((list) => list.slice(at, at + 1)),
  ).flat();
  const fresh = inTurn.filter(({ input }) => {
    const text = JSON.stringify(input);
    return !seen.has(text) && seen.add(text).has(text);
  });
  return fresh.slice(0, badInputsMax);
}

function variantsOf(test: JobTest): readonly BadInput[] {
  const entries = Object.entries(test.input);
  return entries.flatMap(([member]) => {
    const rest = entries.filter(([name]) => name !== member);
    const other = entries.map(([name, value]): [string, unknown] => [
      name,
      name === member ? ofAnotherType(value) : value,
    ]);
    const variants = [
      { name: `${test.name} without ${member}`, input: Object.fromEntries(rest), test },
      {
        name: `${test.name} with another type of ${member}`,
        input: Object.fromEntries(other),
        test,
      },
    ];
    return rest.length === 0 ? variants.slice(1) : variants;
  });
}

function ofAnotherType(value: unknown): unknown {
  return typeof value === "string" ? { not: "a text" } : "no such value";
}
