import { describe, expect, test } from "vitest";

import { changed, specified } from "../../reference/behaviour.ts";
import { singleVariations, variationNamed, variations } from "./variations.ts";
import { variationsTogether } from "./combined.ts";
import type { Variation } from "./variation.ts";

const prefix = "combined/";
const rows = variations
  .filter(({ name }) => name.startsWith(prefix))
  .map(({ name }) => name.slice(prefix.length).split("+"));

test("every variation stands in a combination", () => {
  const combined = new Set(rows.flat());
  const missing = singleVariations
    .map(({ name }) => name.replace("/", "-"))
    .filter((n) => !combined.has(n));
  expect(missing).toEqual([]);
});

test("every topic meets every other one", () => {
  const topics = [...new Set(singleVariations.map(({ name }) => name.split("/")[0] ?? ""))];
  const topicsOf = rows.map((row) => row.map((name) => name.split("-")[0]));
  const apart = topics.flatMap((one, at) =>
    topics
      .slice(at + 1)
      .filter((other) => !topicsOf.some((row) => row.includes(one) && row.includes(other)))
      .map((other) => `${one} and ${other}`),
  );
  expect(apart).toEqual([]);
});

test("a combination has what each of its variations changes", () => {
  const row = variations.find(({ name }) =>
    name.startsWith("combined/errors-body-is-a-json-array+endings-expired-job-is-timed-out"),
  );
  const behaviour = changed(specified, row?.change(specified) ?? {});
  const parts = singleVariations.filter(({ name }) =>
    (row?.name ?? "").includes(name.replace("/", "-")),
  );
  const members = parts.flatMap((part) => membersOf(part));
  expect(parts).toHaveLength(3);
  for (const [group, member] of members) {
    expect(groupsOf(behaviour)[group]?.[member]).not.toBe(groupsOf(specified)[group]?.[member]);
  }
});

describe("variations together", () => {
  const together = variationsTogether(singleVariations, 6);

  test("each stands on one server, with five others at most", () => {
    expect(together.flat().toSorted(byName)).toEqual(singleVariations.toSorted(byName));
    expect(Math.max(...together.map((row) => row.length))).toBe(6);
  });

  test("a server has what each of them changes", () => {
    for (const row of together) {
      const name = row.map((each) => each.name).join("+");
      const behaviour = changed(specified, variationNamed(name)?.change(specified) ?? {});
      for (const [group, member] of row.flatMap((each) => membersOf(each))) {
        expect(groupsOf(behaviour)[group]?.[member]).not.toBe(groupsOf(specified)[group]?.[member]);
      }
    }
  });

  test("none on a server takes the place of another", () => {
    for (const row of together) {
      const topics = row.map(({ name }) => name.split("/")[0] ?? "");
      const members = row.flatMap((each) => membersOf(each).map((member) => member.join(".")));
      const readings = row.flatMap(({ shows = {} }) => Object.keys(shows));
      const changes = [...topics, ...members, ...readings];
      expect(changes.toSorted()).toEqual([...new Set(changes)].toSorted());
    }
  });

  test("a name that is none makes no server", () => {
    expect(variationNamed("errors/body-is-empty+no/such")).toBeUndefined();
  });
});

function byName(one: Variation, other: Variation): number {
  return one.name < other.name ? -1 : 1;
}

function membersOf({ change }: Variation): readonly (readonly [string, string])[] {
  return Object.entries(change(specified)).flatMap(([group, some]) =>
    Object.keys(some).map((member) => [group, member] as const),
  );
}

function groupsOf(behaviour: object): Record<string, Record<string, unknown>> {
  return { ...behaviour };
}
