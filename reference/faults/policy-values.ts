import { isIntegerWithin, isJsonObject } from "../behaviour/submission.ts";
import type { Fault } from "../fault.ts";

const SEVEN_DAYS_MS = 604_800_000;

/** Bugs in what is accepted as a policy. */
export const policyValueFaults: readonly Fault[] = [
  {
    name: "policy/execution-timeout-a-millisecond-too-short",
    breaks: ["POLI-01"],
    describe: "An executionTimeout of 4999 is accepted.",
    change: () => ({
      submission: {
        acceptsExecutionTimeout: (value) => isIntegerWithin(value, 4_999, SEVEN_DAYS_MS),
      },
    }),
  },
  {
    name: "policy/shortest-execution-timeout-is-refused",
    breaks: ["POLI-01"],
    describe: "An executionTimeout of 5000 is refused.",
    change: () => ({
      submission: {
        acceptsExecutionTimeout: (value) => isIntegerWithin(value, 5_001, SEVEN_DAYS_MS),
      },
    }),
  },
  {
    name: "policy/execution-timeout-a-millisecond-too-long",
    breaks: ["POLI-01"],
    describe: "An executionTimeout of 604800001 is accepted.",
    change: () => ({
      submission: {
        acceptsExecutionTimeout: (value) => isIntegerWithin(value, 5_000, SEVEN_DAYS_MS + 1),
      },
    }),
  },
  {
    name: "policy/longest-execution-timeout-is-refused-on-runsync",
    breaks: ["POLI-01"],
    describe: "runsync refuses an executionTimeout of 604800000.",
    change: () => ({
      submission: {
        acceptsExecutionTimeout: (value, operation) =>
          isIntegerWithin(value, 5_000, operation === "runsync" ? 604_799_999 : SEVEN_DAYS_MS),
      },
    }),
  },
  {
    name: "policy/execution-timeout-may-be-a-fraction",
    breaks: ["POLI-01"],
    describe: "An executionTimeout that is no integer is accepted within the bounds.",
    change: () => ({
      submission: {
        acceptsExecutionTimeout: (value) =>
          typeof value === "number" && value >= 5_000 && value <= SEVEN_DAYS_MS,
      },
    }),
  },
  {
    name: "policy/execution-timeout-may-be-a-string",
    breaks: ["POLI-01"],
    describe: "An executionTimeout that is a string of digits is accepted.",
    change: () => ({
      submission: {
        acceptsExecutionTimeout: (value) =>
          isIntegerWithin(typeof value === "string" ? Number(value) : value, 5_000, SEVEN_DAYS_MS),
      },
    }),
  },
  {
    name: "policy/ttl-a-millisecond-too-short",
    breaks: ["POLI-02"],
    describe: "A ttl of 9999 is accepted.",
    change: () => ({
      submission: { acceptsTtl: (value) => isIntegerWithin(value, 9_999, SEVEN_DAYS_MS) },
    }),
  },
  {
    name: "policy/shortest-ttl-is-refused",
    breaks: ["POLI-02"],
    describe: "A ttl of 10000 is refused.",
    change: () => ({
      submission: { acceptsTtl: (value) => isIntegerWithin(value, 10_001, SEVEN_DAYS_MS) },
    }),
  },
  {
    name: "policy/ttl-has-no-upper-bound",
    breaks: ["POLI-02"],
    describe: "A ttl above 7 days is accepted.",
    change: () => ({
      submission: { acceptsTtl: (value) => isIntegerWithin(value, 10_000, Number.MAX_VALUE) },
    }),
  },
  {
    name: "policy/longest-ttl-is-refused",
    breaks: ["POLI-02"],
    describe: "A ttl of 604800000 is refused.",
    change: () => ({
      submission: { acceptsTtl: (value) => isIntegerWithin(value, 10_000, SEVEN_DAYS_MS - 1) },
    }),
  },
  {
    name: "policy/ttl-may-be-a-fraction-on-runsync",
    breaks: ["POLI-02"],
    describe: "runsync accepts a ttl that is no integer.",
    change: ({ submission }) => ({
      submission: {
        acceptsTtl: (value, operation) =>
          submission.acceptsTtl(value, operation) ||
          (operation === "runsync" &&
            typeof value === "number" &&
            submission.acceptsTtl(Math.floor(value), operation)),
      },
    }),
  },
  {
    name: "policy/ttl-unchecked-beside-an-execution-timeout",
    breaks: ["POLI-02"],
    describe: "A ttl is not looked at where the policy has an executionTimeout.",
    change: ({ submission }) => {
      let isBeside = false;
      return {
        submission: {
          acceptsPolicy: (value, operation) => {
            isBeside = isJsonObject(value) && value["executionTimeout"] !== undefined;
            return submission.acceptsPolicy(value, operation);
          },
          acceptsTtl: (value, operation) => isBeside || submission.acceptsTtl(value, operation),
        },
      };
    },
  },
  {
    name: "policy/low-priority-may-be-a-string",
    breaks: ["POLI-03"],
    describe: 'A lowPriority of "true" or "false" is accepted.',
    change: () => ({
      submission: {
        acceptsLowPriority: (value) =>
          typeof value === "boolean" || value === "true" || value === "false",
      },
    }),
  },
  {
    name: "policy/low-priority-may-be-a-number-on-runsync",
    breaks: ["POLI-03"],
    describe: "runsync accepts a lowPriority of 0 or 1.",
    change: () => ({
      submission: {
        acceptsLowPriority: (value, operation) =>
          typeof value === "boolean" || (operation === "runsync" && (value === 0 || value === 1)),
      },
    }),
  },
  {
    name: "policy/low-priority-false-is-refused",
    breaks: ["POLI-03"],
    describe: "A lowPriority of false is refused.",
    change: () => ({ submission: { acceptsLowPriority: (value) => value === true } }),
  },
];
