import { isJsonObject } from "../behaviour/submission.ts";
import type { BehaviourChange } from "../behaviour.ts";
import type { Fault } from "../fault.ts";
import type { Job, JsonObject } from "../job.ts";

/** Bugs in how inputs, ids and results keep together. */
export const submitValueFaults: readonly Fault[] = [
  {
    name: "submit/poisonous-keys-are-dropped",
    breaks: ["SUBM-04"],
    describe: "The key __proto__ is taken out of an input.",
    change: () => handing((key) => key !== "__proto__"),
  },
  {
    name: "submit/empty-keys-are-dropped",
    breaks: ["SUBM-04"],
    describe: "A key that is the empty string is taken out of an input.",
    change: () => handing((key) => key !== ""),
  },
  {
    name: "submit/constructor-is-dropped",
    breaks: ["SUBM-04"],
    describe: "Keys that every object has are taken out of an input.",
    change: () => handing((key) => !(key in {})),
  },
  {
    name: "submit/keys-differ-by-case-only-once",
    breaks: ["SUBM-04"],
    describe: "Of two keys that differ in case only the first reaches the handler.",
    change: () =>
      handing(
        (key, keys) =>
          keys.findIndex((other) => isSameIgnoringCase(other, key)) === keys.indexOf(key),
      ),
  },
  {
    name: "submit/empty-objects-become-arrays",
    breaks: ["SUBM-04"],
    describe: "An empty object inside the input reaches the handler as an empty array.",
    change: () =>
      handing(everyKey, (value) =>
        isJsonObject(value) && Object.keys(value).length === 0 ? [] : value,
      ),
  },
  {
    name: "submit/text-is-trimmed",
    breaks: ["SUBM-04"],
    describe: "White space around the strings of an input is cut off.",
    change: () => handing(everyKey, (value) => (typeof value === "string" ? value.trim() : value)),
  },
  {
    name: "submit/text-is-composed",
    breaks: ["SUBM-04"],
    describe: "Combining characters reach the handler composed.",
    change: () =>
      handing(everyKey, (value) => (typeof value === "string" ? value.normalize("NFC") : value)),
  },
  {
    name: "submit/text-ends-at-nul",
    breaks: ["SUBM-04"],
    describe: "A string of the input ends at its first NUL.",
    change: () =>
      handing(everyKey, (value) =>
        typeof value === "string" ? value.replace(/\0.*$/s, "") : value,
      ),
  },
  {
    name: "submit/long-text-is-cut",
    breaks: ["SUBM-04"],
    describe: "A string of the input is cut after 65535 characters.",
    change: () =>
      handing(everyKey, (value) => (typeof value === "string" ? value.slice(0, 65_535) : value)),
  },
  {
    name: "submit/large-numbers-wrap",
    breaks: ["SUBM-04"],
    describe: "Integers of the input are kept in 32 bits.",
    change: () =>
      handing(everyKey, (value) =>
        typeof value === "number" && Number.isInteger(value) ? value | 0 : value,
      ),
  },
  {
    name: "submit/deep-input-is-cut",
    breaks: ["SUBM-04"],
    describe: "What is nested deeper than 64 levels does not reach the handler.",
    change: () => ({
      lifecycle: { handlerInput: ({ submission }) => cutAt(submission.input, 64) },
    }),
  },
  {
    name: "submit/nulls-are-lost-in-the-queue",
    breaks: ["SUBM-04"],
    describe: "An input that had to wait reaches the handler without its nulls.",
    change: () => ({
      lifecycle: {
        handlerInput: (job) =>
          job.startedAtMs === job.queuedAtMs
            ? job.submission.input
            : mapped(job.submission.input, {
                keeps: everyKey,
                change: (value) => value ?? undefined,
              }),
      },
    }),
  },
  {
    name: "submit/runsync-has-the-id-before-it",
    breaks: ["SUBM-05"],
    describe: "A runsync job gets the id of the submission before it.",
    change: () => ({
      submission: {
        jobId: (operation, _uuid, sequence) =>
          `job-${operation === "runsync" ? sequence - 1 : sequence}`,
      },
    }),
  },
  {
    name: "submit/ids-come-round-again",
    breaks: ["SUBM-05"],
    describe: "The number in an id has two digits.",
    change: () => ({
      submission: { jobId: (_operation, _uuid, sequence) => `job-${sequence % 100}` },
    }),
  },
  {
    name: "submit/last-input-wins",
    breaks: ["SUBM-08"],
    describe: "A job that had to wait is given the input of the last submission.",
    change: ({ submission }) => {
      let last: JsonObject = {};
      return {
        submission: {
          inputOf: (body, operation) => {
            last = submission.inputOf(body, operation) ?? last;
            return submission.inputOf(body, operation);
          },
        },
        lifecycle: {
          handlerInput: (job) => (job.startedAtMs === job.queuedAtMs ? job.submission.input : last),
        },
      };
    },
  },
  {
    name: "submit/jobs-that-end-together-share-a-result",
    breaks: ["SUBM-08"],
    describe: "Of jobs that worked and end at the same moment all get the first one's output.",
    change: () => {
      const outputs = new Map<string, unknown>();
      return {
        lifecycle: {
          keptOutput: (output, job) => {
            if (output === undefined || job.finishedAtMs === job.startedAtMs) return output;
            const moment = `${job.submittedBy} ${job.finishedAtMs}`;
            if (!outputs.has(moment)) outputs.set(moment, output);
            return outputs.get(moment);
          },
        },
      };
    },
  },
  {
    name: "submit/waiting-runsync-gets-the-one-before",
    breaks: ["SUBM-08"],
    describe:
      "A runsync that had to wait is answered with the output of the one answered before it.",
    change: () => {
      let before: unknown;
      return {
        operations: {
          shape: (body, { operation, job }) => {
            if (operation !== "runsync" || !isJsonObject(body) || !hadToWait(job)) return body;
            const output = before ?? body["output"];
            before = body["output"];
            return { ...body, output };
          },
        },
      };
    },
  },
];

