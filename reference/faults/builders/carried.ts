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
