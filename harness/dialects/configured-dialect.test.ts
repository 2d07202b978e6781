import { describe, expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { evidenceOf } from "../evidence/evidence.ts";
import { speaking } from "../../test/harness/virtual-session.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { spec } from "./spec.ts";
import { ConfiguredDialect } from "./configured-dialect.ts";
import type { Deviations } from "./schema.ts";

function read({ answer }: Exchange): unknown {
  const parsed = answer === undefined ? undefined : bodyOf(answer);
  return parsed?.ok === true ? parsed.value : undefined;
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
    expect(new ConfiguredDialect(spec).request(request)).toEqual(request);
  });

  test.each([
    { basePath: "", path: "/status/j?ttl=6000" },
    { basePath: "/v1/{endpointId}", path: "/v1/my%20e/status/j?ttl=6000" },
    { basePath: "/api", path: "/api/status/j?ttl=6000" },
  ])("goes to a base path of '$basePath'", ({ basePath, path }) => {
    expect(speaking({ basePath }).request(request).path).toBe(path);
  });

  test("is made by the method of its operation", () => {
    const adapter = speaking({ methods: { status: "POST" } });
    expect(adapter.request(request).method).toBe("POST");
    expect(adapter.request({ ...request, operation: "health" }).method).toBe("GET");
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
    const adapter = speaking({
      stream: { member: "stream", withoutMetrics: true },
      states: { RUNNING: "IN_PROGRESS" },
      outputInProgress: true,
    });
    const plain = exchangeOf('{"id": "j", "status": "COMPLETED", "output": 1.0}');
    expect(adapter.exchange(plain)).toBe(plain);
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
    const adapter = speaking({ states: { RUNNING: "IN_PROGRESS" } });
    const evidence = evidenceOf(adapter.exchange(exchangeOf(came)), new Redactor(), {
      startedAtMs: 0,
    });
    expect(evidence.response?.body).toBe(JSON.stringify(came));
  });

  test("to a second read of a result that can be read once is the first one again", () => {
    const adapter = speaking({ oneShotResults: true });
    adapter.exchange(exchangeOf(done));
    const again = adapter.exchange(exchangeOf({ detail: "gone" }, { status: 404 }));
    expect(again.answer?.status).toBe(200);
    expect(read(again)).toEqual(done);
    expect(again.deviations).toMatchObject([{ requirement: "LIFE-02" }]);
    const other = exchangeOf({ detail: "gone" }, { status: 404, jobId: "k" });
    expect(adapter.exchange(other).answer?.status).toBe(404);
  });

  test("notes how it had to be asked for", () => {
    const adapter = speaking({
      basePath: "/v1/{endpointId}",
      methods: { status: "POST", health: "GET" },
      authorization: "bearer",
    });
    const { deviations } = adapter.exchange(exchangeOf(done, { authorization: "Bearer ***" }));
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
