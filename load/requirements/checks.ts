import { backoffCheck } from "./backoff.ts";
import { capIsolationCheck } from "./cap-isolation.ts";
import { capChecks } from "./caps.ts";
import type { LoadCheck } from "./check.ts";
import { dynamicCheck } from "./dynamic.ts";
import { effectCheck } from "./effects.ts";
import { forgettingCheck } from "./forgetting.ts";
import { freeingCheck } from "./freeing.ts";
import { laterWindowsChecks } from "./later-windows.ts";
import { raceCheck } from "./race.ts";
import { rateChecks } from "./rate.ts";
import { refusedReadCheck } from "./refused-reads.ts";
import { unlimitedOperationsCheck } from "./unlimited-operations.ts";
import { windowChecks } from "./window.ts";

/** Every check of the areas rate and concurrency. */
export const loadChecks: readonly LoadCheck[] = [
  ...rateChecks,
  raceCheck,
  forgettingCheck,
  unlimitedOperationsCheck,
  ...windowChecks,
  ...laterWindowsChecks,
  dynamicCheck,
  effectCheck,
  refusedReadCheck,
  backoffCheck,
  ...capChecks,
  freeingCheck,
  capIsolationCheck,
];
