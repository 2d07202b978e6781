import { describe, expect, test } from "vitest";

import { needsOf } from "../../harness/check.ts";
import { requirements } from "../../openapi/index.ts";
import { loadChecks } from "./checks.ts";

describe("load checks", () => {
  test.each(loadChecks)("$name asks for nothing that $covers.0 does not need", (check) => {
    const { needs } = requirements[check.covers[0]];
    expect(needsOf(check).filter((need) => !needs.includes(need))).toEqual([]);
  });

  test("have names of their own", () => {
    expect(new Set(loadChecks.map(({ name }) => name)).size).toBe(loadChecks.length);
  });
});
