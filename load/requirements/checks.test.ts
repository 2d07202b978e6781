import { describe, expect, test } from "vitest";

import { needsOf } from "../../harness/check.ts";
import { requirements } from "../../openapi/requirements.ts";
import { loadChecks } from "./checks.ts";

describe("load checks", () => {
  test.each(loadChecks)("$name asks for more than $covers.0 needs only to move time", (check) => {
    const { needs } = requirements[check.covers[0]];
    const more = needsOf(check).filter((need) => !needs.includes(need));
    expect(more.length === 0 || more.includes("clock")).toBe(true);
  });

  const decided = [...new Set(loadChecks.flatMap(({ covers }) => covers))];
  test.each(decided)("%s has one that asks for nothing that it does not need", (id) => {
    const { needs } = requirements[id];
    const checks = loadChecks.filter(({ covers }) => covers[0] === id);
    const plain = checks.filter((check) => needsOf(check).every((need) => needs.includes(need)));
    expect(plain).not.toEqual([]);
  });

  test("have names of their own", () => {
    expect(new Set(loadChecks.map(({ name }) => name)).size).toBe(loadChecks.length);
  });
});
