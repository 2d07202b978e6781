import { isNear } from "../distance.ts";
import type { LimiterKind, LimiterNumbers } from "../kind.ts";
import { fixedAligned, startFixedAligned } from "./fixed-aligned.ts";

const partsMax = 20;

/** The window is split into shorter ones, each with its part of the limit. */
export const splitWindows: LimiterKind = {
  name: "split windows",
  reading: "fixed",
  start: ({ limit, windowMs, phaseMs, parts }) =>
    startFixedAligned(limit / parts, windowMs / parts, phaseMs),
  recognise: ({ kind, limit, windowMs }, declared) => {
    const parts = Math.round(declared.windowMs / windowMs);
    const isPart = isNear(parts * windowMs, declared.windowMs) && parts >= 2 && parts <= partsMax;
    const isSplit = isPart && limit === Math.ceil(declared.limit / parts);
    return kind === fixedAligned.name && isSplit ? { ...declared, parts } : undefined;
  },
  keptWindowMs,
  remark: (numbers) => `in windows of ${keptWindowMs(numbers) / 1_000} s`,
};

function keptWindowMs({ windowMs, parts = 1 }: LimiterNumbers): number {
  return windowMs / parts;
}
