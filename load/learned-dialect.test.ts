import { describe, expect, test } from "vitest";

import { endpointAddressOf } from "../client/endpoint-address.ts";
import { ConfiguredDialect } from "../harness/dialects/configured-dialect.ts";
import { spec } from "../harness/dialects/spec.ts";
import { bodyIn, routeOf, valueAt } from "../openapi/departures.ts";
import { idOf } from "./requirements/job-answers.ts";
import { requestOf } from "./requirements/requests.ts";
import { operationIn } from "./sent-load.ts";

/** A target that has the operations at its root and takes a key as Bearer alone. */
function learned(): ConfiguredDialect {
  const dialect = new ConfiguredDialect(spec);
  const deviations = { basePath: "", authorization: "bearer" } as const;
  dialect.learn({ cause: "path-without-v2", breaks: ["ENDP-01"], deviations });
  return dialect;
}

const access = { baseUrl: "http://127.0.0.1:1/base", endpointId: "a b", apiKey: "key-of-it" };

describe("load on a target with another path and form of the key", () => {
  test("is sent there by the probe", () => {
    const { url, headers } = requestOf({ ...access, translation: learned() }, "runsync", {
      waitMs: 2000,
    });
    expect(url).toBe("http://127.0.0.1:1/base/runsync?wait=2000");
    expect(headers).toMatchObject({ authorization: "Bearer key-of-it" });
    expect(requestOf(access, "run").url).toBe("http://127.0.0.1:1/base/v2/a%20b/run");
  });

  test("is sent there by other engines", () => {
    expect(endpointAddressOf({ ...access, translation: learned() })).toEqual({
      url: "http://127.0.0.1:1/base",
      authorization: "Bearer key-of-it",
    });
    expect(endpointAddressOf(access)).toEqual({
      url: "http://127.0.0.1:1/base/v2/a%20b",
      authorization: "key-of-it",
    });
  });

  test("other engines are told of operations that are called, and answers that stand, otherwise", () => {
    const dialect = new ConfiguredDialect({
      ...spec,
      deviations: { methods: { status: "POST" }, envelope: "data", states: { done: "COMPLETED" } },
    });
    expect(endpointAddressOf({ ...access, translation: dialect })).toMatchObject({
      routes: { status: { method: "POST", path: "/status/{jobId}" } },
      answers: { envelope: "data", states: { done: "COMPLETED" } },
    });
    const slashed = new ConfiguredDialect({ ...spec, deviations: { trailingSlash: true } });
    const { url, routes } = endpointAddressOf({ ...access, translation: slashed });
    expect(`${url}${routeOf("status", "x", routes).path}`).toBe(
      "http://127.0.0.1:1/base/v2/a%20b/status/x/",
    );
    expect(routeOf("run", "")).toEqual({ method: "POST", path: "/run" });
  });

  test("is read in the specification's terms", () => {
    const body = JSON.stringify({ data: { id: 7, status: "done" } });
    const exchange = {
      sentMs: 0,
      answeredMs: 1,
      answer: { status: 200, headers: {}, body, keepsAlive: true },
    };
    expect(idOf(exchange, { envelope: "data" })).toBe("7");
    expect(bodyIn(JSON.parse(body), { envelope: "data", states: { done: "COMPLETED" } })).toEqual({
      id: "7",
      status: "COMPLETED",
    });
    const health = { data: { jobs: { inQueue: 3 } } };
    expect(valueAt(bodyIn(health, { envelope: "data" }), "jobs.inQueue")).toBe(3);
  });

  test.each([
    ["POST /v2/run/status/x", "status"],
    ["POST /run", "run"],
    ["POST /base/runsync?wait=2000", "runsync"],
    ["GET /api/e/status/some-job", "status"],
    ["GET /elsewhere", undefined],
  ])("is counted by operation: %s", (request, operation) => {
    expect(operationIn(request)).toBe(operation);
  });
});
