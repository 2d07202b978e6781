import { expect, test } from "vitest";

import { changed, specified } from "../behaviour.ts";
import { variations } from "../variations.ts";

const prefix = "combined/";
const single = variations.filter(({ name }) => !name.startsWith(prefix));
const rows = variations
  .filter(({ name }) => name.startsWith(prefix))
  .map(({ name }) => name.slice(prefix.length).split("+"));

test("every variation stands in a combination", () => {
  const combined = new Set(rows.flat());
  const missing = single.map(({ name }) => name.replace("/", "-")).filter((n) => !combined.has(n));
  expect(missing).toEqual([]);
});

test("every topic meets every other one", () => {
  const topics = [...new Set(single.map(({ name }) => name.split("/")[0] ?? ""))];
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
  const parts = single.filter(({ name }) => (row?.name ?? "").includes(name.replace("/", "-")));
  const members = parts.flatMap(({ change }) =>
    Object.entries(change(specified)).flatMap(([group, some]) =>
      Object.keys(some).map((member) => [group, member] as const),
    ),
  );
  expect(parts).toHaveLength(3);
  for (const [group, member] of members) {
    expect(groupsOf(behaviour)[group]?.[member]).not.toBe(groupsOf(specified)[group]?.[member]);
  }
});

function groupsOf(behaviour: object): Record<string, Record<string, unknown>> {
  return { ...behaviour };
}
