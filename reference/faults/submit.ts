import type { Fault } from "../fault.ts";
import type { JsonObject, SubmitOperation } from "../job.ts";
import { faultsOf } from "./builders/faults-of.ts";
import { also, except, override, result, type Change, where } from "./builders/member.ts";

/** Bugs in what is taken for a submission, and in what a refused one leaves. */
export const submitFaults: readonly Fault[] = faultsOf({
  "submit/runsync-needs-no-input": {
    breaks: ["SUBM-01"],
    describe: "runsync takes a missing input for an empty one.",
    change: takingInput((input, operation) => operation === "runsync" && input === undefined),
  },
  "submit/input-may-be-an-array": {
    breaks: ["SUBM-02"],
    describe: "An array passes as input.",
    change: takingInput((input) => Array.isArray(input)),
  },
  "submit/input-may-be-null": {
    breaks: ["SUBM-02"],
    describe: "run takes null for an input, being an object to typeof.",
    change: takingInput((input, operation) => operation === "run" && input === null),
  },
  "submit/input-may-be-text": {
    breaks: ["SUBM-02"],
    describe: "runsync wraps a string that is given as input.",
    change: takingInput((input, operation) => operation === "runsync" && typeof input === "string"),
  },
  "submit/broken-json-is-a-server-error": {
    breaks: ["SUBM-03"],
    describe: "A body that is not JSON answers 500.",
    change: where(
      "submission.refusalStatus",
      (problem) => problem.startsWith("the body must"),
      500,
    ),
  },
  "submit/first-of-an-array-is-taken": {
    breaks: ["SUBM-03"],
    describe: "A body that is an array is accepted as a batch of nothing.",
    change: where("submission.bodyOf", (value) => Array.isArray(value), { input: {} }),
  },
  "submit/truncated-json-is-closed": {
    breaks: ["SUBM-03"],
    describe: "run accepts a body whose JSON lacks its end.",
    change: override("submission.parse", (parse) => (text, operation) => {
      try {
        return parse(text, operation);
      } catch (error) {
        if (operation === "run" && text.startsWith("{")) return { input: {} };
        throw error;
      }
    }),
  },
  "submit/webhook-may-be-any-text": {
    breaks: ["SUBM-06"],
    describe: "run accepts any string as webhook.",
    change: also(
      "submission.acceptsWebhook",
      (value, operation) => operation === "run" && typeof value === "string",
    ),
  },
  "submit/webhook-may-be-a-number": {
    breaks: ["SUBM-06"],
    describe: "runsync does not look at the type of webhook.",
    change: also(
      "submission.acceptsWebhook",
      (value, operation) => operation === "runsync" && typeof value !== "string",
    ),
  },
  "submit/refused-policy-creates-a-job": {
    breaks: ["SUBM-07"],
    describe: "A submission refused for its policy is queued nevertheless.",
    change: except("submission.refusalCreatesNoJob", (problem) => problem.startsWith("policy")),
  },
  "submit/refused-runsync-creates-a-job": {
    breaks: ["SUBM-07"],
    describe: "A runsync without a usable input is queued nevertheless.",
    change: except(
      "submission.refusalCreatesNoJob",
      (problem, operation) => operation === "runsync" && problem.startsWith("input"),
    ),
  },
  "submit/options-alone-are-a-submission": {
    breaks: ["SUBM-01"],
    describe: "run needs no input where there is a policy.",
    change: takingInput(
      (input, operation, body) =>
        operation === "run" && input === undefined && body["policy"] !== undefined,
    ),
  },
  "submit/falsy-input-is-an-empty-one": {
    breaks: ["SUBM-02"],
    describe: "runsync takes false and 0 for an empty input.",
    change: takingInput(
      (input, operation) => operation === "runsync" && (input === false || input === 0),
    ),
  },
  "submit/input-of-json-text-is-parsed": {
    breaks: ["SUBM-02"],
    describe: "A string that holds a JSON object passes as input.",
    change: takingInput((input) => typeof input === "string" && input.startsWith("{")),
  },
  "submit/empty-body-is-an-empty-submission": {
    breaks: ["SUBM-03"],
    describe: "runsync accepts an empty body.",
    change: where("submission.parse", (text, operation) => operation === "runsync" && text === "", {
      input: {},
    }),
  },
  "submit/nan-is-a-number": {
    breaks: ["SUBM-03"],
    describe: "NaN passes for a JSON number, as it does with some parsers.",
    change: override(
      "submission.parse",
      (parse) => (text, operation) => parse(text.replaceAll(/:NaN\b/g, ":null"), operation),
    ),
  },
  "submit/text-after-the-body-is-ignored": {
    breaks: ["SUBM-03"],
    describe: "run reads the first JSON object of a body and ignores what follows.",
    change: override(
      "submission.parse",
      (parse) => (text, operation) =>
        parse(operation === "run" ? text.replace(/\}\}.*$/s, "}}") : text, operation),
    ),
  },
  "submit/body-of-json-text-is-parsed-twice": {
    breaks: ["SUBM-03"],
    describe: "A JSON string that holds a submission is accepted as one.",
    change: override("submission.parse", (parse) => (text, operation) => {
      const value = parse(text, operation);
      return typeof value === "string" && value.startsWith("{") ? parse(value, operation) : value;
    }),
  },
  "submit/webhook-may-be-empty": {
    breaks: ["SUBM-06"],
    describe: "An empty string passes as webhook.",
    change: also("submission.acceptsWebhook", (value) => value === ""),
  },
  "submit/webhook-may-be-a-list": {
    breaks: ["SUBM-06"],
    describe: "An array of URLs passes as webhook.",
    change: also("submission.acceptsWebhook", (value) => Array.isArray(value) && value.length > 0),
  },
  "submit/refused-webhook-creates-a-job": {
    breaks: ["SUBM-07"],
    describe: "A run refused for its webhook is queued nevertheless.",
    change: except(
      "submission.refusalCreatesNoJob",
      (problem, operation) => operation === "run" && problem.startsWith("webhook"),
    ),
  },
  "submit/refused-storage-creates-a-job": {
    breaks: ["SUBM-07"],
    describe: "A submission refused for its s3Config is queued nevertheless.",
    change: except("submission.refusalCreatesNoJob", (problem) => problem.startsWith("s3Config")),
  },
  "submit/policy-inside-the-input-is-refused": {
    breaks: ["SUBM-04"],
    describe: "An input with a member named policy is refused.",
    change: result("submission.inputOf", (input) =>
      input !== undefined && "policy" in input ? undefined : input,
    ),
  },
});

/** Takes for an empty input what should be refused. */
function takingInput(
  condition: (input: unknown, operation: SubmitOperation, body: JsonObject) => boolean,
): Change {
  return where(
    "submission.inputOf",
    (body, operation) => condition(body["input"], operation, body),
    {},
  );
}
