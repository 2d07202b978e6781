import { describe, expect, test } from "vitest";

import { requirementIds, requirements } from "../../openapi/requirements.ts";
import { dialects } from "./shipped.ts";
import { parseDialect } from "./parse-dialect.ts";

function problemsOf(value: unknown): readonly string[] {
  const parsed = parseDialect(value);
  return parsed.ok ? [] : parsed.problems;
}

const named = { name: "ours", description: "Ours." };

describe("a dialect", () => {
  test.each(dialects)("that ships is valid: $name", (dialect) => {
    expect(problemsOf(JSON.parse(JSON.stringify(dialect)))).toEqual([]);
  });

  test("needs no more than its name and what it is", () => {
    expect(parseDialect(named)).toEqual({ ok: true, dialect: named });
  });

  test.each([
    { what: "no object", value: 1, problem: "/: expected a JSON object, got 1" },
    { what: "no name", value: { description: "x" }, problem: "/name is missing" },
    {
      what: "a reading of a requirement that is not open",
      value: { ...named, readings: { "AUTH-01": "404" } },
      problem: "/readings/AUTH-01 is not an open requirement",
    },
    {
      what: "a reading that the requirement does not accept",
      value: { ...named, readings: { "STAT-09": "500" } },
      problem: '/readings/STAT-09: expected one of 404, 400, got "500"',
    },
    {
      what: "an unknown deviation",
      value: { ...named, deviations: { basepath: "/v1" } },
      problem: "/deviations/basepath is not a known key",
    },
    {
      what: "a base path with a slash at its end",
      value: { ...named, deviations: { basePath: "/v1/" } },
      problem: "/deviations/basePath: expected a path such as /v1/{endpointId}",
    },
    {
      what: "an unknown operation",
      value: { ...named, deviations: { methods: { metrics: "GET" } } },
      problem: "/deviations/methods/metrics is not a known key",
    },
    {
      what: "a state read as one that is none",
      value: { ...named, deviations: { states: { RUNNING: "WORKING" } } },
      problem: "/deviations/states/RUNNING: expected one of IN_QUEUE",
    },
    {
      what: "a toleration without a sentence",
      value: { ...named, deviations: { tolerates: [{ requirement: "POLI-04" }] } },
      problem: "/deviations/tolerates/0/what is missing",
    },
  ])("is refused with $what", ({ value, problem }) => {
    expect(problemsOf(value)).toEqual([expect.stringContaining(problem)]);
  });

  test("is told every problem at once", () => {
    const value = { name: "a b", readings: { X: "1" }, deviations: { lacks: [], refusals: [200] } };
    expect(problemsOf(value)).toHaveLength(5);
  });

  test("may pin every reading of every open requirement", () => {
    const open = requirementIds
      .map((id) => requirements[id])
      .filter(({ level }) => level === "open");
    for (const { id, accepts } of open) {
      for (const reading of accepts) {
        expect(problemsOf({ ...named, readings: { [id]: reading } })).toEqual([]);
      }
    }
  });
});
