import { expect, test } from "vitest";

import { requirementIds, requirements } from "./requirements.ts";
import { answerSchema, isOperationName, operations } from "./operations.ts";
import { validators } from "./generated/validators.ts";

test("there are the ten operations of the specification", () => {
  expect(operations.map(({ name, method, path }) => `${name}: ${method} ${path}`)).toEqual([
    "run: POST /run",
    "runsync: POST /runsync",
    "status: GET /status/{jobId}",
    "stream: GET /stream/{jobId}",
    "cancel: POST /cancel/{jobId}",
    "retry: POST /retry/{jobId}",
    "purge-queue: POST /purge-queue",
    "health: GET /health",
    "openai: POST /openai/v1/chat/completions",
    "requests: GET /requests",
  ]);
});

test("every operation has a validator for its answer", () => {
  for (const { name } of operations) {
    expect(validators[answerSchema[name]], name).toBeTypeOf("function");
  }
});

test.each([
  ["rate", "requestsPerWindow"],
  ["concurrency", "inFlight"],
] as const)("the limits of area %s agree with the catalogue", (area, key) => {
  const stated = requirementIds
    .map((id) => requirements[id])
    .filter((entry) => entry.area === area)
    .flatMap(({ text }) => {
      const match = /^(?<name>[a-z-]+)(?:\/\*)?: (?<limit>\d+)/u.exec(text);
      return match === null ? [] : [`${match.groups?.["name"]}: ${match.groups?.["limit"]}`];
    });
  const documented = operations
    .filter(({ rateLimit }) => rateLimit[key] !== undefined)
    .map(({ name, rateLimit }) => `${name}: ${rateLimit[key]}`);

  expect(documented.length).toBeGreaterThan(0);
  expect(documented.toSorted()).toEqual(stated.toSorted());
});

test("every window is ten seconds", () => {
  expect(new Set(operations.map(({ rateLimit }) => rateLimit.windowMs))).toEqual(new Set([10_000]));
});

test.each([
  ["purge-queue", true],
  ["purgeQueue", false],
  ["constructor", false],
])("isOperationName(%o) is %o", (text, expected) => {
  expect(isOperationName(text)).toBe(expected);
});
