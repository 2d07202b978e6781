import { describe, expect, test } from "vitest";

import { requirements } from "../../openapi/index.ts";
import { loadChecks } from "./checks.ts";

describe("load checks", () => {
  test.each(loadChecks)("$name asks for nothing that $covers does not need", (check) => {
    const { needs } = requirements[check.covers];
    expect(check.needs.filter((need) => !needs.includes(need))).toEqual([]);
  });

  test("have names of their own", () => {
    expect(new Set(loadChecks.map(({ name }) => name)).size).toBe(loadChecks.length);
  });
});
