import { openTarget } from "../../harness/open-target.ts";
import { faultScenarios } from "../../load/faults/fault-scenario.ts";
import { ensureTool } from "../../load/go-tools/ensure.ts";
import { parseObjectives } from "../../load/objectives/objectives-file.ts";
import { openLoopScenarios } from "../../load/open-loop-scenarios.ts";
import type { JudgedLoad } from "../../load/open-loop/judged-load.ts";
import { runOpenLoopScenarios } from "../../load/release/scenario.ts";
import { toxiproxyTool } from "../../load/toxiproxy/tool.ts";
import { startReference } from "../../reference/start-reference.ts";
import { foundUnder } from "../recovery/rig.ts";

const ofFaults = new Set<string>(faultScenarios.map(({ name }) => name));

/** What a mix, capacity, scale-out, cold-start and fairness show of the reference. */
export async function releaseScenarios(): Promise<readonly JudgedLoad[]> {
  const promised = parseObjectives({ status: { p99: "250ms", errors: "1%" } });
  if (!promised.ok) throw new Error("the objectives of the pictures can be read");
  const reference = await startReference();
  try {
    const { baseUrl, controlUrl = "" } = reference;
    return await runOpenLoopScenarios(
      openLoopScenarios.filter(({ name }) => !ofFaults.has(name)),
      {
        target: await openTarget({ baseUrl, controlUrl, capabilities: [] }),
        hooks: {},
        seed: 1,
        durationMs: 4_000,
        environment: {},
        objectives: promised.objectives,
      },
    );
  } finally {
    await reference.stop();
  }
}

/** What a server that keeps everything shows under each fault. */
export async function faultsUnderLoad(): Promise<readonly JudgedLoad[]> {
  const found = await ensureTool(toxiproxyTool, { environment: process.env });
  if ("missing" in found) throw new Error(`Toxiproxy has to run here: ${found.missing}`);
  return Promise.all(
    faultScenarios.map(async ({ name }) => foundUnder(name, { toxiproxyPath: found.path })),
  );
}
