import { Ajv2020 } from "ajv/dist/2020.js";
import type { ErrorObject } from "ajv/dist/2020.js";
import { didYouMean } from "../did-you-mean.ts";
import { optionRows, settingNames } from "./options.ts";
import type { SettingValues } from "./options.ts";

const ajv = new Ajv2020({ allErrors: true, verbose: true, keywords: ["expects", "secret"] });
const validate = ajv.compile<SettingValues>({
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(settingNames.map((name) => [name, optionRows[name].schema])),
});

/** What one source (the command line, the environment, a file) says, not yet looked at. */
export interface Layer {
  readonly candidate: unknown;
  /** How this source calls the place a JSON pointer leads to: `--seed`, `QUEUEPROOF_SEED`, `/seed`. */
  readonly nameOf: (pointer: string) => string;
}

export interface CheckedLayer {
  /** What is right of it: a setting with a problem is left out. */
  readonly values: SettingValues;
  /** Every problem of the source, one line each: where, what is expected, what was found. */
  readonly problems: readonly string[];
}

/** Judges a layer by the schema. */
export function checkLayer({ candidate, nameOf }: Layer): CheckedLayer {
  if (validate(candidate)) return { values: candidate, problems: [] };
  const told = new Map<string, string>();
  for (const error of validate.errors ?? []) {
    // Of several rules one value breaks, the first says enough: each names what is expected.
    const place = `${error.instancePath} ${unknownKey(error) ?? ""}`;
    if (!told.has(place)) told.set(place, describe(error, nameOf));
  }
  return { values: rightOf(candidate, validate.errors ?? []), problems: [...told.values()] };
}

function rightOf(candidate: unknown, errors: readonly ErrorObject[]): SettingValues {
  if (typeof candidate !== "object" || candidate === null) return {};
  const wrong = new Set(
    errors.map((error) => unknownKey(error) ?? error.instancePath.split("/")[1]),
  );
  const right = Object.fromEntries(Object.entries(candidate).filter(([name]) => !wrong.has(name)));
  return validate(right) ? right : {};
}

function describe(error: ErrorObject, nameOf: Layer["nameOf"]): string {
  const key = unknownKey(error);
  if (key !== undefined) {
    const place = nameOf(`${error.instancePath}/${key}`);
    return `${place} is not a known key${didYouMean(key, settingNames)}`;
  }
  const { expects, secret, alternatives } = wordingOf(error.parentSchema);
  const place = nameOf(error.instancePath);
  const stray = typeof error.data === "string" ? strayParts(error.data) : [];
  if (stray.length > 0) return `${place}: expected ${expects} without ${stray.join(" and ")}`;
  const found = foundText(error, secret);
  const offer = typeof error.data === "string" ? didYouMean(error.data, alternatives) : "";
  return `${place}: expected ${expects}, got ${found}${offer}`;
}

/** What a URL holds that none of ours may. It is not repeated: it may be a secret. */
function strayParts(text: string): readonly string[] {
  const [, user, query, fragment] = /^\w*:?\/\/([^/?#]*@)?[^?#]*(\?[^#]*)?(#.*)?$/.exec(text) ?? [];
  return [
    user === undefined ? "" : "a user and password, for no request carries them",
    query === undefined ? "" : "a query (?…)",
    fragment === undefined ? "" : "a fragment (#…)",
  ].filter((part) => part !== "");
}

/** A whole source is not shown: a key may stand in it. */
function foundText({ instancePath, data }: ErrorObject, secret: boolean): string {
  if (instancePath === "") return Array.isArray(data) ? "a list" : typeof data;
  return secret ? "***" : JSON.stringify(data);
}

function unknownKey({ params }: ErrorObject): string | undefined {
  const key: unknown = params["additionalProperty"];
  return typeof key === "string" ? key : undefined;
}

interface Wording {
  readonly expects: string;
  readonly secret: boolean;
  readonly alternatives: readonly string[];
}

function wordingOf(schema: ErrorObject["parentSchema"]): Wording {
  const expects: unknown = schema?.["expects"];
  const alternatives: unknown = schema?.["enum"];
  return {
    expects: typeof expects === "string" ? expects : "a JSON object",
    secret: schema?.["secret"] === true,
    alternatives: Array.isArray(alternatives) ? alternatives.map(String) : [],
  };
}
