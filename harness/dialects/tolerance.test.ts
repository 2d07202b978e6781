import { describe, expect, test } from "vitest";

import { DeviationLog, Expectations } from "../expect.ts";
import type { Findings } from "../expect.ts";
import { speaking } from "../../test/harness/virtual-session.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { spec } from "./spec.ts";
import { ConfiguredDialect } from "./configured-dialect.ts";

function findingsOf(dialect: ConfiguredDialect): Findings {
  return {
    comparisons: new Map(),
    mismatches: [],
    readings: [],
    deviations: new DeviationLog(),
    dialect,
  };
}

describe("an expectation", () => {
  test("takes another status of a refused submission, and notes it under its own requirement", () => {
    const findings = findingsOf(speaking({ refusals: [422] }));
    const expectations = new Expectations("SUBM-01", findings);
    expectations.status(exchangeOf({}, { operation: "run", status: 422 }), 400, "run of {}");
    expect(findings.mismatches).toEqual([]);
    expect(findings.deviations.all()).toMatchObject([{ requirement: "SUBM-01" }]);
  });

  test.each([
    { operation: "run", status: 409, expected: 400 },
    { operation: "run", status: 422, expected: 404 },
    { operation: "status", status: 422, expected: 400 },
  ] as const)("does not take $status for $expected of $operation", (row) => {
    const findings = findingsOf(speaking({ refusals: [422] }));
    const exchange = exchangeOf({}, row);
    new Expectations("SUBM-01", findings).status(exchange, row.expected);
    expect(findings.mismatches).toHaveLength(1);
  });

  test("counts a difference of which it is sure, also after a doubt", () => {
    const findings = { ...findingsOf(speaking({})), doubt: "an answer came late" };
    const expectations = new Expectations("HOOK-01", findings);
    expect(() => expectations.equal("PUT", "POST", "method")).toThrow("an answer came late");
    expect(findings.mismatches).toEqual([]);
    expectations.surely.equal("PUT", "POST", "method");
    expect(findings.mismatches).toMatchObject([{ requirement: "HOOK-01", isSure: true }]);
  });

  test("takes anything for 401 where nobody asks for a key", () => {
    const findings = findingsOf(speaking({ authorization: "none" }));
    new Expectations("AUTH-01", findings).status(exchangeOf({}), 401);
    expect(findings.mismatches).toEqual([]);
    expect(findings.deviations.all()).toMatchObject([{ requirement: "AUTH-01" }]);
  });

  test("lets a known difference pass, by its requirement, its place and what is seen", () => {
    const known = {
      requirement: "POLI-04",
      what: "it fails",
      at: "status*",
      got: "FAILED",
    } as const;
    const findings = findingsOf(speaking({ tolerates: [known] }));
    const expectations = new Expectations("POLI-04", findings);
    expectations.equal("FAILED", "TIMED_OUT", "status after 5000 ms");
    expect(findings.deviations.all()).toMatchObject([{ requirement: "POLI-04", what: "it fails" }]);
    expectations.equal("COMPLETED", "TIMED_OUT", "status after 5000 ms");
    expectations.equal("FAILED", "TIMED_OUT", "runsync");
    expectations.of("POLI-05").equal("FAILED", "TIMED_OUT", "status after 5000 ms");
    expect(findings.mismatches).toHaveLength(3);
  });

  test("takes the pinned reading alone, and says who demands it", () => {
    const findings = findingsOf(speaking({}, { "STAT-09": "404" }));
    const expectations = new Expectations("STAT-09", findings);
    expectations.reading("404", "status of an unknown job");
    expect(findings.mismatches).toEqual([]);
    expectations.reading("400", "status of an unknown job");
    expect(findings.mismatches).toMatchObject([
      { expected: "404, as the dialect other demands", got: "400" },
    ]);
  });

  test("takes every accepted reading where none is pinned", () => {
    const findings = findingsOf(new ConfiguredDialect(spec));
    new Expectations("STAT-09", findings).reading("400", "status of an unknown job");
    expect(findings.mismatches).toEqual([]);
  });
});

describe("what a service does not have", () => {
  test("is not asked for, and its requirements say so", () => {
    const adapter = speaking({
      lacks: ["cancel"],
      lacksRequirements: { "POLI-04": "no limit" },
    });
    expect(adapter.obstacle("cancel")).toBe("there is no cancel (dialect other)");
    expect(adapter.obstacle("retry")).toBeUndefined();
    expect(adapter.lacking("CANC-01")).toBe("there is no cancel");
    expect(adapter.lacking("CONC-05")).toBe("there is no cancel");
    expect(adapter.lacking("RETR-01")).toBeUndefined();
    expect(adapter.lacking("POLI-04")).toBe("no limit");
  });

  test("covers what follows from paths without an endpoint and from doors without keys", () => {
    const open = speaking({ basePath: "", authorization: "none" });
    expect(open.lacking("ENDP-01")).toBeDefined();
    expect(open.lacking("AUTH-06")).toBeDefined();
    const usual = speaking({ basePath: "/v1/{endpointId}", authorization: "raw" });
    expect(usual.lacking("ENDP-01")).toBeUndefined();
    expect(usual.lacking("AUTH-06")).toBeUndefined();
  });

  test("takes single checks with it", () => {
    const adapter = speaking({ skipsChecks: { "*cancelled*": "there is no cancel" } });
    expect(adapter.lackingFor("webhook/after-cancelled")).toBe("there is no cancel");
    expect(adapter.lackingFor("webhook/after-failed")).toBeUndefined();
  });
});
