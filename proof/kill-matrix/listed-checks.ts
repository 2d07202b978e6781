import { checks } from "../../contracts/checks.ts";
import { costs } from "../../contracts/generated/costs.ts";
import { checksThatCaught } from "./evidence-file.ts";

/**
 * For each fault of the evidence, checks that prove it again: the one of those that caught the fault which
 * sends least, and further ones so that every check is run against a fault that it caught. A fault is left out where a
 * check judges what the others observed: then all the checks of what it breaks have to run.
 */
export function checksToProve(kept: string): ReadonlyMap<string, readonly string[]> {
  const caughtBy = checksThatCaught(kept);
  const chosen = new Map(
    [...caughtBy].map(([fault, names]) => [fault, names.toSorted(bySize).slice(0, 1)]),
  );
  const proved = new Set([...chosen.values()].flat());
  for (const [fault, names] of caughtBy) {
    for (const name of names.filter((each) => !proved.has(each))) {
      chosen.get(fault)?.push(name);
      proved.add(name);
    }
  }
  return new Map([...chosen].filter(([, names]) => !names.some((name) => observing.has(name))));
}

const observing: ReadonlySet<string> = new Set(
  checks.filter(({ observe }) => observe !== undefined).map(({ name }) => name),
);

function bySize(one: string, other: string): number {
  return sizeOf(one) - sizeOf(other);
}

/** How many requests a check sends; one of load, of which nothing is kept, sends more than any of the contract. */
function sizeOf(check: string): number {
  if (observing.has(check)) return Infinity;
  return costs[check]?.[0] ?? 10_000;
}
