import type { Fault } from "./fault.ts";
import { authFaults } from "./faults/auth.ts";
import { cancelFaults } from "./faults/cancel.ts";
import { endpointFaults } from "./faults/endpoint.ts";
import { healthFaults } from "./faults/health.ts";
import { runFaults } from "./faults/run.ts";
import { runsyncFaults } from "./faults/runsync.ts";
import { statusFaults } from "./faults/status.ts";
import { submitFaults } from "./faults/submit.ts";

export type { Fault } from "./fault.ts";

/** The named bugs the suite is proved by, area by area (DESIGN.md, "The suite is tested by faults"). */
export const faults: readonly Fault[] = [
  ...authFaults,
  ...endpointFaults,
  ...submitFaults,
  ...runFaults,
  ...runsyncFaults,
  ...statusFaults,
  ...cancelFaults,
  ...healthFaults,
];

export function faultNamed(name: string): Fault | undefined {
  return faults.find((fault) => fault.name === name);
}
