import type { SchemaError } from "./schemas.ts";

/**
 * One line that names the place and the rule of each problem: "/jobs/failed must be integer".
 * The body itself is written "body". Values never appear, so nothing secret can leak through it.
 */
export function describeErrors(errors: readonly SchemaError[] | null | undefined): string {
  if (errors === null || errors === undefined || errors.length === 0) return "valid";
  // A condition reports itself after the rule that broke: only the rule says anything.
  const telling = errors.filter(({ keyword }) => keyword !== "if");
  return (telling.length === 0 ? errors : telling).map((error) => describeError(error)).join("; ");
}

/** The place and the rule of one problem; `root` is what the whole value is called. */
export function describeError(
  { instancePath, keyword, message, params }: SchemaError,
  root = "body",
): string {
  return `${instancePath || root} ${ruleOf(keyword, message, params)}`;
}

function ruleOf(
  keyword: string,
  message: string | undefined,
  params: SchemaError["params"],
): string {
  switch (keyword) {
    case "false schema":
      return "must not be present";
    case "enum":
      return `must be one of ${listOf(params["allowedValues"])}`;
    case "type":
      return `must be ${listOf(params["type"], " or ")}`;
    default:
      return message ?? `breaks the rule ${keyword}`;
  }
}

function listOf(value: unknown, separator = ", "): string {
  return Array.isArray(value) ? value.join(separator) : String(value);
}

/** How problems of settings are worded. */
export interface Wording {
  /** Names the place in the settings that a JSON pointer leads to; absent: the pointer itself. */
  readonly nameOf?: (pointer: string) => string;
  /** Suggests candidates for a text that is none of them; absent: nothing is suggested. */
  readonly offer?: (text: string, candidates: readonly string[]) => string;
}

/**
 * One line for each place where settings break their schema: what belongs there, in the words of the schema's
 * `expects`, and what was found, unless the schema says `secret`. Ajv must have been told to be verbose.
 */
export function settingProblems(
  errors: readonly SchemaError[] | null | undefined,
  wording: Wording = {},
): readonly string[] {
  const told = new Map<string, string>();
  for (const error of errors ?? []) {
    // If one value breaks several rules, the first is enough: each names what is expected.
    const place = `${error.instancePath}/${keyOf(error) ?? ""}`;
    if (!told.has(place)) told.set(place, settingProblem(error, wording));
  }
  return [...told.values()];
}

/** The key that is missing, or that should not be there. */
export function keyOf({ params }: SchemaError): string | undefined {
  const key: unknown = params["additionalProperty"] ?? params["missingProperty"];
  return typeof key === "string" ? key : undefined;
}

function settingProblem(error: SchemaError, { nameOf, offer = () => "" }: Wording): string {
  const { instancePath, keyword, parentSchema = {} } = error;
  const placeOf = nameOf ?? ((pointer: string): string => pointer || "/");
  const key = keyOf(error);
  if (key !== undefined) {
    const place = placeOf(`${instancePath}/${key}`);
    if (keyword === "required") return `${place} is missing`;
    const properties: unknown = parentSchema["properties"];
    const known = isObject(properties) ? Object.keys(properties) : [];
    return `${place} is not ${textIn(parentSchema, "keysAre") ?? "a known key"}${offer(key, known)}`;
  }
  return `${placeOf(instancePath)}: expected ${textIn(parentSchema, "expects") ?? "a JSON object"}${insteadOf(error, offer)}`;
}

function insteadOf(error: SchemaError, offer: NonNullable<Wording["offer"]>): string {
  const { data, parentSchema = {} } = error;
  const stray = typeof data === "string" ? strayParts(data) : [];
  if (stray.length > 0) return ` without ${stray.join(" and ")}`;
  const alternatives: unknown = parentSchema["enum"];
  const isOffered = typeof data === "string" && Array.isArray(alternatives);
  return `, got ${foundText(error)}${isOffered ? offer(data, alternatives.map(String)) : ""}`;
}

/** The parts of a URL that no setting may have. They are named, not shown: they may be secret. */
function strayParts(text: string): readonly string[] {
  const [, user, query, fragment] = /^\w*:?\/\/([^/?#]*@)?[^?#]*(\?[^#]*)?(#.*)?$/.exec(text) ?? [];
  return [
    user === undefined ? "" : "a user and password, for no request carries them",
    query === undefined ? "" : "a query (?…)",
    fragment === undefined ? "" : "a fragment (#…)",
  ].filter((part) => part !== "");
}

const shownMax = 80;

/** A whole list or object is not shown: a key may stand in it. */
function foundText({ data, parentSchema }: SchemaError): string {
  if (parentSchema?.["secret"] === true) return "***";
  if (typeof data === "object" && data !== null)
    return Array.isArray(data) ? "a list" : "an object";
  const shown = JSON.stringify(data) ?? String(data);
  return shown.length <= shownMax ? shown : `${shown.slice(0, shownMax)}…`;
}

function textIn(schema: object, keyword: string): string | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(schema, keyword)?.value;
  return typeof value === "string" ? value : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
