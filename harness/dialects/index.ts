export { dialects } from "./shipped.ts";
export { mergeDeviations } from "./merge.ts";
export { parseDialect } from "./parse-dialect.ts";
export type { ParsedDialect } from "./parse-dialect.ts";
export { spec } from "./spec.ts";
export type { Deviations, Dialect } from "./schema.ts";
