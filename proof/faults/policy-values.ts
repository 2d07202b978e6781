import { isIntegerWithin, isJsonObject } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import type { Policy } from "../../reference/job.ts";
import { fault, remembering } from "./builders/compose.ts";
import { also, except, whenever } from "./builders/member.ts";

const SEVEN_DAYS_MS = 604_800_000;

/** Bugs in what is accepted as a policy. */
export const policyValueFaults: readonly Fault[] = [
  fault("policy/execution-timeout-a-millisecond-too-short", ["POLI-01"], {
    describe: "An executionTimeout of 4999 is accepted.",
    change: also("submission.acceptsExecutionTimeout", (value) => value === 4_999),
  }),
  fault("policy/shortest-execution-timeout-is-refused", ["POLI-01"], {
    describe: "An executionTimeout of 5000 is refused.",
    change: except("submission.acceptsExecutionTimeout", (value) => value === 5_000),
  }),
  fault("policy/execution-timeout-a-millisecond-too-long", ["POLI-01"], {
    describe: "An executionTimeout of 604800001 is accepted.",
    change: also("submission.acceptsExecutionTimeout", (value) => value === 604_800_001),
  }),
  fault("policy/longest-execution-timeout-is-refused-on-runsync", ["POLI-01"], {
    describe: "runsync refuses an executionTimeout of 604800000.",
    change: except(
      "submission.acceptsExecutionTimeout",
      (value, operation) => operation === "runsync" && value === SEVEN_DAYS_MS,
    ),
  }),
  fault("policy/execution-timeout-may-be-a-fraction", ["POLI-01"], {
    describe: "An executionTimeout that is no integer is accepted within the bounds.",
    change: also(
      "submission.acceptsExecutionTimeout",
      (value) => typeof value === "number" && value >= 5_000 && value <= SEVEN_DAYS_MS,
    ),
  }),
  fault("policy/execution-timeout-may-be-a-string", ["POLI-01"], {
    describe: "An executionTimeout that is a string of digits is accepted.",
    change: also(
      "submission.acceptsExecutionTimeout",
      (value) => typeof value === "string" && isIntegerWithin(Number(value), 5_000, SEVEN_DAYS_MS),
    ),
  }),
  fault("policy/execution-timeout-beyond-the-ttl-is-refused", ["POLI-01", "POLI-02"], {
    describe: "A policy whose executionTimeout is longer than its ttl is refused.",
    change: except(
      "submission.acceptsPolicy",
      (value) => isJsonObject(value) && Number(value["executionTimeout"]) > Number(value["ttl"]),
    ),
  }),
  fault("policy/longest-of-both-is-refused", ["POLI-01", "POLI-02"], {
    describe: "An executionTimeout and a ttl of 604800000 are refused in one policy.",
    change: except("submission.acceptsPolicy", (value) =>
      isPolicyOf(value, { executionTimeout: SEVEN_DAYS_MS, ttl: SEVEN_DAYS_MS }),
    ),
  }),
  fault("policy/shortest-of-both-is-refused", ["POLI-01", "POLI-02"], {
    describe: "An executionTimeout of 5000 and a ttl of 10000 are refused in one policy.",
    change: except("submission.acceptsPolicy", (value) =>
      isPolicyOf(value, { executionTimeout: 5_000, ttl: 10_000 }),
    ),
  }),
  fault("policy/ttl-a-millisecond-too-short", ["POLI-02"], {
    describe: "A ttl of 9999 is accepted.",
    change: also("submission.acceptsTtl", (value) => value === 9_999),
  }),
  fault("policy/shortest-ttl-is-refused", ["POLI-02"], {
    describe: "A ttl of 10000 is refused.",
    change: except("submission.acceptsTtl", (value) => value === 10_000),
  }),
  fault("policy/ttl-has-no-upper-bound", ["POLI-02"], {
    describe: "A ttl above 7 days is accepted.",
    change: also("submission.acceptsTtl", (value) =>
      isIntegerWithin(value, SEVEN_DAYS_MS, Number.MAX_VALUE),
    ),
  }),
  fault("policy/longest-ttl-is-refused", ["POLI-02"], {
    describe: "A ttl of 604800000 is refused.",
    change: except("submission.acceptsTtl", (value) => value === SEVEN_DAYS_MS),
  }),
  fault("policy/ttl-may-be-a-fraction-on-runsync", ["POLI-02"], {
    describe: "runsync accepts a ttl that is no integer.",
    change: also(
      "submission.acceptsTtl",
      (value, operation) =>
        operation === "runsync" &&
        typeof value === "number" &&
        isIntegerWithin(Math.floor(value), 10_000, SEVEN_DAYS_MS),
    ),
  }),
  fault("policy/ttl-unchecked-beside-an-execution-timeout", ["POLI-02"], {
    describe: "A ttl is not looked at where the policy has an executionTimeout.",
    change: remembering({ isBeside: false }, (memory) => [
      whenever("submission.acceptsPolicy", (value) => {
        memory.isBeside = isJsonObject(value) && value["executionTimeout"] !== undefined;
      }),
      also("submission.acceptsTtl", () => memory.isBeside),
    ]),
  }),
  fault("policy/low-priority-may-be-a-string", ["POLI-03"], {
    describe: 'A lowPriority of "true" or "false" is accepted.',
    change: also("submission.acceptsLowPriority", (value) => value === "true" || value === "false"),
  }),
  fault("policy/low-priority-may-be-a-number-on-runsync", ["POLI-03"], {
    describe: "runsync accepts a lowPriority of 0 or 1.",
    change: also(
      "submission.acceptsLowPriority",
      (value, operation) => operation === "runsync" && (value === 0 || value === 1),
    ),
  }),
  fault("policy/low-priority-false-is-refused", ["POLI-03"], {
    describe: "A lowPriority of false is refused.",
    change: except("submission.acceptsLowPriority", (value) => value === false),
  }),
];

function isPolicyOf(value: unknown, { executionTimeout, ttl }: Policy): boolean {
  if (!isJsonObject(value)) return false;
  return value["executionTimeout"] === executionTimeout && value["ttl"] === ttl;
}
