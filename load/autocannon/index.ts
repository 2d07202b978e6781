export { headerOf as autocannonHeader } from "./judge-bursts.ts";
export { burstCost, runAutocannonRate } from "./rate.ts";
export type { AutocannonRun } from "./rate.ts";
