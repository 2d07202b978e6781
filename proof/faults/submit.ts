import type { Fault } from "../../reference/faults.ts";
import type { JsonObject } from "../../reference/job.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import { fault, remembering } from "./builders/compose.ts";
import {
  also,
  type Change,
  except,
  instead,
  override,
  result,
  whenever,
} from "./builders/member.ts";
import { withHomes } from "./builders/numbers.ts";

/** Bugs in what is accepted as a submission, and in what a refused one leaves behind. */
export const submitFaults: readonly Fault[] = [
  fault("submit/runsync-needs-no-input", ["SUBM-01"], {
    describe: "runsync takes a missing input for an empty one.",
    change: takingInput((input, operation) => operation === "runsync" && input === undefined),
  }),
  fault("submit/input-may-be-an-array", ["SUBM-02"], {
    describe: "An array passes as input.",
    change: takingInput((input) => Array.isArray(input)),
  }),
  fault("submit/input-may-be-null", ["SUBM-02"], {
    describe: "run takes null for an input, being an object to typeof.",
    change: takingInput((input, operation) => operation === "run" && input === null),
  }),
  fault("submit/input-may-be-text", ["SUBM-02"], {
    describe: "runsync wraps a string that is given as input.",
    change: takingInput((input, operation) => operation === "runsync" && typeof input === "string"),
  }),
  fault("submit/broken-json-is-a-server-error", ["SUBM-03"], {
    describe: "A body that is not JSON answers 500.",
    change: instead("submission.refusalStatus", 500, (problem) =>
      problem.startsWith("the body must"),
    ),
  }),
  fault("submit/first-of-an-array-is-taken", ["SUBM-03"], {
    describe: "A body that is an array is accepted as a batch of nothing.",
    change: instead("submission.bodyOf", { input: {} }, (value) => Array.isArray(value)),
  }),
  fault("submit/truncated-json-is-closed", ["SUBM-03"], {
    describe: "run accepts a body whose JSON lacks its end.",
    change: override("submission.parse", (parse) => (text, operation) => {
      try {
        return parse(text, operation);
      } catch (error) {
        if (operation === "run" && text.startsWith("{")) return { input: {} };
        throw error;
      }
    }),
  }),
  fault("submit/webhook-may-be-any-text", ["SUBM-06"], {
    describe: "run accepts any string as webhook.",
    change: also(
      "submission.acceptsWebhook",
      (value, operation) => operation === "run" && typeof value === "string",
    ),
  }),
  fault("submit/webhook-may-be-a-number", ["SUBM-06"], {
    describe: "runsync does not look at the type of webhook.",
    change: also(
      "submission.acceptsWebhook",
      (value, operation) => operation === "runsync" && typeof value !== "string",
    ),
  }),
  fault("submit/refused-policy-creates-a-job", ["SUBM-07"], {
    describe: "A submission refused for its policy is queued nevertheless.",
    change: except("submission.refusalCreatesNoJob", (problem) => problem.startsWith("policy")),
  }),
  fault("submit/refused-runsync-creates-a-job", ["SUBM-07"], {
    describe: "A runsync without a usable input is queued nevertheless.",
    change: except(
      "submission.refusalCreatesNoJob",
      (problem, operation) => operation === "runsync" && problem.startsWith("input"),
    ),
  }),
  fault("submit/options-alone-are-a-submission", ["SUBM-01"], {
    describe: "run needs no input where there is a policy.",
    change: takingInput(
      (input, operation, body) =>
        operation === "run" && input === undefined && body["policy"] !== undefined,
    ),
  }),
  fault("submit/falsy-input-is-an-empty-one", ["SUBM-02"], {
    describe: "runsync takes false and 0 for an empty input.",
    change: takingInput(
      (input, operation) => operation === "runsync" && (input === false || input === 0),
    ),
  }),
  fault("submit/input-of-json-text-is-parsed", ["SUBM-02"], {
    describe: "A string that holds a JSON object passes as input.",
    change: takingInput((input) => typeof input === "string" && input.startsWith("{")),
  }),
  fault("submit/empty-body-is-an-empty-submission", ["SUBM-03"], {
    describe: "runsync accepts an empty body.",
    change: instead(
      "submission.parse",
      { input: {} },
      (text, operation) => operation === "runsync" && text === "",
    ),
  }),
  fault("submit/body-of-json-text-is-parsed-twice", ["SUBM-03"], {
    describe: "A JSON string that holds a submission is accepted as one.",
    change: override("submission.parse", (parse) => (text, operation) => {
      const value = parse(text, operation);
      return typeof value === "string" && value.startsWith("{") ? parse(value, operation) : value;
    }),
  }),
  fault("submit/webhook-may-be-empty", ["SUBM-06"], {
    describe: "An empty string passes as webhook.",
    change: also("submission.acceptsWebhook", (value) => value === ""),
  }),
  fault("submit/refused-webhook-creates-a-job", ["SUBM-07"], {
    describe: "A run refused for its webhook is queued nevertheless.",
    change: except(
      "submission.refusalCreatesNoJob",
      (problem, operation) => operation === "run" && problem.startsWith("webhook"),
    ),
  }),
  fault("submit/refused-storage-creates-a-job", ["SUBM-07"], {
    describe: "A submission refused for its s3Config is queued nevertheless.",
    change: except("submission.refusalCreatesNoJob", (problem) => problem.startsWith("s3Config")),
  }),
  fault("submit/policy-inside-the-input-is-refused", ["SUBM-04"], {
    describe: "An input with a member named policy is refused.",
    change: result("submission.inputOf", (input) =>
      input !== undefined && "policy" in input ? undefined : input,
    ),
  }),
  fault("submit/webhook-has-no-query", ["SUBM-06"], {
    describe: "A webhook with a query is refused.",
    change: except(
      "submission.acceptsWebhook",
      (value) => typeof value === "string" && value.includes("?"),
    ),
  }),
  fault("submit/id-of-an-expired-job-is-given-again", ["SUBM-05"], {
    describe: "The id of a job whose ttl has run out is that of the next job.",
    change: withHomes((homeOf) =>
      remembering(new Map<string, string>(), (expired) => [
        whenever("lifecycle.next", (job, event) => {
          if (event === "ttl-ran-out") expired.set(homeOf(job), job.id);
        }),
        result("submission.jobId", (id, ...[, , , home]) => {
          const again = expired.get(home);
          expired.delete(home);
          return again ?? id;
        }),
      ]),
    ),
  }),
];

/** Accepts as an empty input what should be refused. */
function takingInput(
  condition: (input: unknown, operation: SubmitOperation, body: JsonObject) => boolean,
): Change {
  return instead("submission.inputOf", {}, (body, operation) =>
    condition(body["input"], operation, body),
  );
}
