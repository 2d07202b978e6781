import { backoffChecks } from "./backoff.ts";
import { capIsolationChecks } from "./cap-isolation.ts";
import { capChecks } from "./caps.ts";
import type { LoadCheck } from "./check.ts";
import { dynamicChecks } from "./dynamic.ts";
import { effectChecks } from "./effects.ts";
import { forgettingChecks } from "./forgetting.ts";
import { freeingChecks } from "./freeing.ts";
import { laterWindowsChecks } from "./later-windows.ts";
import { raceChecks } from "./race.ts";
import { rateChecks } from "./rate.ts";
import { refusedReadChecks } from "./refused-reads.ts";
import { unlimitedOperationsChecks } from "./unlimited-operations.ts";
import { windowChecks } from "./window.ts";

/** Every check of the areas rate and concurrency. */
export const loadChecks: readonly LoadCheck[] = [
  ...rateChecks,
  ...raceChecks,
  ...forgettingChecks,
  ...unlimitedOperationsChecks,
  ...windowChecks,
  ...laterWindowsChecks,
  ...dynamicChecks,
  ...effectChecks,
  ...refusedReadChecks,
  ...backoffChecks,
  ...capChecks,
  ...freeingChecks,
  ...capIsolationChecks,
];
