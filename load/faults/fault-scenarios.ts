import { Inconclusive } from "../../harness/outcome.ts";
import { ensureTool } from "../go-tools/ensure.ts";
import type { OpenLoopOptions, OpenLoopScenario } from "../release/scenario.ts";
import { toxiproxyTool } from "../toxiproxy/tool.ts";
import { faultCost, faultScenarioName, faultScenarios } from "./fault-scenario.ts";
import type { FaultScenario } from "./fault-scenario.ts";
import { faultFinding } from "./finding.ts";
import { runFaultScenario } from "./run-fault-scenario.ts";

/** The scenarios in which a fault happens. */
export const scenariosWithFaults: readonly OpenLoopScenario[] = faultScenarios.map((scenario) => ({
  name: scenario.name,
  entry: faultScenarioName(scenario),
  question: scenario.question,
  cost: faultCost,
  obstacle: (options) => obstacleToFault(scenario, options),
  run: async (options) => {
    const toxiproxyPath = scenario.isOfNetwork === true ? await toxiproxyFor(options) : undefined;
    return [
      faultFinding(scenario, await runFaultScenario(scenario, { ...options, toxiproxyPath })),
    ];
  },
}));

/** Why a fault cannot be brought about with these hooks on this target; undefined where it can. */
export function obstacleToFault(
  { name, begin, end }: FaultScenario,
  { target, hooks }: Pick<OpenLoopOptions, "target" | "hooks">,
): string | undefined {
  const crashes = name === "worker-loss" && target.capabilities.includes("handler");
  if (begin === undefined || hooks[begin] !== undefined || crashes) return undefined;
  const ending = end === undefined ? "" : ` and --hook ${end}='COMMAND'`;
  return `nothing says how: give --hook ${begin}='COMMAND'${ending}`;
}

/** @throws Inconclusive where there is none, and none can be built */
async function toxiproxyFor(options: OpenLoopOptions): Promise<string> {
  const found = await ensureTool(toxiproxyTool, options);
  if ("missing" in found) throw new Inconclusive(found.missing);
  return found.path;
}
