export { headerOf as autocannonHeader } from "./judge-bursts.ts";
export { burstCost, burstsMax, runAutocannonRate } from "./rate.ts";
export type { AutocannonRun } from "./rate.ts";