type KeepsKey = (key: string, keys: readonly string[]) => boolean;

interface Mapping {
  readonly keeps: KeepsKey;
  /** Applied to every value inside; a member that becomes undefined is left out. */
  readonly change: (value: unknown) => unknown;
}

/** The handler is given an input with some keys left out, and some values changed. */
function handing(keeps: KeepsKey, change: Mapping["change"] = (value) => value): BehaviourChange {
  return {
    lifecycle: { handlerInput: ({ submission }) => mapped(submission.input, { keeps, change }) },
  };
}

function mapped(input: JsonObject, mapping: Mapping): JsonObject {
  const result = mapValue(input, mapping);
  return isJsonObject(result) ? result : input;
}

function mapValue(value: unknown, mapping: Mapping): unknown {
  const { keeps, change } = mapping;
  if (Array.isArray(value)) return change(value.map((item: unknown) => mapValue(item, mapping)));
  if (!isJsonObject(value)) return change(value);
  const keys = Object.keys(value);
  const members = keys
    .filter((key) => keeps(key, keys))
    .map((key) => [key, mapValue(value[key], mapping)] as const)
    .filter(([, member]) => member !== undefined);
  return change(Object.fromEntries(members));
}

function cutAt(input: JsonObject, levels: number): JsonObject {
  const cut = (value: unknown, left: number): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (left === 0) return null;
    if (Array.isArray(value)) return value.map((item: unknown) => cut(item, left - 1));
    const members = Object.entries(value).map(([key, member]) => [key, cut(member, left - 1)]);
    return Object.fromEntries(members) as unknown;
  };
  const result = cut(input, levels);
  return isJsonObject(result) ? result : input;
}

function everyKey(): boolean {
  return true;
}

function isSameIgnoringCase(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function hadToWait(job: Job | undefined): boolean {
  return job?.finishedAtMs !== undefined && job.finishedAtMs > job.submittedAtMs;
}
