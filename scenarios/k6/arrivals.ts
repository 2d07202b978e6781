// How k6 begins iterations at a constant rate, and how late one of them is.
import exec from "k6/execution";
import type { ConstantArrivalRateScenario } from "k6/options";

import type { ArrivalRate } from "../scenario.ts";

/** A little more time than the iterations need, so that none is left out; each script stops at their number. */
const slackMs = 50;

export function arrivalScenario({
  perWindow,
  windowMs,
  startMs,
  durationMs,
  inFlightMax,
}: ArrivalRate): ConstantArrivalRateScenario {
  return {
    executor: "constant-arrival-rate",
    rate: perWindow,
    timeUnit: `${windowMs}ms`,
    startTime: `${startMs}ms`,
    duration: `${durationMs + slackMs}ms`,
    preAllocatedVUs: inFlightMax,
    maxVUs: inFlightMax,
  };
}

/** How much later than planned this iteration begins, in ms. */
export function lateByMs({ windowMs, perWindow }: ArrivalRate): number {
  const { startTime, iterationInTest } = exec.scenario;
  return Math.max(0, Date.now() - (startTime + (iterationInTest * windowMs) / perWindow));
}
