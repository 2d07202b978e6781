import { kindNamed, startLimiter } from "./kinds.ts";
import type { LimiterModel } from "./kinds.ts";

const stepMs = 1;
const phasesTried = 20;
/** The search gives up after so many windows. */
const windowsMax = 30;

/**
 * How long a client that knows the limiter needs for so many requests: it sends each as soon as it would be accepted,
 * and never one that is refused. Where windows are aligned, it begins at the best moment.
 * @returns milliseconds; undefined where they do not get through within 30 windows.
 */
export function bestPossibleMs(model: LimiterModel, count: number): number | undefined {
  const kind = kindNamed(model.kind).unrefused?.name ?? model.kind;
  const { windowMs } = model;
  const grid = Array.from(
    { length: phasesTried },
    (_, index) => (index * windowMs) / phasesTried + stepMs,
  );
  const times = grid.map((phaseMs) => timeOf({ ...model, kind, phaseMs }, count));
  const best = Math.min(...times.map((time) => time ?? Infinity));
  return Number.isFinite(best) ? best : undefined;
}

function timeOf(model: LimiterModel, count: number): number | undefined {
  const admit = startLimiter(model);
  let left = count;
  for (let nowMs = 0; nowMs <= windowsMax * model.windowMs; nowMs += stepMs) {
    left -= admit(nowMs, left);
    if (left === 0) return nowMs;
  }
  return undefined;
}
