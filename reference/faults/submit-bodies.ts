import type { Fault } from "../fault.ts";

/** Bugs in what is taken for a submission. */
export const submitBodyFaults: readonly Fault[] = [
  {
    name: "submit/options-alone-are-a-submission",
    breaks: ["SUBM-01"],
    describe: "run needs no input where there is a policy.",
    change: ({ submission }) => ({
      submission: {
        inputOf: (body, operation) =>
          operation === "run" && body["input"] === undefined && body["policy"] !== undefined
            ? {}
            : submission.inputOf(body, operation),
      },
    }),
  },
  {
    name: "submit/falsy-input-is-an-empty-one",
    breaks: ["SUBM-02"],
    describe: "runsync takes false and 0 for an empty input.",
    change: ({ submission }) => ({
      submission: {
        inputOf: (body, operation) =>
          operation === "runsync" && (body["input"] === false || body["input"] === 0)
            ? {}
            : submission.inputOf(body, operation),
      },
    }),
  },
  {
    name: "submit/input-of-json-text-is-parsed",
    breaks: ["SUBM-02"],
    describe: "A string that holds a JSON object passes as input.",
    change: ({ submission }) => ({
      submission: {
        inputOf: (body, operation) =>
          typeof body["input"] === "string" && body["input"].startsWith("{")
            ? {}
            : submission.inputOf(body, operation),
      },
    }),
  },
  {
    name: "submit/empty-body-is-an-empty-submission",
    breaks: ["SUBM-03"],
    describe: "runsync accepts an empty body.",
    change: ({ submission }) => ({
      submission: {
        parse: (text, operation): unknown =>
          operation === "runsync" && text === ""
            ? { input: {} }
            : submission.parse(text, operation),
      },
    }),
  },
  {
    name: "submit/nan-is-a-number",
    breaks: ["SUBM-03"],
    describe: "NaN passes for a JSON number, as it does with some parsers.",
    change: ({ submission }) => ({
      submission: {
        parse: (text, operation): unknown =>
          submission.parse(text.replaceAll(/:NaN\b/g, ":null"), operation),
      },
    }),
  },
  {
    name: "submit/text-after-the-body-is-ignored",
    breaks: ["SUBM-03"],
    describe: "run reads the first JSON object of a body and ignores what follows.",
    change: ({ submission }) => ({
      submission: {
        parse: (text, operation): unknown =>
          submission.parse(operation === "run" ? text.replace(/\}\}.*$/s, "}}") : text, operation),
      },
    }),
  },
  {
    name: "submit/body-of-json-text-is-parsed-twice",
    breaks: ["SUBM-03"],
    describe: "A JSON string that holds a submission is accepted as one.",
    change: ({ submission }) => ({
      submission: {
        bodyOf: (value, operation) =>
          submission.bodyOf(
            typeof value === "string" && value.startsWith("{")
              ? submission.parse(value, operation)
              : value,
            operation,
          ),
      },
    }),
  },
  {
    name: "submit/webhook-may-be-empty",
    breaks: ["SUBM-06"],
    describe: "An empty string passes as webhook.",
    change: ({ submission }) => ({
      submission: {
        acceptsWebhook: (value, operation) =>
          value === "" || submission.acceptsWebhook(value, operation),
      },
    }),
  },
  {
    name: "submit/webhook-may-be-a-list",
    breaks: ["SUBM-06"],
    describe: "An array of URLs passes as webhook.",
    change: ({ submission }) => ({
      submission: {
        acceptsWebhook: (value, operation) =>
          (Array.isArray(value) && value.length > 0) || submission.acceptsWebhook(value, operation),
      },
    }),
  },
  {
    name: "submit/refused-webhook-creates-a-job",
    breaks: ["SUBM-07"],
    describe: "A run refused for its webhook is queued nevertheless.",
    change: () => ({
      submission: {
        refusalCreatesNoJob: (problem, operation) =>
          operation !== "run" || !problem.startsWith("webhook"),
      },
    }),
  },
  {
    name: "submit/refused-storage-creates-a-job",
    breaks: ["SUBM-07"],
    describe: "A submission refused for its s3Config is queued nevertheless.",
    change: () => ({
      submission: { refusalCreatesNoJob: (problem) => !problem.startsWith("s3Config") },
    }),
  },
];
