export { ensureK6 } from "./ensure.ts";
export { findK6, k6Cache } from "./find.ts";
export type { K6, K6Search, MissingK6 } from "./find.ts";
export { installK6 } from "./install.ts";
export type { K6Installation } from "./install.ts";
export { headerOf as k6RateHeader } from "./judge-rate.ts";
export { k6RateMs, k6RatePeak, k6Script, rateSettings, runK6Rate } from "./rate.ts";
export type { K6RateRun, K6Share } from "./rate.ts";
