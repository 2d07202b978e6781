import { describe, expect, test } from "vitest";

import { Answer, bodyOf } from "../../client/index.ts";
import type { Exchange } from "../../client/index.ts";
import type { OperationName } from "../../openapi/index.ts";
import { evidenceOf } from "../kit/evidence.ts";
import { Deviations as Met, Expectations } from "../kit/expect.ts";
import type { Findings } from "../kit/expect.ts";
import { Redactor } from "../../client/index.ts";
import { spec } from "./index.ts";
import { Interpreter } from "./interpreter.ts";
import type { Deviations, Dialect } from "./schema.ts";

function speaking(deviations: Deviations, readings: Dialect["readings"] = {}): Interpreter {
  return new Interpreter({ name: "other", description: "Other.", readings, deviations });
}

interface Parts {
  readonly operation?: OperationName;
  readonly status?: number;
  readonly jobId?: string;
  readonly authorization?: string;
}

function exchangeOf(body: unknown, parts: Parts = {}): Exchange {
  const { operation = "status", status = 200, jobId = "j", authorization } = parts;
  const headers = { "content-type": "application/json" };
  return {
    operation,
    request: {
      method: "GET",
      url: `http://a.test/v2/e/${operation}/${jobId}`,
      headers: authorization === undefined ? {} : { authorization },
      keyName: undefined,
      body: undefined,
      bodyBytes: 0,
      endpointId: "e",
      jobId,
    },
    answer: new Answer(status, headers, typeof body === "string" ? body : JSON.stringify(body)),
    failure: undefined,
    sentAtMs: 0,
    answeredAtMs: 1,
  };
}

function read({ answer }: Exchange): unknown {
  const parsed = answer === undefined ? undefined : bodyOf(answer);
  return parsed?.ok === true ? parsed.value : undefined;
}

function findingsOf(terms: Interpreter): Findings {
  return {
    comparisons: new Map(),
    mismatches: [],
    readings: [],
    deviations: new Met(),
    terms,
  };
}

describe("a request", () => {
  const request = {
    operation: "status",
    method: "GET",
    path: "/v2/my%20e/status/j?ttl=6000",
    endpointSegment: "my%20e",
    headers: { authorization: "key", accept: "application/json" },
  } as const;

  test("is left alone by the specification", () => {
    expect(new Interpreter(spec).request(request)).toEqual(request);
  });

  test.each([
    { basePath: "", path: "/status/j?ttl=6000" },
    { basePath: "/v1/{endpointId}", path: "/v1/my%20e/status/j?ttl=6000" },
    { basePath: "/api", path: "/api/status/j?ttl=6000" },
  ])("goes to a base path of '$basePath'", ({ basePath, path }) => {
    expect(speaking({ basePath }).request(request).path).toBe(path);
  });

  test("is made by the method of its operation", () => {
    const interpreter = speaking({ methods: { status: "POST" } });
    expect(interpreter.request(request).method).toBe("POST");
    expect(interpreter.request({ ...request, operation: "health" }).method).toBe("GET");
  });

  test.each([
    { authorization: "bearer", given: "key", sent: "Bearer key" },
    { authorization: "bearer", given: "Bearer key", sent: "Bearer key" },
    { authorization: "raw", given: "Bearer key", sent: "key" },
    { authorization: "none", given: "Bearer key", sent: "Bearer key" },
  ] as const)("carries $given as $sent where keys are $authorization", (row) => {
    const { authorization, given, sent } = row;
    const headers = { authorization: given };
    expect(speaking({ authorization }).request({ ...request, headers }).headers).toEqual({
      authorization: sent,
    });
  });

  test("without a key stays without one", () => {
    const { headers } = speaking({ authorization: "bearer" }).request({ ...request, headers: {} });
    expect(headers).toEqual({});
  });
});

const done = { id: "j", status: "COMPLETED", output: {}, delayTime: 1, executionTime: 2 };

