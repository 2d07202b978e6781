export { findK6, k6Cache } from "./find.ts";
export type { K6, K6Search, MissingK6 } from "./find.ts";
export { installK6 } from "./install.ts";
export type { K6Installation } from "./install.ts";
export { runK6 } from "./run.ts";
export type { K6Ending, K6Run } from "./run.ts";
