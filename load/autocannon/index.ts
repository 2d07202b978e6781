export { headerOf as autocannonHeader } from "./judge-bursts.ts";
export { runAutocannonRate } from "./rate.ts";
export type { AutocannonRun } from "./rate.ts";
