import type { Job, JsonObject } from "../../../reference/job.ts";
import { mapObject, mapValue, ofTexts } from "./json-values.ts";
import type { Mapping } from "./json-values.ts";
import { type Change, result } from "./member.ts";

/** The handler is given an input that the mapping was applied to. */
export function handing(mapping: Mapping): Change {
  return result("lifecycle.handlerInput", (input) => mapObject(input, mapping));
}

/** The handler is given an input with some values changed, at any depth. */
export function handingValues(change: NonNullable<Mapping["change"]>): Change {
  return handing({ change });
}

/** The handler is given an input with its texts changed. */
export function handingTexts(change: (text: string) => unknown): Change {
  return handingValues(ofTexts(change));
}

/** Changes every value in the body of each call of a webhook. */
export function inBody(change: NonNullable<Mapping["change"]>): Change {
  return result("webhook.body", (body) => mapValue(body, { change }));
}

/** Changes every text in the body of each call of a webhook. */
export function inTexts(change: (text: string) => unknown): Change {
  return inBody(ofTexts(change));
}

/** Changes each value of an s3Config that the worker gets. */
export function inConfig(change: (value: string, name: string) => unknown): Change {
  return result("lifecycle.handlerS3Config", (config): JsonObject | undefined =>
    config === undefined
      ? config
      : Object.fromEntries(
          Object.entries(config).map(([name, value]) => [name, change(String(value), name)]),
        ),
  );
}

/** A job's s3Config as members that an answer might show by mistake; none where it has no s3Config. */
export function leakOf({ submission: { s3Config } }: Job): JsonObject {
  return s3Config === undefined ? {} : { s3Config };
}

/** Adds a job's s3Config to what is answered about it, or to the body of its webhook. */
export function withLeak(body: JsonObject, job: Job): JsonObject {
  return { ...body, ...leakOf(job) };
}
