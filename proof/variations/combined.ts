import { specified } from "../../reference/behaviour.ts";
import { all } from "../faults/builders/compose.ts";
import type { Variation } from "./variation.ts";

/**
 * Combines two or three variations at a time, so that every variation is used and every two topics meet where they can.
 * Only variations that change different things are combined, so that none overrides another.
 */
export function combinedVariations(single: readonly Variation[]): readonly Variation[] {
  const topics = [...new Set(single.map((variation) => topicOf(variation)))];
  const openPairs = new Set(
    topics.flatMap((one, at) => topics.slice(at + 1).map((other) => pairOf(one, other))),
  );
  const uses = new Map(single.map((variation) => [variation, 0]));
  // Once all are used, a row begins with one whose topic has still to meet another.
  const nextFirst = (): Variation | undefined =>
    single.find((each) => uses.get(each) === 0) ??
    single.find((each) => single.some((other) => isOpen(each, other) && canMeet(each, other)));
  const isOpen = (one: Variation, other: Variation): boolean =>
    openPairs.has(pairOf(topicOf(one), topicOf(other)));
  const rows: (readonly Variation[])[] = [];
  const worth = (row: readonly Variation[], next: Variation): number => {
    const meets = row.filter((each) => isOpen(each, next)).length;
    // Of equal ones, the one that was used least comes first.
    return meets - (uses.get(next) ?? 0) / single.length;
  };
  for (let first = nextFirst(); first !== undefined; first = nextFirst()) {
    const row = [first];
    while (row.length < rowLength) {
      const partners = single.filter((each) => row.every((member) => canMeet(member, each)));
      const next = bestOf(partners, (each) => worth(row, each));
      if (next === undefined) break;
      for (const member of row) openPairs.delete(pairOf(topicOf(member), topicOf(next)));
      row.push(next);
    }
    for (const member of row) uses.set(member, (uses.get(member) ?? 0) + 1);
    rows.push(row);
  }
  return rows.filter(({ length }) => length > 1).map((row) => combinationOf(row));
}

const rowLength = 3;

/** A variation that makes the changes of all variations of a row, each of which changes something else. */
export function combinationOf(row: readonly Variation[]): Variation {
  return {
    name: `combined/${row.map(({ name }) => name.replace("/", "-")).join("+")}`,
    describe: row.map(({ describe }) => describe).join(" "),
    shows: Object.fromEntries(row.flatMap(({ shows }) => Object.entries(shows ?? {}))),
    change: all(...row.map(({ change }) => change)),
  };
}

function topicOf({ name }: Variation): string {
  return name.slice(0, name.indexOf("/"));
}

function pairOf(one: string, other: string): string {
  return [one, other].toSorted().join(" ");
}

function canMeet(one: Variation, other: Variation): boolean {
  return topicOf(one) !== topicOf(other) && areDisjoint(membersOf(one), membersOf(other));
}

/**
 * Puts all variations on few servers: each on the first that has a place for it, at most `most` on one server, of
 * different topics, none of which overrides another.
 */
export function variationsTogether(
  single: readonly Variation[],
  most: number,
): readonly (readonly Variation[])[] {
  const rows: Variation[][] = [];
  for (const variation of single) {
    const open = rows.find(
      (row) => row.length < most && row.every((member) => canMeet(member, variation)),
    );
    if (open === undefined) rows.push([variation]);
    else open.push(variation);
  }
  return rows;
}

function areDisjoint(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].every((member) => !other.has(member));
}

/** What a variation changes, as `group.member`, and the requirements whose reading it decides. */
function membersOf({ change, shows = {} }: Variation): ReadonlySet<string> {
  const members = Object.entries(change(specified)).flatMap(([group, some]) =>
    Object.keys(some).map((member) => `${group}.${member}`),
  );
  return new Set([...members, ...Object.keys(shows)]);
}

/** The item of the highest worth; the first one where several are equal. */
function bestOf<Item>(items: readonly Item[], worth: (item: Item) => number): Item | undefined {
  const [first, ...rest] = items;
  if (first === undefined) return undefined;
  return rest.reduce((best, item) => (worth(item) > worth(best) ? item : best), first);
}
