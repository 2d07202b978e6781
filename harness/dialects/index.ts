import { rpLocal } from "./rp-local.ts";
import { runpod } from "./runpod.ts";
import type { Dialect } from "./schema.ts";
import { spec } from "./spec.ts";

export { parseDialect } from "./parse-dialect.ts";
export type { ParsedDialect } from "./parse-dialect.ts";
export { spec } from "./spec.ts";
export { deviationNames } from "./schema.ts";
export type { Deviations, Dialect } from "./schema.ts";

/** The dialects that ship. */
export const dialects: readonly Dialect[] = [spec, runpod, rpLocal];
