import { scenariosWithFaults } from "./faults/fault-scenarios.ts";
import { mixScenario } from "./release/mix-scenario.ts";
import type { OpenLoopScenario } from "./release/scenario.ts";
import { capacityScenario } from "./release/capacity.ts";
import { coldStartScenario } from "./release/cold-start.ts";
import { fairnessScenario } from "./release/fairness.ts";
import { scaleOutScenario } from "./release/scale-out.ts";

/** The scenarios that this process runs itself, in the order in which they run. */
export const openLoopScenarios: readonly OpenLoopScenario[] = [
  mixScenario,
  capacityScenario,
  scaleOutScenario,
  coldStartScenario,
  fairnessScenario,
  ...scenariosWithFaults,
];
