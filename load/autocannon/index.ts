export { runAutocannonRate } from "./rate.ts";
export type { AutocannonRun } from "./rate.ts";
