import type { Fault } from "../fault.ts";
import { isJsonObject } from "../behaviour/submission.ts";
import { submitBodyFaults } from "./submit-bodies.ts";
import { submitValueFaults } from "./submit-values.ts";

export const submitFaults: readonly Fault[] = [
  {
    name: "submit/runsync-needs-no-input",
    breaks: ["SUBM-01"],
    describe: "runsync takes a missing input for an empty one.",
    change: ({ submission }) => ({
      submission: {
        inputOf: (body, operation) =>
          operation === "runsync" && body["input"] === undefined
            ? {}
            : submission.inputOf(body, operation),
      },
    }),
  },
  {
    name: "submit/input-may-be-an-array",
    breaks: ["SUBM-02"],
    describe: "An array passes as input.",
    change: ({ submission }) => ({
      submission: {
        inputOf: (body, operation) =>
          Array.isArray(body["input"]) ? {} : submission.inputOf(body, operation),
      },
    }),
  },
  {
    name: "submit/input-may-be-null",
    breaks: ["SUBM-02"],
    describe: "run takes null for an input, being an object to typeof.",
    change: ({ submission }) => ({
      submission: {
        inputOf: (body, operation) =>
          operation === "run" && body["input"] === null ? {} : submission.inputOf(body, operation),
      },
    }),
  },
  {
    name: "submit/input-may-be-text",
    breaks: ["SUBM-02"],
    describe: "runsync wraps a string that is given as input.",
    change: ({ submission }) => ({
      submission: {
        inputOf: (body, operation) =>
          operation === "runsync" && typeof body["input"] === "string"
            ? { prompt: body["input"] }
            : submission.inputOf(body, operation),
      },
    }),
  },
  {
    name: "submit/broken-json-is-a-server-error",
    breaks: ["SUBM-03"],
    describe: "A body that is not JSON answers 500.",
    change: () => ({
      submission: {
        refusalStatus: (problem) => (problem.startsWith("the body must") ? 500 : 400),
      },
    }),
  },
  {
    name: "submit/first-of-an-array-is-taken",
    breaks: ["SUBM-03"],
    describe: "A body that is an array is accepted as a batch of nothing.",
    change: ({ submission }) => ({
      submission: {
        bodyOf: (value, operation) =>
          Array.isArray(value) ? { input: {} } : submission.bodyOf(value, operation),
      },
    }),
  },
  {
    name: "submit/truncated-json-is-closed",
    breaks: ["SUBM-03"],
    describe: "run accepts a body whose JSON lacks its end.",
    change: ({ submission }) => ({
      submission: {
        parse: (text, operation) => {
          try {
            return submission.parse(text, operation);
          } catch (error) {
            if (operation === "run" && text.startsWith("{")) return { input: {} };
            throw error;
          }
        },
      },
    }),
  },
  {
    name: "submit/nulls-are-dropped",
    breaks: ["SUBM-04"],
    describe: "A null inside an object of the input does not reach the handler.",
    change: () => ({
      lifecycle: { handlerInput: ({ submission }) => objectOf(withoutNulls(submission.input)) },
    }),
  },
  {
    name: "submit/text-is-normalised",
    breaks: ["SUBM-04"],
    describe: "Characters outside the basic plane reach the handler as question marks.",
    change: () => ({
      lifecycle: {
        handlerInput: ({ submission }) =>
          objectOf(
            mapLeaves(submission.input, (leaf) =>
              typeof leaf === "string" ? leaf.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, "?") : leaf,
            ),
          ),
      },
    }),
  },
  {
    name: "submit/numbers-lose-precision",
    breaks: ["SUBM-04"],
    describe: "Numbers of the input pass through 32-bit floats.",
    change: () => ({
      lifecycle: {
        handlerInput: ({ submission }) =>
          objectOf(
            mapLeaves(submission.input, (leaf) =>
              typeof leaf === "number" && !Number.isInteger(leaf) ? Math.fround(leaf) : leaf,
            ),
          ),
      },
    }),
  },
  {
    name: "submit/ids-repeat",
    breaks: ["SUBM-05"],
    describe: "Every tenth job gets the id of the one before it.",
    change: () => {
      let last = "";
      return {
        submission: {
          jobId: (operation, uuid, sequence) => {
            if (sequence % 10 !== 0) last = operation === "run" ? uuid : `sync-${uuid}`;
            return last;
          },
        },
      };
    },
  },
  {
    name: "submit/webhook-may-be-any-text",
    breaks: ["SUBM-06"],
    describe: "run accepts any string as webhook.",
    change: ({ submission }) => ({
      submission: {
        acceptsWebhook: (value, operation) =>
          (operation === "run" && typeof value === "string") ||
          submission.acceptsWebhook(value, operation),
      },
    }),
  },
  {
    name: "submit/webhook-may-be-a-number",
    breaks: ["SUBM-06"],
    describe: "runsync does not look at the type of webhook.",
    change: ({ submission }) => ({
      submission: {
        acceptsWebhook: (value, operation) =>
          (operation === "runsync" && typeof value !== "string") ||
          submission.acceptsWebhook(value, operation),
      },
    }),
  },
  {
    name: "submit/refused-policy-creates-a-job",
    breaks: ["SUBM-07"],
    describe: "A submission refused for its policy is queued nevertheless.",
    change: () => ({
      submission: { refusalCreatesNoJob: (problem) => !problem.startsWith("policy") },
    }),
  },
  {
    name: "submit/refused-runsync-creates-a-job",
    breaks: ["SUBM-07"],
    describe: "A runsync without a usable input is queued nevertheless.",
    change: () => ({
      submission: {
        refusalCreatesNoJob: (problem, operation) =>
          operation !== "runsync" || !problem.startsWith("input"),
      },
    }),
  },
  {
    name: "submit/outputs-cross",
    breaks: ["SUBM-08"],
    describe: "Every seventh job gets the output of the job that ended before it.",
    change: () => {
      let ended = 0;
      let last: unknown;
      return {
        lifecycle: {
          keptOutput: (output) => {
            ended += 1;
            const kept = ended % 7 === 0 && output !== undefined ? last : output;
            last = output ?? last;
            return kept;
          },
        },
      };
    },
  },
  ...submitBodyFaults,
  ...submitValueFaults,
];

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

function mapLeaves(value: unknown, map: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => mapLeaves(item, map));
  if (!isJsonObject(value)) return map(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapLeaves(member, map)]),
  );
}
