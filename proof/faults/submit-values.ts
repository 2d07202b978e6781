import { isJsonObject } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import type { Job, JsonObject } from "../../reference/job.ts";
import { inAnswerAbout } from "./builders/answers.ts";
import { fault, remembering } from "./builders/compose.ts";
import { refuseEvent } from "./builders/events.ts";
import { mapObject, type Mapping } from "./builders/json-values.ts";
import { hasWaited } from "./builders/jobs.ts";
import { type Change, except, instead, replace, result } from "./builders/member.ts";
import { handing, handingTexts, handingValues } from "./builders/carried.ts";

/** Bugs that change inputs, ids or results, or mix them up. */
export const submitValueFaults: readonly Fault[] = [
  fault("submit/text-is-normalised", ["SUBM-04"], {
    describe: "Characters outside the basic plane reach the handler as question marks.",
    change: handingTexts((text) => text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, "?")),
  }),
  fault("submit/numbers-lose-precision", ["SUBM-04"], {
    describe: "Numbers of the input pass through 32-bit floats.",
    change: handingValues((value) =>
      typeof value === "number" && !Number.isInteger(value) ? Math.fround(value) : value,
    ),
  }),
  fault("submit/ids-repeat", ["SUBM-05"], {
    describe: "Every tenth job of an endpoint gets the id of the one before it.",
    change: result("submission.jobId", (id, _operation, _uuid, sequence) =>
      (sequence + 1) % 10 < 2 ? `pair-${Math.floor((sequence + 1) / 10)}` : id,
    ),
  }),
  fault("submit/outputs-cross", ["SUBM-08"], {
    describe: "Every third job gets the output of the job that ended before it.",
    change: remembering<{ ended: number; last: unknown }>({ ended: 0, last: undefined }, (memory) =>
      result("lifecycle.keptOutput", (output) => {
        memory.ended += 1;
        const { ended, last } = memory;
        memory.last = output ?? last;
        return ended % 3 === 0 && output !== undefined ? last : output;
      }),
    ),
  }),
  fault("submit/poisonous-keys-are-dropped", ["SUBM-04"], {
    describe: "The key __proto__ is taken out of an input.",
    change: handingKeys((key) => key !== "__proto__"),
  }),
  fault("submit/empty-keys-are-dropped", ["SUBM-04"], {
    describe: "A key that is the empty string is taken out of an input.",
    change: handingKeys((key) => key !== ""),
  }),
  fault("submit/constructor-is-dropped", ["SUBM-04"], {
    describe: "Keys that every object has are taken out of an input.",
    change: handingKeys((key) => !(key in {})),
  }),
  fault("submit/keys-differ-by-case-only-once", ["SUBM-04"], {
    describe: "Of two keys that differ in case only the first reaches the handler.",
    change: handingKeys(
      (key, members) =>
        Object.keys(members).find((other) => isSameIgnoringCase(other, key)) === key,
    ),
  }),
  fault("submit/empty-objects-become-arrays", ["SUBM-04"], {
    describe: "An empty object inside the input reaches the handler as an empty array.",
    change: handingValues((value) =>
      isJsonObject(value) && Object.keys(value).length === 0 ? [] : value,
    ),
  }),
  fault("submit/text-is-trimmed", ["SUBM-04"], {
    describe: "White space around the strings of an input is cut off.",
    change: handingTexts((text) => text.trim()),
  }),
  fault("submit/text-is-composed", ["SUBM-04"], {
    describe: "Combining characters reach the handler composed.",
    change: handingTexts((text) => text.normalize("NFC")),
  }),
  fault("submit/text-ends-at-nul", ["SUBM-04"], {
    describe: "A string of the input ends at its first NUL.",
    change: handingTexts((text) => text.replace(/\0.*$/s, "")),
  }),
  fault("submit/large-numbers-wrap", ["SUBM-04"], {
    describe: "Integers of the input are kept in 32 bits.",
    change: handingValues((value) =>
      typeof value === "number" && Number.isInteger(value) ? value | 0 : value,
    ),
  }),
  fault("submit/deep-input-is-cut", ["SUBM-04"], {
    describe: "What is nested deeper than 64 levels does not reach the handler.",
    change: result("lifecycle.handlerInput", (input) =>
      mapObject(input, {
        change: (value, level) => (level >= 64 && typeof value === "object" ? null : value),
      }),
    ),
  }),
  fault("submit/nulls-are-lost-in-the-queue", ["SUBM-04"], {
    describe: "An input that had to wait reaches the handler without its nulls.",
    change: result("lifecycle.handlerInput", (input, job) =>
      hasWaited(job) ? mapObject(input, { change: (value) => value ?? undefined }) : input,
    ),
  }),
  fault("submit/runsync-has-the-id-before-it", ["SUBM-05"], {
    describe: "A runsync job gets the id of the submission before it.",
    change: replace(
      "submission.jobId",
      (operation, _uuid, sequence) => `job-${operation === "runsync" ? sequence - 1 : sequence}`,
    ),
  }),
  fault("submit/last-input-wins", ["SUBM-08"], {
    describe: "A job that had to wait is given the input of the last submission.",
    change: remembering<{ last: JsonObject }>({ last: {} }, (memory) => [
      result("submission.inputOf", (input) => {
        memory.last = input ?? memory.last;
        return input;
      }),
      result("lifecycle.handlerInput", (input, job) => (hasWaited(job) ? memory.last : input)),
    ]),
  }),
  fault("submit/jobs-that-end-together-share-a-result", ["SUBM-08"], {
    describe: "Of jobs that worked and end at the same moment all get the first one's output.",
    change: remembering(new Map<string, unknown>(), (outputs) =>
      result("lifecycle.keptOutput", (output, _given, job) => {
        if (output === undefined || job.finishedAtMs === job.startedAtMs) return output;
        const moment = `${job.submittedBy} ${job.finishedAtMs}`;
        if (!outputs.has(moment)) outputs.set(moment, output);
        return outputs.get(moment);
      }),
    ),
  }),
  fault("submit/waiting-runsync-gets-the-one-before", ["SUBM-08"], {
    describe:
      "A runsync that had to wait is answered with the output of the one answered before it.",
    change: remembering<{ before?: unknown }>({}, (memory) =>
      inAnswerAbout("runsync", hadToWait, (body) => {
        const output = memory.before ?? body["output"];
        memory.before = body["output"];
        return { ...body, output };
      }),
    ),
  }),
  fault("submit/first-two-jobs-share-an-id", ["SUBM-05"], {
    describe: "The second job of an endpoint gets the id of the first.",
    change: instead("submission.jobId", "first", (_operation, _uuid, sequence) => sequence <= 2),
  }),
  fault("submit/input-inside-the-input-is-taken", ["SUBM-04"], {
    describe: "Where the input has a member of that name, the handler is given what is in it.",
    change: result("lifecycle.handlerInput", (input) =>
      isJsonObject(input["input"]) ? input["input"] : input,
    ),
  }),
  fault("submit/text-has-a-million-characters", ["SUBM-04"], {
    describe: "Text of the input is cut after a million characters.",
    change: handingTexts((text) => text.slice(0, 1_000_000)),
  }),
  fault("submit/keys-of-databases-are-dropped", ["SUBM-04"], {
    describe: "The key _id is taken out of an input.",
    change: handingKeys((key) => key !== "_id"),
  }),
  fault("submit/long-keys-are-dropped", ["SUBM-04"], {
    describe: "Keys of more than 255 characters are taken out of an input.",
    change: handingKeys((key) => key.length <= 255),
  }),
  fault("submit/long-arrays-are-cut", ["SUBM-04"], {
    describe: "An array of the input is cut after 10,000 elements.",
    change: handingValues((value) =>
      Array.isArray(value) ? (value.slice(0, 10_000) as unknown) : value,
    ),
  }),
  fault("submit/written-dates-are-read", ["SUBM-04"], {
    describe: "An object of the input whose key is $date reaches the handler as its text.",
    change: handingValues((value) =>
      isJsonObject(value) && typeof value["$date"] === "string" ? value["$date"] : value,
    ),
  }),
  fault("submit/written-buffers-are-read", ["SUBM-04"], {
    describe:
      "An object of the input that looks like a written Buffer reaches the handler as text.",
    change: handingValues((value) =>
      isJsonObject(value) && value["type"] === "Buffer" ? String(value["data"]) : value,
    ),
  }),
  fault("submit/entities-are-read", ["SUBM-04"], {
    describe: "The entity &amp; in a string of the input reaches the handler as &.",
    change: handingTexts((text) => text.replaceAll("&amp;", "&")),
  }),
  fault("submit/text-is-read-as-a-form", ["SUBM-04"], {
    describe: "A plus in a string of the input reaches the handler as a space.",
    change: handingTexts((text) => text.replaceAll("+", " ")),
  }),
  fault("submit/dollars-are-read", ["SUBM-04"], {
    describe: "Two dollars in a string of the input reach the handler as one.",
    change: handingTexts((text) => text.replaceAll("$$", () => "$")),
  }),
  fault("submit/text-is-a-format", ["SUBM-04"], {
    describe: "The letters %s in a string of the input reach the handler as nothing.",
    change: handingTexts((text) => text.replaceAll("%s", "")),
  }),
  fault("submit/text-is-a-template", ["SUBM-04"], {
    describe: "What stands between double braces in a string of the input is filled in.",
    change: handingTexts((text) => text.replaceAll(/\{\{.*?\}\}/g, "")),
  }),
  fault("submit/invisible-characters-are-dropped", ["SUBM-04"], {
    describe: "The zero-width space is taken out of the strings of an input.",
    change: handingTexts((text) => text.replaceAll("\u200B", "")),
  }),
  fault("submit/byte-order-marks-are-dropped", ["SUBM-04"], {
    describe: "A byte order mark within a string of the input is left out.",
    change: handingTexts((text) => text.replaceAll(/(?<=.)\uFEFF/g, "")),
  }),
  fault("submit/non-characters-are-replaced", ["SUBM-04"], {
    describe: "U+FFFF in a string of the input reaches the handler as U+FFFD.",
    change: handingTexts((text) => text.replaceAll("\uFFFF", "\uFFFD")),
  }),
  fault("submit/half-a-surrogate-pair-is-never-processed", ["LIFE-03"], {
    describe: "A job is accepted whose input holds half a surrogate pair, and waits for ever.",
    change: except("lifecycle.entersQueue", ({ submission }) =>
      hasHalfASurrogatePair(submission.input),
    ),
  }),
  fault("submit/key-of-half-a-surrogate-pair-is-never-finished", ["LIFE-03"], {
    describe: "A job whose input has half a surrogate pair in a key never leaves IN_PROGRESS.",
    change: refuseEvent(
      "handler-returned",
      ({ submission: { input } }) =>
        isJsonObject(input["value"]) && hasHalfASurrogatePair(Object.keys(input["value"])),
    ),
  }),
  fault("submit/policy-inside-the-input-is-used", ["SUBM-04"], {
    describe: "An executionTimeout in a member of the input named policy counts for the job.",
    change: result(
      "lifecycle.executionTimeoutMs",
      (ms, job) => numberIn(job.submission.input["policy"], "executionTimeout") ?? ms,
    ),
  }),
  fault("submit/ttl-inside-the-input-is-used", ["SUBM-04"], {
    describe: "A ttl in a member of the input named policy counts for the job.",
    change: result(
      "lifecycle.ttlMs",
      (ms, job) => numberIn(job.submission.input["policy"], "ttl") ?? ms,
    ),
  }),
  fault("submit/storage-settings-inside-the-input-are-used", ["SUBM-04"], {
    describe:
      "A member of the input named s3Config is given to the worker as its storage settings.",
    change: result("lifecycle.handlerS3Config", (config, { submission: { input } }) =>
      isJsonObject(input["s3Config"]) ? input["s3Config"] : config,
    ),
  }),
  fault("submit/input-of-many-names-is-refused", ["SUBM-04"], {
    describe: "An input with more than a hundred members is refused.",
    change: result("submission.inputOf", (input) =>
      Object.keys(input ?? {}).length > 100 ? undefined : input,
    ),
  }),
];

/** JSON writes half a surrogate pair as an escape, and a whole one as it is. */
function hasHalfASurrogatePair(value: unknown): boolean {
  return /\\ud[89a-f]/.test(JSON.stringify(value));
}

function numberIn(members: unknown, name: string): number | undefined {
  const value = isJsonObject(members) ? members[name] : undefined;
  return typeof value === "number" ? value : undefined;
}

/** The handler is given an input with some keys left out. */
function handingKeys(keeps: NonNullable<Mapping["keeps"]>): Change {
  return handing({ keeps });
}

function isSameIgnoringCase(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function hadToWait(job: Job): boolean {
  return job.finishedAtMs !== undefined && job.finishedAtMs > job.submittedAtMs;
}
