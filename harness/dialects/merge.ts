import type { Deviations } from "./schema.ts";

/** Joins deviations: lists are put together, tables too; where two name one member of a table, the first wins. */
export function mergeDeviations(first: Deviations, second: Deviations): Deviations {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries(
    [...names].map((name) => [name, joined(Reflect.get(first, name), Reflect.get(second, name))]),
  );
}

function joined(one: unknown, other: unknown): unknown {
  if (one === undefined || other === undefined) return one ?? other;
  if (Array.isArray(one) && Array.isArray(other)) {
    return [...new Set([...(one as unknown[]), ...(other as unknown[])])];
  }
  const areTables = [one, other].every((each) => typeof each === "object" && each !== null);
  return areTables ? Object.assign({}, other, one) : one;
}