describe("an answer", () => {
  test.each<{
    what: string;
    deviations: Deviations;
    operation?: OperationName;
    came: unknown;
    read: unknown;
    requirement: string;
  }>([
    {
      what: "the stream as a member",
      deviations: { stream: { member: "stream" } },
      operation: "stream",
      came: { status: "COMPLETED", stream: [{ output: {}, metrics: {} }] },
      read: [{ output: {}, metrics: {} }],
      requirement: "STRM-01",
    },
    {
      what: "elements without metrics",
      deviations: { stream: { withoutMetrics: true } },
      operation: "stream",
      came: [{ output: { index: 0 } }],
      read: [{ output: { index: 0 }, metrics: {} }],
      requirement: "STRM-01",
    },
    {
      what: "another name of a state",
      deviations: { states: { RUNNING: "IN_PROGRESS" } },
      came: { id: "j", status: "RUNNING" },
      read: { id: "j", status: "IN_PROGRESS" },
      requirement: "STAT-01",
    },
    {
      what: "another first state",
      deviations: { initialStatuses: ["IN_PROGRESS"] },
      operation: "run",
      came: { id: "j", status: "IN_PROGRESS" },
      read: { id: "j", status: "IN_QUEUE" },
      requirement: "RUNA-01",
    },
    {
      what: "progress shown as output",
      deviations: { outputInProgress: true },
      came: { id: "j", status: "IN_PROGRESS", output: 1 },
      read: { id: "j", status: "IN_PROGRESS" },
      requirement: "STAT-02",
    },
    {
      what: "a record without times",
      deviations: { recordsWithout: ["delayTime", "executionTime"] },
      came: { id: "j", status: "FAILED", delayTime: 7 },
      read: { id: "j", status: "FAILED", delayTime: 7, executionTime: 0 },
      requirement: "STAT-03",
    },
  ])("with $what is read as the specification writes it", (row) => {
    const { deviations, operation = "status", came, requirement } = row;
    const exchange = speaking(deviations).exchange(exchangeOf(came, { operation }));
    expect(read(exchange)).toEqual(row.read);
    expect(exchange.deviations).toMatchObject([{ requirement }]);
    expect(exchange.deviations?.[0]?.seen).toContain("status 200");
  });

  test("that shows no deviation is left alone, to the byte", () => {
    const interpreter = speaking({
      stream: { member: "stream", withoutMetrics: true },
      states: { RUNNING: "IN_PROGRESS" },
      outputInProgress: true,
    });
    const plain = exchangeOf('{"id": "j", "status": "COMPLETED", "output": 1.0}');
    expect(interpreter.exchange(plain)).toBe(plain);
  });

  test.each([404, 500])("of status %i is left alone", (status) => {
    const plain = exchangeOf({ id: "j", status: "RUNNING" }, { status });
    expect(speaking({ states: { RUNNING: "IN_PROGRESS" } }).exchange(plain)).toBe(plain);
  });

  test("that is an error in the form of a record is read as that error", () => {
    const errorRecords = [{ status: "FAILED", error: "Job ID not found", means: 404 }];
    const came = { id: "j", status: "FAILED", error: "Job ID not found" };
    const exchange = speaking({ errorRecords }).exchange(exchangeOf(came));
    expect(exchange.answer?.status).toBe(404);
    expect(exchange.deviations).toMatchObject([{ requirement: "STAT-09" }]);
    const other = exchangeOf({ ...came, error: "asked to fail" });
    expect(speaking({ errorRecords }).exchange(other)).toBe(other);
  });

  test("shows in evidence as it came", () => {
    const came = { id: "j", status: "RUNNING" };
    const interpreter = speaking({ states: { RUNNING: "IN_PROGRESS" } });
    const evidence = evidenceOf(interpreter.exchange(exchangeOf(came)), new Redactor(), 0);
    expect(evidence.response?.body).toBe(JSON.stringify(came));
  });

  test("to a second read of a result that can be read once is the first one again", () => {
    const interpreter = speaking({ oneShotResults: true });
    interpreter.exchange(exchangeOf(done));
    const again = interpreter.exchange(exchangeOf({ detail: "gone" }, { status: 404 }));
    expect(again.answer?.status).toBe(200);
    expect(read(again)).toEqual(done);
    expect(again.deviations).toMatchObject([{ requirement: "LIFE-02" }]);
    const other = exchangeOf({ detail: "gone" }, { status: 404, jobId: "k" });
    expect(interpreter.exchange(other).answer?.status).toBe(404);
  });

  test("notes how it had to be asked for", () => {
    const interpreter = speaking({
      basePath: "/v1/{endpointId}",
      methods: { status: "POST", health: "GET" },
      authorization: "bearer",
    });
    const { deviations } = interpreter.exchange(exchangeOf(done, { authorization: "Bearer ***" }));
    const found = deviations?.map(({ requirement }) => requirement);
    expect(found).toEqual(["ENDP-01", "STAT-01", "AUTH-03"]);
  });
});

describe("the body of a webhook", () => {
  test("is unwrapped", () => {
    const body = { job: done, event: "done" };
    const { text, deviation } = speaking({ webhookMember: "job" }).webhookBody(
      JSON.stringify(body),
    );
    expect(JSON.parse(text)).toEqual(done);
    expect(deviation?.requirement).toBe("HOOK-02");
  });

  test.each(["not json", "{}", "null", "[1]"])("that is not wrapped stays: %s", (text) => {
    expect(speaking({ webhookMember: "job" }).webhookBody(text)).toEqual({ text });
  });
});

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

  test("takes anything for 401 where nobody asks for a key", () => {
    const findings = findingsOf(speaking({ authorization: "none" }));
    new Expectations("AUTH-01", findings).status(exchangeOf(done), 401);
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
    const findings = findingsOf(new Interpreter(spec));
    new Expectations("STAT-09", findings).reading("400", "status of an unknown job");
    expect(findings.mismatches).toEqual([]);
  });
});

describe("what a service does not have", () => {
  test("is not asked for, and its requirements say so", () => {
    const interpreter = speaking({
      lacks: ["cancel"],
      lacksRequirements: { "POLI-04": "no limit" },
    });
    expect(interpreter.obstacle("cancel")).toBe("there is no cancel (dialect other)");
    expect(interpreter.obstacle("retry")).toBeUndefined();
    expect(interpreter.lacking("CANC-01")).toBe("there is no cancel");
    expect(interpreter.lacking("CONC-05")).toBe("there is no cancel");
    expect(interpreter.lacking("RETR-01")).toBeUndefined();
    expect(interpreter.lacking("POLI-04")).toBe("no limit");
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
    const interpreter = speaking({ skipsChecks: { "*cancelled*": "there is no cancel" } });
    expect(interpreter.lackingFor("webhook/after-cancelled")).toBe("there is no cancel");
    expect(interpreter.lackingFor("webhook/after-failed")).toBeUndefined();
  });
});
