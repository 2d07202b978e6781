import { expect, test } from "vitest";

import { isTestsFile, parseTests } from "./tests-file.ts";

test("a body of run is one test", () => {
  const file = { input: { prompt: "hello" } };
  expect(isTestsFile(file)).toBe(true);
  expect(parseTests(file)).toEqual({
    ok: true,
    tests: [
      { name: "test 1", input: { prompt: "hello" }, timeoutMs: 60_000, expectsFailure: false },
    ],
    environment: {},
    unused: [],
  });
});

test("a test may be meant to fail, and name a time; others have the one that is given", () => {
  const tests = [
    { name: "a", input: {}, expect: "FAILED", timeout: 5 },
    { name: "b", input: {}, expect: "COMPLETED" },
  ];
  const parsed = parseTests({ tests }, 7);
  const told = parsed.ok && parsed.tests.map((each) => [each.expectsFailure, each.timeoutMs]);
  expect(told).toEqual([
    [true, 5],
    [false, 7],
  ]);
});

test("what the file says of a deployment is variables for the worker, and what is not used", () => {
  const config = { gpuTypeId: "x", env: [{ key: "MODE", value: "fast" }] };
  expect(parseTests({ tests: [{ input: {} }], config })).toMatchObject({
    environment: { MODE: "fast" },
    unused: ["gpuTypeId"],
  });
});

test("an input that is a whole body of run gives its input, and one that only looks so itself", () => {
  const inputs = [{ input: { a: 1 }, policy: {} }, { input: { a: 1 }, seed: 7 }, { input: "text" }];
  const tests = inputs.map((input, at) => ({ name: String(at), input, timeout: 10 }));
  const parsed = parseTests({ tests, config: {} });
  expect(parsed.ok && parsed.tests.map(({ input }) => input)).toEqual([
    { a: 1 },
    { input: { a: 1 }, seed: 7 },
    { input: "text" },
  ]);
});

test("a jobs file is none of tests", () => {
  expect(isTestsFile({ quick: { input: {} } })).toBe(false);
});

test.each([
  [{ tests: [] }, "/tests: expected a list of one or more tests"],
  [{ tests: {} }, "/tests: expected a list of one or more tests"],
  [{ input: 1 }, "/input: expected an input for your handler, a JSON object"],
  [{ tests: [{ input: {}, timeout: "1" }] }, "/tests/0/timeout: expected a number of milliseconds"],
  [{ tests: [{ name: 1, input: {} }] }, "/tests/0/name: expected a text"],
  [{ tests: [{ input: {}, expect: "ok" }] }, '/tests/0/expect: expected "COMPLETED" or "FAILED"'],
  [{ tests: [{ input: {} }], config: { env: [{ key: "A" }] } }, "/config/env: expected a list of"],
  [{ tests: [1] }, "/tests/0: expected an object with an input"],
  [
    {
      tests: [
        { name: "a", input: {} },
        { name: "a", input: {} },
      ],
    },
    '/tests: two tests have the name "a"',
  ],
])("is refused: %j", (file, problem) => {
  const parsed = parseTests(file);
  expect(parsed.ok ? [] : parsed.problems).toEqual([expect.stringContaining(problem)]);
});
