import { isJsonObject } from "../../../reference/behaviour/submission.ts";
import type { JsonObject } from "../../../reference/job.ts";
import { always } from "./conditions.ts";

/** How a JSON value is changed, at any depth. */
export interface Mapping {
  /** Whether a member of an object is kept. */
  readonly keeps?: (key: string, members: JsonObject) => boolean;
  /** Applied to every value, the inner ones first; a member that becomes undefined is left out. The whole has level 0. */
  readonly change?: (value: unknown, level: number) => unknown;
}

/** Returns the value with the mapping applied. */
export function mapValue(value: unknown, mapping: Mapping, level = 0): unknown {
  const { keeps = always, change = (same) => same } = mapping;
  if (Array.isArray(value)) {
    return change(
      value.map((item: unknown) => mapValue(item, mapping, level + 1)),
      level,
    );
  }
  if (!isJsonObject(value)) return change(value, level);
  const members = Object.keys(value)
    .filter((key) => keeps(key, value))
    .map((key) => [key, mapValue(value[key], mapping, level + 1)] as const)
    .filter(([, member]) => member !== undefined);
  return change(Object.fromEntries(members), level);
}

/** The same for an object, which stays one. */
export function mapObject(value: JsonObject, mapping: Mapping): JsonObject {
  const mapped = mapValue(value, mapping);
  return isJsonObject(mapped) ? mapped : value;
}

/** Makes a change of values from one of texts; other values stay. */
export function ofTexts(change: (text: string) => unknown): NonNullable<Mapping["change"]> {
  return (value) => (typeof value === "string" ? change(value) : value);
}

/** Makes a change of values from one of the members of objects; other values stay. */
export function ofMembers(
  change: (name: string, member: unknown) => readonly [string, unknown],
): NonNullable<Mapping["change"]> {
  return (value) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => change(name, member)))
      : value;
}

/** A text that is a date and time in UTC, with fractions of seconds; any other text as it is. */
export function inUtc(text: string): string {
  const isDate = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text);
  return isDate && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : text;
}
