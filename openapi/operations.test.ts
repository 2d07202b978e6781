import { expect, test } from "vitest";

import { requirementIds, requirements } from "./requirements.ts";
import {
  answerSchema,
  cappedTiers,
  isOperationName,
  operations,
  pathOf,
  tiers,
} from "./operations.ts";
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

test("the table of limits agrees with the catalogue", () => {
  const stated = requirementIds.flatMap((id) => {
    const match = /^(?<name>[a-z-]+)(?:\/\*)?: (?<limit>\d+)/u.exec(requirements[id].text);
    return match === null ? [] : [`${id} ${match.groups?.["name"]}: ${match.groups?.["limit"]}`];
  });
  const rates = tiers.map(({ operation, rate, limit }) => `${rate} ${operation}: ${limit}`);
  const caps = cappedTiers.map(
    ({ operation, concurrency, cap }) => `${concurrency} ${operation}: ${cap}`,
  );

  expect(rates.length).toBeGreaterThan(0);
  expect([...rates, ...caps]).toEqual(stated);
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

test("an operation's path holds the job's id as it is given", () => {
  expect(pathOf("status", "$&")).toBe("/status/$&");
  expect(pathOf("health")).toBe("/health");
});
