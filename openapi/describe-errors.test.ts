import { expect, test } from "vitest";

import { describeErrors, settingProblems } from "./describe-errors.ts";
import { validators } from "./generated/validators.ts";
import { wordedAjv } from "./worded-schema.ts";

const health = {
  jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
  workers: { idle: 1, running: 0 },
};

test.each([
  {
    what: "a wrong type",
    body: { ...health, jobs: { ...health.jobs, failed: "1" } },
    line: "/jobs/failed must be integer",
  },
  {
    what: "a number below its bound",
    body: { ...health, workers: { idle: -1, running: 0 } },
    line: "/workers/idle must be >= 0",
  },
  {
    what: "a missing member",
    body: { jobs: health.jobs },
    line: "body must have required property 'workers'",
  },
  { what: "another kind of body", body: [], line: "body must be object" },
])("names the place and the rule of $what", ({ body, line }) => {
  expect(validators.HealthAnswer(body)).toBe(false);
  expect(describeErrors(validators.HealthAnswer.errors)).toBe(line);
});

test("lists the values of an enumeration", () => {
  expect(validators.PurgeAnswer({ removed: 0, status: "done" })).toBe(false);
  expect(describeErrors(validators.PurgeAnswer.errors)).toBe("/status must be one of completed");
});

test("names a member that must not be there", () => {
  expect(validators.StatusAnswer({ id: "a", status: "IN_QUEUE", output: {} })).toBe(false);
  expect(describeErrors(validators.StatusAnswer.errors)).toBe("/output must not be present");
});

test("names the broken rule of a condition, not the condition", () => {
  expect(validators.StatusAnswer({ id: "a", status: "FAILED" })).toBe(false);
  expect(describeErrors(validators.StatusAnswer.errors)).toBe(
    "body must have required property 'delayTime'",
  );
});

test("names both of two types", () => {
  const body = { id: "a", status: "COMPLETED", output: "text", delayTime: 0, executionTime: 0 };
  expect(validators.StatusAnswer(body)).toBe(false);
  expect(describeErrors(validators.StatusAnswer.errors)).toBe("/output must be object or array");
});

test("never shows a value of the body", () => {
  const body = { input: {}, s3Config: { accessSecret: ["hidden-value"] } };
  expect(validators.JobSubmission(body)).toBe(false);
  expect(describeErrors(validators.JobSubmission.errors)).toBe(
    "/s3Config/accessSecret must be string",
  );
});

test("joins several problems in one line", () => {
  const error = { instancePath: "/a", schemaPath: "", keyword: "other", params: {} };
  expect(describeErrors([error, { ...error, instancePath: "" }])).toBe(
    "/a breaks the rule other; body breaks the rule other",
  );
});

test.each([[null], [undefined], [[]]])("says valid of %o", (errors) => {
  expect(describeErrors(errors)).toBe("valid");
});

const validate = wordedAjv.compile({
  type: "object",
  expects: "a JSON object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 2, pattern: "^[a-z]+$", expects: "a word" },
    key: { type: "string", pattern: "^k", expects: "a key", secret: true },
    clock: { enum: ["real", "virtual"], expects: "one of real, virtual" },
    readings: { type: "object", properties: {}, additionalProperties: false, keysAre: "open" },
  },
});

function offer(_text: string, [first]: readonly string[]): string {
  return first === undefined ? "" : ` (of ${first})`;
}

test.each([
  { value: [1], problems: ["/: expected a JSON object, got a list"] },
  { value: {}, problems: ["/name is missing"] },
  { value: { name: "A" }, problems: ['/name: expected a word, got "A"'] },
  { value: { name: "ab", nam: 1 }, problems: ["/nam is not a known key (of name)"] },
  { value: { name: "ab", key: "hidden" }, problems: ["/key: expected a key, got ***"] },
  { value: { name: "ab", readings: { X: 1 } }, problems: ["/readings/X is not open"] },
  {
    value: { name: {}, clock: "reel" },
    problems: [
      "/name: expected a word, got an object",
      '/clock: expected one of real, virtual, got "reel" (of real)',
    ],
  },
])("tells of $value what belongs there, once for each place", ({ value, problems }) => {
  expect(validate(value)).toBe(false);
  expect(settingProblems(validate.errors, { offer })).toEqual(problems);
});

test("speaks of places as their source does, and shows no more of a text than a line holds", () => {
  expect(validate({ name: "A".repeat(100) })).toBe(false);
  expect(settingProblems(validate.errors, { nameOf: (pointer) => `--${pointer}` })).toEqual([
    `--/name: expected a word, got "${"A".repeat(79)}…`,
  ]);
});
