import { Ajv2020 } from "ajv/dist/2020.js";
import type { ErrorObject } from "ajv/dist/2020.js";

import { dialectSchema } from "./schema.ts";
import type { Dialect } from "./schema.ts";

const ajv = new Ajv2020({ allErrors: true, verbose: true, keywords: ["expects"] });

/** A dialect, or every problem of what should be one, a line each. */
export type ParsedDialect =
  | { readonly ok: true; readonly dialect: Dialect }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Judges a value by the schema of dialects. A problem says where it is, what belongs there and what was found. */
export function parseDialect(value: unknown): ParsedDialect {
  // Compiled here, not at import: a run by a dialect that ships never needs it.
  const validate = ajv.compile<Dialect>(dialectSchema);
  if (validate(value)) return { ok: true, dialect: value };
  const told = new Map<string, string>();
  for (const error of validate.errors ?? []) {
    // Of several rules that one value breaks the first says enough.
    const place = `${error.instancePath}/${namedKey(error) ?? ""}`;
    if (!told.has(place)) told.set(place, describe(error));
  }
  return { ok: false, problems: [...told.values()] };
}

function describe(error: ErrorObject): string {
  const { instancePath, keyword, data } = error;
  const key = namedKey(error);
  if (keyword === "required") return `${instancePath}/${key ?? ""} is missing`;
  if (key !== undefined) {
    const among = instancePath === "/readings" ? "an open requirement" : "a known key";
    return `${instancePath}/${key} is not ${among}`;
  }
  const expects: unknown = error.parentSchema?.["expects"];
  const wanted = typeof expects === "string" ? expects : "something else";
  return `${instancePath || "/"}: expected ${wanted}, got ${shortOf(data)}`;
}

/** The key that is missing, or that should not be there. */
function namedKey({ params }: ErrorObject): string | undefined {
  const key: unknown = params["additionalProperty"] ?? params["missingProperty"];
  return typeof key === "string" ? key : undefined;
}

const shownMax = 80;

function shortOf(data: unknown): string {
  const shown = JSON.stringify(data) ?? String(data);
  return shown.length <= shownMax ? shown : `${shown.slice(0, shownMax)}…`;
}
