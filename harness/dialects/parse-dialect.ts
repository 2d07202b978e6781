import { settingProblems } from "../../openapi/describe-errors.ts";
import { wordedAjv } from "../../openapi/worded-schema.ts";
import { dialectSchema } from "./generated/dialect-schema.ts";
import type { Dialect } from "./schema.ts";

/** A dialect, or every problem of the value, one line each. */
export type ParsedDialect =
  | { readonly ok: true; readonly dialect: Dialect }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Validates a value by the schema of dialects. A problem says where it is, what is expected and what was found. */
export function parseDialect(value: unknown): ParsedDialect {
  // Compiled here, not at import: a run by a dialect that ships never needs it.
  const validate = wordedAjv.compile<Dialect>(dialectSchema);
  if (validate(value)) return { ok: true, dialect: value };
  return { ok: false, problems: settingProblems(validate.errors) };
}
